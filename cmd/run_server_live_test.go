package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/internal/livebin"
	"github.com/modegate/modegate/internal/scripted"
)

// TestRunServerLive drives the real 1.18.33 with a real service: what somebody
// decides over HTTP is what happens on the disk.
func TestRunServerLive(t *testing.T) {
	livebin.Need(t, livebin.OpenCode)
	h := livetest.Start(t, livetest.Options{Password: livePassword})
	t.Setenv("OPENCODE_SERVER_PASSWORD", livePassword)
	ws := filepath.Join(h.Root, "ws")
	livetest.Git(t, ws)
	question := scripted.Call{Tool: "question", Args: map[string]any{"questions": []any{map[string]any{
		"question": "Which name?", "header": "Name", "options": []any{map[string]any{"label": "left", "description": "one"}, map[string]any{"label": "right", "description": "other"}},
	}}}}
	for _, c := range []struct {
		name   string
		mode   string
		script scripted.Script
		when   []func(*service, *fake)
		code   int
		there  []string
		absent []string
		ends   []string
		turns  []string
		says   []string
	}{
		{name: "a command that is accepted runs", mode: "approval-required", script: steps(shellCall("touch by-command")), when: []func(*service, *fake){decides("accept")},
			there: []string{"by-command"}, ends: []string{"bash: touch by-command resolved accept alice"}, turns: []string{"completed"}, says: []string{"= 1  accepted: by alice"}},
		{name: "one that is declined doesn't, and the agent goes on", mode: "approval-required", script: steps(shellCall("touch by-command"), shellCall("touch by-second")), when: []func(*service, *fake){decides("decline"), decides("accept")},
			there: []string{"by-second"}, absent: []string{"by-command"}, ends: []string{"bash: touch by-command resolved decline alice", "bash: touch by-second resolved accept alice"}, turns: []string{"completed"}, says: []string{"The user declined this"}},
		{name: "one that is cancelled ends the run", mode: "approval-required", script: steps(shellCall("touch by-command"), shellCall("touch by-second")), when: []func(*service, *fake){decides("cancel")}, code: exitNo,
			absent: []string{"by-command", "by-second"}, ends: []string{"bash: touch by-command resolved cancel alice"}, turns: []string{"cancelled"}},
		{name: "a grant is the service's", mode: "approval-required", script: steps(shellCall("touch by-first"), shellCall("touch by-second"), shellCall("mkdir by-other")), when: []func(*service, *fake){decides("acceptForSession"), decides("decline")},
			there: []string{"by-first", "by-second"}, absent: []string{"by-other"}, ends: []string{"bash: touch by-first resolved acceptForSession alice", "bash: touch by-second resolved accept modegate:grant", "bash: mkdir by-other resolved decline alice"}, turns: []string{"completed"}},
		{name: "a question is answered", mode: "approval-required", script: steps(question), when: []func(*service, *fake){answers(`{"question-0":"right"}`)},
			ends: []string{"Which name? resolved alice"}, turns: []string{"completed"}, says: []string{"right"}},
		{name: "what the mode answers, nobody is asked about", mode: "full-access", script: scripted.Script{{Calls: []scripted.Call{shellCall("echo x >> by-loop"), shellCall("echo x >> by-loop"), shellCall("echo x >> by-loop")}}},
			there: []string{"by-loop"}, ends: []string{"doom_loop: the same call of bash again and again resolved accept modegate:mode"}, turns: []string{"completed"}},
		{name: "another mode is set while something waits", mode: "approval-required", script: steps(shellCall("touch by-first")), when: []func(*service, *fake){
			func(s *service, _ *fake) {
				s.call("PATCH", "/v1/sessions/"+s.only().Session, `{"mode":"full-access"}`)
			}},
			absent: []string{"by-first"}, ends: []string{"bash: touch by-first cancelled modegate:turn-end"}, turns: []string{"restarted", "completed"}, says: []string{"opencode 1.18.33, full-access, policy t3code"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, f := range append(c.there, c.absent...) {
				os.Remove(filepath.Join(ws, f))
			}
			prompt, err := c.script.Prompt()
			if err != nil {
				t.Fatal(err)
			}
			s := startService(t)
			out := &watched{}
			for _, do := range c.when {
				out.when(waitsInInbox, func() { do(s, nil) })
			}
			code, session := runServed(t, s, out, prompt, "-m", c.mode, "--url", h.Server.BaseURL(), "--workspace", ws)
			if code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			for _, f := range c.there {
				if _, err := os.Stat(filepath.Join(ws, f)); err != nil {
					t.Error(err)
				}
			}
			for _, f := range c.absent {
				if _, err := os.Stat(filepath.Join(ws, f)); err == nil {
					t.Errorf("%s is there", f)
				}
			}
			if d := cmp.Diff(c.ends, s.ends(session), cmpopts.EquateEmpty(), cmpopts.SortSlices(strings.Compare)); d != "" {
				t.Errorf("on record: %s", d)
			}
			if d := cmp.Diff(c.turns, s.turns(session)); d != "" {
				t.Errorf("turns: %s", d)
			}
			for _, text := range c.says {
				if !strings.Contains(out.String(), text) {
					t.Errorf("the output doesn't say %q", text)
				}
			}
			if left, err := h.Server.Client(ws).PendingPermissions(t.Context()); err != nil || len(left) > 0 {
				t.Errorf("left waiting: %v %v", left, err)
			}
			if t.Failed() {
				t.Log(out.String())
			}
		})
	}
}
