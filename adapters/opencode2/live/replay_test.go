package live_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/httpjson/httpjsontest"
	"github.com/modegate/modegate/adapters/opencode2/live"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
)

// recordings is where recordings lie, each of which is replayed; recordingVar
// names further ones.
const (
	recordings   = "../../../testdata/opencode2"
	recordingVar = "MODEGATE_OPENCODE2_RECORDING"
)

// TestReplay drives the adapter through every recording: what it does must be what
// is recorded, in that order.
func TestReplay(t *testing.T) {
	files, err := livetest.Recordings(recordings)
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	if more := os.Getenv(recordingVar); more != "" {
		files = append(files, filepath.SplitList(more)...)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".ndjson"), func(t *testing.T) {
			for _, problem := range replay(t, file) {
				t.Error(problem)
			}
		})
	}
}

// replay drives the adapter through a recording and returns where they part.
func replay(t *testing.T, file string) (problems []string) {
	t.Helper()
	rec, err := livetest.ReadRecording(file)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		player := livetest.Play(rec)
		network := httpjsontest.New()
		server := &http.Server{Handler: player}
		over := make(chan struct{})
		go func() {
			defer close(over)
			_ = server.Serve(network)
		}()
		defer func() {
			player.Close()
			server.Close()
			<-over
		}()
		script, err := plan(t, rec)
		if err != nil {
			problems = []string{err.Error()}
			return
		}
		problems = script.drive(t, player, live.NewClient("http://opencode", "replay", "/work", network.Transport()))
		problems = append(problems, player.Problems()...)
		t.Logf("%s: %d prompts, %d requests; reads that aren't recorded: %s",
			rec.Version, len(script.prompts), len(script.answers), strings.Join(player.Beyond(), ", "))
	})
	return problems
}

// drive does what the script says, and returns what came otherwise.
func (s script) drive(t *testing.T, player *livetest.Player, client *live.Client) (problems []string) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	var stop atomic.Pointer[context.CancelFunc]
	rejected := false
	player.Expecting = func(f livetest.Frame) {
		if leave := stop.Load(); f.Operation == "session.interrupt" && !rejected && leave != nil {
			(*leave)() // nothing of the agent's caused it
		}
		rejected = f.Operation == "session.permission.reply" && f.Input.Get("decision").Text() == "reject" && !f.Input.Get("message").There()
	}
	d, err := live.Open(t.Context(), client, live.Options{
		Session: s.session, Cell: s.cell, Model: s.model, NeedsAgents: needsAgents,
		Translator: boundary, Compile: compiling(t, s.cell),
	})
	if err != nil {
		return []string{err.Error()}
	}
	defer d.Close()
	if _, err := d.Sync(t.Context()); err != nil {
		return []string{err.Error()}
	}
	p := &person{d: d, answers: s.answers}
	for i, prompt := range s.prompts {
		limited, cancel := context.WithTimeoutCause(t.Context(), long, errors.New("it hangs"))
		ctx, leave := context.WithCancel(limited)
		stop.Store(&leave)
		out := d.Run(ctx, prompt, p)
		leave()
		cancel()
		if i < len(s.ends) && out.End != s.ends[i] {
			problem("prompt %d %s (%s), recorded: %s", i+1, out.End, out.Reason, s.ends[i])
		}
	}
	for _, err := range p.refused {
		problem("%v", err)
	}
	var order []string
	for _, q := range p.requests {
		order = append(order, q.ID)
		if _, offered := q.Offers(broker.AcceptForSession); offered != s.saves[q.ID] {
			problem("request %s offers the session: %v", q.ID, offered)
		}
	}
	if d := cmp.Diff(s.order, order); d != "" {
		problem("requests: %s", d)
	}
	for _, c := range p.closings {
		if want := s.answers[c.Request.ID]; c.By != broker.ByPerson || c.Decision != want.Decision {
			problem("request %s was closed as %q by %s (%s)", c.Request.ID, c.Decision, c.By, c.Reason)
		}
	}
	if len(p.closings) != len(s.order) {
		problem("%d requests were closed of %d", len(p.closings), len(s.order))
	}
	if n := len(p.saw(broker.SawToolFailed)); n != s.failed {
		problem("%d calls were seen to fail, recorded: %d", n, s.failed)
	}
	return problems
}

// TestReplayFails shows that a replay can fail: a recording that is changed in one
// place parts from what the adapter does.
func TestReplayFails(t *testing.T) {
	for name, c := range map[string]struct{ file, old, new string }{
		"a note that is queued":        {"permission", `"delivery": "steer", "resume": false`, `"delivery": "queue", "resume": false`},
		"a note that resumes":          {"permission", `"resume": false`, `"resume": true`},
		"a note to another session":    {"permission", `"session.synthetic", "input": {"sessionID": "ses_`, `"session.synthetic", "input": {"sessionID": "other_`},
		"an accept for good":           {"permission", `"decision": "once"`, `"decision": "always"`},
		"another rule":                 {"permission", `{"action": "edit", "resource": "*", "effect": "ask"}`, `{"action": "edit", "resource": "*", "effect": "allow"}`},
		"a rule more for the agent":    {"permission", `[{"action": "*", "resource": "*", "effect": "allow"}, `, `[{"action": "*", "resource": "*", "effect": "allow"}, {"action": "edit", "resource": "x", "effect": "allow"}, `},
		"another prompt":               {"permission", `"session.prompt", "input": {"sessionID": "ses_0000000000000000000000permA", "text": "Run`, `"session.prompt", "input": {"sessionID": "ses_0000000000000000000000permA", "text": "<work> Run`},
		"an operation that isn't done": {"question", `{"type": "runtime_exit"`, `{"type": "expect_outbound", "frame": {"type": "session.interrupt", "input": {"sessionID": "x"}}}` + "\n" + `{"type": "runtime_exit"`},
		"another answer's field":       {"question", `"answer": {"q0": "blue"}}}}` + "\n" + `{"type": "emit_inbound", "label": "session.form.reply.response"`, `"answer": {"q0": "blue", "q1": "red"}}}}` + "\n" + `{"type": "emit_inbound", "label": "session.form.reply.response"`},
		"another form":                 {"question", `"formID": "frm_`, `"formID": "form_`},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(recordings, c.file+".ndjson"))
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(text), c.old, c.new, 1)
			if changed == string(text) {
				t.Fatal("nothing was changed")
			}
			file := filepath.Join(t.TempDir(), "changed.ndjson")
			if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			problems := replay(t, file)
			if len(problems) == 0 {
				t.Error("the replay doesn't notice")
			}
			t.Log(problems)
		})
	}
}
