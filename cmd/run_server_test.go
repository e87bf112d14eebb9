package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
)

var which = map[string]any{"id": "que_1", "sessionID": "ses_1", "questions": []any{map[string]any{
	"question": "Which?", "header": "H", "options": []any{map[string]any{"label": "A", "description": "a"}, map[string]any{"label": "B", "description": "b"}},
}}}

// TestRunServer answers what a run asks at a real service, and holds what the
// provider was told and what is on the service's record.
func TestRunServer(t *testing.T) {
	ask := func(requests ...map[string]any) func(*livetest.Fake) string { return livetest.Asks(requests...) }
	loop := map[string]any{"id": "per_1", "sessionID": "ses_1", "permission": "doom_loop", "patterns": []string{"bash"}, "always": []string{"bash"}, "metadata": map[string]any{}}
	broken := livetest.ShellAsk("per_1", "ls")
	broken["metadata"] = json.RawMessage(`{"command":"\ud83d"}`)
	for _, c := range []struct {
		name  string
		mode  string
		agent func(*livetest.Fake) string
		when  []func(*service, *fake) // each time that something waits in the inbox
		code  int
		told  []string // after create and prompt
		ends  []string
		turn  string
		says  []string
		shown int
	}{
		{name: "accepted", agent: ask(livetest.ShellAsk("per_1", "ls")), when: []func(*service, *fake){decides("accept")},
			told: []string{"once per_1"}, ends: []string{"bash: ls resolved accept alice"}, turn: "completed", says: []string{"= 1  accepted: by alice"}},
		{name: "declined, and the agent goes on", agent: ask(livetest.ShellAsk("per_1", "ls"), livetest.ShellAsk("per_2", "date")), when: []func(*service, *fake){decides("decline"), decides("accept")},
			told: []string{"reject per_1", "once per_2"}, ends: []string{"bash: ls resolved decline alice", "bash: date resolved accept alice"}, turn: "completed"},
		{name: "cancelled", agent: ask(livetest.ShellAsk("per_1", "ls")), when: []func(*service, *fake){decides("cancel")}, code: exitNo,
			told: []string{"reject per_1", "abort ses_1"}, ends: []string{"bash: ls resolved cancel alice"}, turn: "cancelled"},
		{name: "for the session: the service answers what is like it", agent: ask(livetest.ShellAsk("per_1", "ls a"), livetest.ShellAsk("per_2", "ls b")), when: []func(*service, *fake){decides("acceptForSession")},
			told: []string{"once per_1", "once per_2"}, ends: []string{"bash: ls a resolved acceptForSession alice", "bash: ls b resolved accept modegate:grant"}, turn: "completed", says: []string{"= bash: ls b\n     accepted: allowed this session: bash ls *"}},
		{name: "answered by the mode, nobody is asked", mode: "full-access", agent: ask(loop),
			told: []string{"once per_1"}, ends: []string{"doom_loop: the same call of bash again and again resolved accept modegate:mode"}, turn: "completed", says: []string{"full access repeats calls unasked"}},
		{name: "a question is answered", agent: ask(which), when: []func(*service, *fake){answers(`{"question-0":"B"}`)},
			told: []string{"reply que_1"}, ends: []string{"Which? resolved alice"}, turn: "completed"},
		{name: "a question is dismissed", agent: ask(which), when: []func(*service, *fake){posts("dismiss", "")}, code: exitNo,
			told: []string{"reject que_1", "abort ses_1"}, ends: []string{"Which? cancelled cancel alice"}, turn: "cancelled"},
		{name: "another client answers", agent: ask(livetest.ShellAsk("per_1", "ls")), when: []func(*service, *fake){func(_ *service, f *fake) { f.Settle("per_1", live.Reply{Reply: live.ReplyOnce}) }},
			ends: []string{"bash: ls resolved accept provider:another-client"}, turn: "completed"},
		{name: "another client dismisses a question", agent: ask(which), when: []func(*service, *fake){func(_ *service, f *fake) { f.Settle("que_1", live.Reply{Reply: live.ReplyReject}) }}, code: exitNo,
			told: []string{"abort ses_1"}, ends: []string{"Which? cancelled cancel provider:another-client"}, turn: "cancelled"},
		{name: "a child asks", agent: func(f *livetest.Fake) string {
			f.AddSession(live.Session{ID: "ses_2", ParentID: "ses_1", Directory: livetest.FakeDir}, true)
			return livetest.Asks(livetest.In("ses_2", livetest.ShellAsk("per_1", "ls")))(f)
		}, when: []func(*service, *fake){decides("accept")}, told: []string{"once per_1"}, ends: []string{"bash: ls resolved accept alice"}, turn: "completed", says: []string{"(a subagent asks)"}},
		{name: "a request that can't be brought to the service", agent: ask(broken, livetest.ShellAsk("per_2", "ls")), when: []func(*service, *fake){decides("accept")},
			told: []string{"reject per_1", "once per_2"}, ends: []string{"bash: ls resolved accept alice"}, turn: "completed", says: []string{"refused "}},
		{name: "the session is unloaded at the service", agent: ask(livetest.ShellAsk("per_1", "ls")), when: []func(*service, *fake){func(s *service, _ *fake) {
			s.call("DELETE", "/v1/sessions/"+s.only().Session, "")
		}}, code: exitNo, told: []string{"reject per_1", "abort ses_1"}, ends: []string{"bash: ls cancelled modegate:turn-end"}, turn: "unloaded", says: []string{"the run failed: "}},
		{name: "the turn is ended at the service", agent: ask(livetest.ShellAsk("per_1", "ls")), when: []func(*service, *fake){func(s *service, _ *fake) {
			r := s.only()
			s.call("POST", "/v1/sessions/"+r.Session+"/turns/"+*r.Turn+"/end", `{"status":"killed"}`)
		}}, code: exitNo, told: []string{"reject per_1", "abort ses_1"}, ends: []string{"bash: ls cancelled modegate:turn-end"}, turn: "killed", says: []string{"the run failed: "}},
		{name: "the run fails while something waits", agent: func(f *livetest.Fake) string {
			f.Put(true, livetest.ShellAsk("per_1", "ls"))
			f.Await("per_1")
			return "stop"
		}, when: []func(*service, *fake){func(_ *service, f *fake) { f.SetRules("ses_1", nil) }}, code: exitNo,
			told: []string{"reject per_1", "abort ses_1"}, ends: []string{"bash: ls cancelled modegate:turn-end"}, turn: "failed", says: []string{"another client changed them"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := livetest.NewFake(t)
			f.Agent = c.agent
			s := startService(t)
			out := &watched{}
			for _, do := range c.when {
				out.when(waitsInInbox, func() { do(s, f) })
			}
			if c.mode == "" {
				c.mode = "approval-required"
			}
			code, session := runServed(t, s, out, "go", "-m", c.mode, "--url", f.URL())
			if code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			told := f.Log()
			if d := cmp.Diff(append([]string{"create", "prompt"}, c.told...), told); d != "" {
				t.Errorf("the provider was told: %s", d)
			}
			// The next request may be asked before the last one's end is on record.
			if d := cmp.Diff(c.ends, s.ends(session), cmpopts.EquateEmpty(), cmpopts.SortSlices(strings.Compare)); d != "" {
				t.Errorf("on record: %s", d)
			}
			if d := cmp.Diff([]string{c.turn}, s.turns(session)); d != "" {
				t.Errorf("turns: %s", d)
			}
			if status, _ := s.call("GET", "/v1/sessions/"+session, ""); status != http.StatusNotFound {
				t.Errorf("the session is still loaded: %d", status)
			}
			if n := strings.Count(out.String(), waitsInInbox); n != len(c.when) {
				t.Errorf("%d requests were shown, want %d", n, len(c.when))
			}
			for _, text := range c.says {
				if !strings.Contains(out.String(), text) {
					t.Errorf("the output doesn't say %q", text)
				}
			}
			if t.Failed() {
				t.Log(out.String())
			}
		})
	}
}

func decides(decision string) func(*service, *fake) {
	return func(s *service, _ *fake) { s.decide(decision) }
}

func answers(text string) func(*service, *fake) {
	return posts("answers", fmt.Sprintf(`{"answers":%s}`, text))
}

func posts(what, body string) func(*service, *fake) {
	return func(s *service, _ *fake) {
		if status, answer := s.call("POST", "/v1/requests/"+s.only().ID+"/"+what, body); status != http.StatusAccepted {
			s.t.Errorf("%s: %d %s", what, status, answer)
		}
	}
}

// acme is a policy that denies a command.
func acme(t *testing.T) string {
	t.Helper()
	policy := t.TempDir() + "/acme.yaml"
	livetest.Write(t, policy, "apiVersion: modegate/v1\nname: acme\nextends: builtin/t3code\nrules:\n  - {id: no-rm, kind: command, match: rm *, effect: deny, providers: [opencode]}\n"+
		"acknowledge:\n  - {gap: opencode.command.no-rm, reason: \"in full access a quoted name runs, which the rule doesn't match\"}\n")
	return policy
}

// TestRunServerDeclines has the service decline what its policy denies and the
// provider asks about, of the session and of a subagent: nobody is asked, the
// record names the rule, and so does what the model is told.
func TestRunServerDeclines(t *testing.T) {
	f := livetest.NewFake(t)
	var told []string
	f.Agent = func(f *livetest.Fake) string {
		f.AddSession(live.Session{ID: "ses_2", ParentID: "ses_1", Directory: livetest.FakeDir}, true)
		finish := livetest.Asks(livetest.ShellAsk("per_1", "'rm' x"), livetest.In("ses_2", livetest.ShellAsk("per_2", "'rm' y")))(f)
		told = append(told, f.Await("per_1").Message, f.Await("per_2").Message)
		return finish
	}
	s := startService(t, acme(t))
	out := &watched{}
	code, session := runServed(t, s, out, "go", "-m", "approval-required", "--url", f.URL())
	if d := cmp.Diff([]string{"bash: 'rm' x resolved decline modegate:mode", "bash: 'rm' y resolved decline modegate:mode"}, s.ends(session)); code != 0 || d != "" {
		t.Errorf("exit %d, on record: %s", code, d)
	}
	if len(f.Ran()) > 0 || strings.Contains(out.String(), waitsInInbox) || strings.Count(out.String(), `of the session, command "rm *"`) != 2 {
		t.Errorf("ran %v\n%s", f.Ran(), out)
	}
	for _, message := range told {
		if !strings.HasPrefix(message, "A policy denies this (bash: 'rm' ") {
			t.Errorf("the model reads %q", message)
		}
	}
}

// TestRunServerRules gives the session the rules of the service's policy, which
// isn't the one that the command line would have taken.
func TestRunServerRules(t *testing.T) {
	policy := acme(t)
	f := livetest.NewFake(t)
	f.Agent = livetest.Asks()
	s := startService(t, policy)
	out := &watched{}
	code, session := runServed(t, s, out, "go", "-m", "approval-required", "--url", f.URL())
	rules := f.Rules("ses_1")
	last := []live.Rule{{Permission: "bash", Pattern: "rm *", Action: "deny"}, {Permission: "modegate-declines:command", Pattern: "rm *", Action: "ask"}}
	if code != 0 || !slices.Equal(rules[max(len(rules)-2, 0):], last) || !strings.Contains(out.String(), "policy acme") {
		t.Errorf("exit %d, rules %v\n%s", code, rules, out)
	}
	native := ""
	for _, a := range s.history(session) {
		native += a.Type + " "
	}
	if want := "session.updated ruleset.changed turn.started session.updated turn.ended session.updated "; native != want {
		t.Errorf("history %q, want %q", native, want)
	}
}

// TestRunServerGuardrail refuses at once what a guardrail of the service denies,
// and goes on.
func TestRunServerGuardrail(t *testing.T) {
	rails := t.TempDir()
	livetest.Write(t, rails+"/no_rm.rego", `package modegate.guardrails.no_rm

default decision := {"effect": "allow"}

decision := {"effect": "deny", "reason": "nothing is removed here"} if startswith(input.action.command, "rm ")
`)
	f := livetest.NewFake(t)
	f.Agent = livetest.Asks(livetest.ShellAsk("per_1", "rm a"), livetest.ShellAsk("per_2", "ls"))
	s := startGuarded(t, rails)
	out := &watched{}
	out.when(waitsInInbox, func() { s.decide("accept") })
	code, session := runServed(t, s, out, "go", "-m", "approval-required", "--url", f.URL())
	if d := cmp.Diff([]string{"create", "prompt", "reject per_1", "once per_2"}, f.Log()); d != "" || code != 0 {
		t.Errorf("exit %d, %s", code, d)
	}
	if d := cmp.Diff([]string{"bash: rm a resolved decline modegate:guardrail", "bash: ls resolved accept alice"}, s.ends(session)); d != "" {
		t.Error(d)
	}
	if !strings.Contains(out.String(), "nothing is removed here") {
		t.Error(out)
	}
}

// TestRunServerModeChanges starts the run anew when its mode is changed at the
// service: what waits is refused, the session gets the new rules, and the agent
// goes on under them.
func TestRunServerModeChanges(t *testing.T) {
	f := livetest.NewFake(t)
	prompts := 0
	f.Agent = func(f *livetest.Fake) string {
		if prompts++; prompts == 1 {
			return livetest.Asks(livetest.ShellAsk("per_1", "ls"))(f)
		}
		return livetest.Asks(livetest.ShellAsk("per_2", "date"))(f)
	}
	s := startService(t)
	out := &watched{}
	out.when(waitsInInbox, func() {
		s.call("PATCH", "/v1/sessions/"+s.only().Session, `{"mode":"full-access"}`)
	})
	out.when(waitsInInbox, func() { s.decide("accept") })
	code, session := runServed(t, s, out, "go", "-m", "approval-required", "--url", f.URL())
	if d := cmp.Diff([]string{"create", "prompt", "reject per_1", "abort ses_1", "message map[modegate:true]", "patch", "prompt", "once per_2"}, f.Log()); d != "" || code != 0 {
		t.Errorf("exit %d, %s", code, d)
	}
	if d := cmp.Diff([]live.Rule{{Permission: "modegate", Pattern: "*", Action: "allow"}, {Permission: "*", Pattern: "*", Action: "allow"}}, f.Rules("ses_1")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"restarted", "completed"}, s.turns(session)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"bash: ls cancelled modegate:turn-end", "bash: date resolved accept alice"}, s.ends(session)); d != "" {
		t.Error(d)
	}
	if !strings.Contains(f.Prompted(), "The mode of this session is full-access from now on") {
		t.Error(f.Prompted())
	}
	if t.Failed() {
		t.Log(out)
	}
}

// TestRunServerStart refuses to start anything without a service that takes it.
func TestRunServerStart(t *testing.T) {
	shortTimes(t, 200*time.Millisecond)
	s := startService(t)
	gone := startService(t)
	gone.kill()
	for _, c := range []struct {
		name, token string
		args        []string
		says        string
	}{
		{"no token", "", []string{"--server", s.url()}, "--server needs a token: give --token-file, or set MODEGATE_TOKEN"},
		{"a wrong token", "wrong", []string{"--server", s.url()}, "the modegate service says no (401): sign in"},
		{"no token at all", "a b", []string{"--server", s.url()}, "no token"},
		{"nobody there", adapterToken, []string{"--server", gone.url()}, "the modegate service can't be reached"},
		{"another's service", adapterToken, []string{"--server", livetest.NewFake(t).URL()}, "is this a modegate service?"},
		{"no address", adapterToken, []string{"--server", "127.0.0.1:7420"}, "use http://HOST:PORT"},
		{"no such file", adapterToken, []string{"--server", s.url(), "--token-file", "nowhere"}, "--token-file: "},
		{"a policy", adapterToken, []string{"--server", s.url(), "--policy", "builtin/t3code"}, "exclude each other"},
		{"a token without a service", adapterToken, []string{"--token-file", "nowhere"}, "--token-file goes with --server"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(tokenEnv, c.token)
			f := livetest.NewFake(t)
			out := &watched{}
			args := append([]string{"run", "-p", "opencode", "-m", "approval-required", "--url", f.URL()}, c.args...)
			code := Main(append(args, "--", "go"), strings.NewReader(""), out, out)
			if code != exitUsage || !strings.Contains(out.String(), c.says) {
				t.Errorf("exit %d: %s", code, out)
			}
			if len(f.Log()) > 0 {
				t.Errorf("the provider was told %v", f.Log())
			}
		})
	}
}
