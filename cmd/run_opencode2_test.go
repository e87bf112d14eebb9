package cmd

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
)

// run2 runs one command line on an OpenCode 2 server, for somebody who answers what
// is asked in order.
func run2(t *testing.T, s *livetest.Server, answers []string, args ...string) (code int, output string) {
	t.Helper()
	h := httptest.NewServer(s)
	defer h.Close()
	defer s.Close()
	in, lines := io.Pipe()
	defer lines.Close()
	out := &asked{answers: answers, lines: lines}
	code = Main(append(append([]string{"run", "-p", "opencode2", "--url", h.URL, "--workspace", "/w"}, args...), "--", "go on"), in, out, out)
	return code, out.String()
}

// TestRunOpenCode2 drives a scripted OpenCode 2 server through the command line:
// what is asked, what is answered, and what then runs.
func TestRunOpenCode2(t *testing.T) {
	commands := func(t *livetest.Turn) {
		t.Say("I begin.")
		t.Shell("echo 1")
		t.Shell("echo 2")
		t.Say("That is all.")
	}
	asks := func(t *livetest.Turn) {
		answer := t.Question("", livetest.Field{Key: "q0", Title: "Color", Description: "Which?", Type: "string", Options: []livetest.Option{{Value: "v1", Label: "Red"}, {Value: "v2", Label: "Blue"}}})
		text, _ := answer["q0"].(string)
		t.Say("You chose " + text)
	}
	edits := func(t *livetest.Turn) {
		t.Tool(livetest.Call{Tool: "edit", Action: "edit", Resources: []string{"a.go"}, Save: []string{"*"}})
	}
	for _, c := range []struct {
		name    string
		agent   livetest.Agent
		args    []string
		answers []string
		code    int
		told    []string // after create and prompt
		ran     []string
		says    []string // in the output, in this order
	}{
		{name: "accept and decline", agent: commands, args: []string{"-m", "approval-required"}, answers: []string{"accept", "decline"},
			told: []string{"once", "note", "reject+"}, ran: []string{"echo 1"},
			says: []string{"session ses_1: opencode 2, approval-required, policy t3code", "I begin.", "? 1  shell: echo 1", "answer: accept | session (Allow echo * this session) | decline | cancel", "= 1  accepted", "? 2  shell: echo 2", "= 2  declined", "! shell: Unable to execute command", "That is all.", "session ses_1 ended; --session ses_1 continues it"}},
		{name: "a grant for the session", agent: commands, args: []string{"-m", "auto"}, answers: []string{"session"},
			told: []string{"update", "once"}, ran: []string{"echo 1", "echo 2"}, says: []string{"= 1  accepted for this session", "That is all."}},
		{name: "cancel", agent: commands, args: []string{"-m", "approval-required"}, answers: []string{"cancel"}, code: 1,
			told: []string{"reject", "interrupt"}, says: []string{"= 1  cancelled", "the run cancelled: cancelled at: shell: echo 1"}},
		{name: "nobody is there", agent: commands, args: []string{"-m", "approval-required"}, code: 1,
			told: []string{"reject", "interrupt"}, says: []string{"nobody is there to answer"}},
		{name: "a question", agent: asks, args: []string{"-m", "full-access"}, answers: []string{"2"},
			told: []string{"answer"}, says: []string{"? 1  Color: Which?", "     2  Blue", "= 1  answered", "You chose v2"}},
		{name: "full access", agent: commands, args: []string{"-m", "full-access"}, ran: []string{"echo 1", "echo 2"}, says: []string{"full-access", "That is all."}},
		{name: "edits ask", agent: edits, args: []string{"-m", "approval-required"}, answers: []string{"decline"}, told: []string{"note", "reject+"}, says: []string{"? 1  edit: a.go"}},
		{name: "edits are accepted", agent: edits, args: []string{"-m", "auto-accept-edits"}, ran: []string{"a.go"}},
		{name: "plan denies edits, in full access, too", agent: edits, args: []string{"-m", "full-access", "-i", "plan"}, says: []string{"full-access + plan", "! edit: Permission denied"}},
		{name: "a model", agent: nil, args: []string{"-m", "full-access", "--model", "fake/scripted"}, says: []string{"done"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("OPENCODE_SERVER_PASSWORD", "secret")
			s := livetest.NewServer(livetest.Options{Agent: c.agent, Password: "secret"})
			code, output := run2(t, s, c.answers, c.args...)
			if code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			var told []string
			for _, w := range s.Told() {
				word, _, _ := strings.Cut(w, " ")
				told = append(told, word)
			}
			if d := cmp.Diff(append([]string{"create", "prompt"}, c.told...), told); d != "" {
				t.Errorf("told: %s", d)
			}
			if d := cmp.Diff(c.ran, s.Ran(), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("ran: %s", d)
			}
			// What became of an answer is told once the agent has taken it, which
			// may be before or after what the agent goes on with.
			rest := map[bool]string{true: output, false: output}
			for _, text := range c.says {
				outcome := strings.HasPrefix(text, "= ")
				_, after, ok := strings.Cut(rest[outcome], text)
				if !ok {
					t.Errorf("the output doesn't say %q there", text)
				}
				rest[outcome] = after
			}
			if len(s.Waiting()) > 0 || s.Running() {
				t.Errorf("left waiting %v, running %v", s.Waiting(), s.Running())
			}
			if t.Failed() {
				t.Log(output)
			}
		})
	}
}

// TestRunOpenCode2Continues continues a session under another mode.
func TestRunOpenCode2Continues(t *testing.T) {
	t.Setenv("OPENCODE_SERVER_PASSWORD", "")
	s := livetest.NewServer(livetest.Options{Agent: func(t *livetest.Turn) {
		t.Tool(livetest.Call{Tool: "shell", Action: "shell", Resources: []string{"echo 1"}, ID: "per_a"})
	}})
	if code, output := run2(t, s, nil, "-m", "full-access"); code != 0 {
		t.Fatalf("exit %d: %s", code, output)
	}
	code, output := run2(t, s, []string{"decline"}, "-m", "approval-required", "--session", "ses_1")
	if code != 0 || !strings.Contains(output, "? 1  shell: echo 1") {
		t.Errorf("exit %d: %s", code, output)
	}
	if d := cmp.Diff([]string{"create", "prompt", "update", "prompt", "note", "reject+ per_a"}, s.Told()); d != "" {
		t.Error(d)
	}
	code, output = run2(t, s, nil, "-m", "full-access", "--session", "ses_9")
	if code != 1 || !strings.Contains(output, "SessionNotFoundError") {
		t.Errorf("exit %d: %s", code, output)
	}
}

// TestRunOpenCode2Refuses is what it says to a server that it can't use.
func TestRunOpenCode2Refuses(t *testing.T) {
	t.Setenv("OPENCODE_SERVER_PASSWORD", "wrong")
	s := livetest.NewServer(livetest.Options{Password: "secret"})
	if code, output := run2(t, s, nil, "-m", "auto"); code != 1 || !strings.Contains(output, "set OPENCODE_SERVER_PASSWORD") {
		t.Errorf("a wrong password: exit %d: %s", code, output)
	}
	s = livetest.NewServer(livetest.Options{})
	s.Stick()
	if code, output := run2(t, s, nil, "-m", "auto"); code != 1 || !strings.Contains(output, "the rules are not enforced in session ses_1") {
		t.Errorf("rules that aren't in force: exit %d: %s", code, output)
	}
	s = livetest.NewServer(livetest.Options{})
	s.Fail("model.list", livetest.Page)
	if code, output := run2(t, s, nil, "-m", "auto"); code != 1 || !strings.Contains(output, "can't be used") {
		t.Errorf("another program: exit %d: %s", code, output)
	}
}

// TestRunOpenCode2Server brings what OpenCode 2 asks to a real service: an answer's
// grant is a rule before the call runs, and another mode holds while the run goes
// on.
func TestRunOpenCode2Server(t *testing.T) {
	t.Setenv("OPENCODE_SERVER_PASSWORD", "secret")
	commands := func(t *livetest.Turn) {
		t.Shell("echo 1")
		t.Shell("echo 2")
		t.Say("That is all.")
	}
	asks := func(t *livetest.Turn) {
		t.Question("", livetest.Field{Key: "q0", Title: "Color", Description: "Which?", Type: "string", Options: []livetest.Option{{Value: "v1", Label: "Red"}, {Value: "v2", Label: "Blue"}}})
	}
	unshown := func(t *livetest.Turn) {
		t.Question("", livetest.Field{Key: "q0", Title: "Age", Description: "How old?", Type: "number"})
	}
	switched := func(s *service, _ *fake) {
		r := s.only()
		s.call("PATCH", "/v1/sessions/"+r.Session, `{"mode":"full-access"}`)
		s.await("ruleset.changed")
		s.call("POST", "/v1/requests/"+r.ID+"/decision", `{"decision":"accept"}`)
	}
	for _, c := range []struct {
		name  string
		agent livetest.Agent
		when  []func(*service, *fake)
		code  int
		told  []string
		ran   []string
		ends  []string
		turn  string
	}{
		{"accepted", commands, []func(*service, *fake){decides("accept"), decides("decline")}, 0, []string{"once", "note", "reject+"}, []string{"echo 1"},
			[]string{"shell: echo 1 resolved accept alice", "shell: echo 2 resolved decline alice"}, "completed"},
		{"for the session", commands, []func(*service, *fake){decides("acceptForSession")}, 0, []string{"update", "once"}, []string{"echo 1", "echo 2"},
			[]string{"shell: echo 1 resolved acceptForSession alice"}, "completed"},
		{"cancelled", commands, []func(*service, *fake){decides("cancel")}, exitNo, []string{"reject", "interrupt"}, nil,
			[]string{"shell: echo 1 resolved cancel alice"}, "cancelled"},
		{"a question", asks, []func(*service, *fake){answers(`{"q0":"v2"}`)}, 0, []string{"answer"}, nil, []string{"Which? resolved alice"}, "completed"},
		{"a form that can't be shown", unshown, nil, exitNo, []string{"cancel", "interrupt"}, nil, []string{`a form that can't be shown: its field "q0" is of the type "number" cancelled cancel modegate:mode`}, "failed"},
		{"another mode, in the session", commands, []func(*service, *fake){switched}, 0, []string{"update", "once"}, []string{"echo 1", "echo 2"},
			[]string{"shell: echo 1 resolved accept alice"}, "completed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			provider := livetest.NewServer(livetest.Options{Agent: c.agent, Password: "secret"})
			h := httptest.NewServer(provider)
			defer h.Close()
			defer provider.Close()
			s := startService(t)
			out := &watched{}
			for _, do := range c.when {
				out.when(waitsInInbox, func() { do(s, nil) })
			}
			code, session := runServedBy(t, s, "opencode2", out, "go", "-m", "approval-required", "--url", h.URL, "--workspace", "/w")
			var told []string
			for _, w := range provider.Told() {
				word, _, _ := strings.Cut(w, " ")
				told = append(told, word)
			}
			if d := cmp.Diff(append([]string{"create", "prompt"}, c.told...), told); d != "" || code != c.code {
				t.Errorf("exit %d, told: %s", code, d)
			}
			if d := cmp.Diff(c.ran, provider.Ran(), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("ran: %s", d)
			}
			if d := cmp.Diff(c.ends, s.ends(session), cmpopts.SortSlices(strings.Compare)); d != "" {
				t.Errorf("on record: %s", d)
			}
			if d := cmp.Diff([]string{c.turn}, s.turns(session)); d != "" {
				t.Errorf("turns: %s", d)
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}
