package live_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/adapters/opencode2/live"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// strictly denies a command and files, which a session can't: OpenCode 2 asks.
const strictly = `
apiVersion: modegate/v1
name: strictly
extends: builtin/t3code
rules:
  - {id: no-rm, kind: command, match: rm *, effect: deny}
  - {id: no-keys, kind: file-read, match: keys/**, effect: deny}
acknowledge:
  - {gap: opencode2.command.no-rm, reason: "a quoted name isn't matched in full access"}
`

// lax denies nothing on top of the built-in policy.
const lax = "apiVersion: modegate/v1\nname: lax\nextends: builtin/t3code\n"

// of compiles a cell of a policy's text.
func of(t testing.TB, text string, c evaluator.Cell) broker.Compile {
	t.Helper()
	policy, err := policies.Parse(policies.File{Name: "policy.yaml", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return func(env evaluator.Env) (*compiler.Compiled, error) {
		return compiler.Compile(policy, opencode2.New(), c, compiler.Options{Env: env})
	}
}

// asked are the titles of the requests that a person was brought.
func (p *person) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, r := range p.requests {
		out = append(out, r.ID)
	}
	return out
}

// why is the reason on record of a request's end.
func (p *person) why(id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.closings {
		if c.Request.ID == id {
			return c.Reason
		}
	}
	return ""
}

// byRule is how the record says that we declined by a rule of strictly.
func byRule(reason, rule string) bool {
	return strings.HasPrefix(reason, "the policy denies it: rule ") && strings.HasSuffix(reason, " of the session, "+rule)
}

// read asks to read a file.
func read(t *livetest.Turn, id, path string) bool {
	return t.Tool(livetest.Call{Tool: "read", Input: map[string]any{"filePath": path}, Action: "read", Resources: []string{path}, Save: []string{"*"}, ID: id})
}

// TestDeclines has what the policy denies and OpenCode asks about declined without
// a person: of the session, of its subagents, beside what a person answers, and
// after the stream was away. The model is told by which rule.
func TestDeclines(t *testing.T) {
	const rm, keys = `command "rm *"`, `file-read "keys/**"`
	for _, c := range []struct {
		name   string
		agent  livetest.Agent
		befall func(*livetest.Server)
		told   []string
		asked  []string
		closed []string
		ran    []string
		rule   string
		title  string
	}{
		{"a command", commands("rm x", "echo 1"), nil, []string{"note", "reject+ per_a", "once per_b"}, []string{"per_b"}, []string{"per_a decline mode", "per_b accept person"}, []string{"echo 1"}, rm, "shell: rm x"},
		{"however it is spelled", commands("'rm' x", "echo 1"), nil, []string{"note", "reject+ per_a", "once per_b"}, []string{"per_b"}, []string{"per_a decline mode", "per_b accept person"}, []string{"echo 1"}, rm, "shell: 'rm' x"},
		{"a file", func(t *livetest.Turn) { read(t, "per_a", "keys/id") }, nil, []string{"note", "reject+ per_a"}, nil, []string{"per_a decline mode"}, nil, keys, "read: keys/id"},
		{"of a subagent", func(t *livetest.Turn) { t.Child(true, commands("'rm' x")) }, nil, []string{"note", "reject+ per_a"}, nil, []string{"per_a decline mode"}, nil, rm, "shell: 'rm' x"},
		{"of a subagent that no event told of", func(t *livetest.Turn) { t.Child(false, commands("'rm' x")) }, nil, []string{"note", "reject+ per_a"}, nil, []string{"per_a decline mode"}, nil, rm, "shell: 'rm' x"},
		{"beside what a person answers", func(t *livetest.Turn) {
			t.Parallel(func() { shell(t, "per_a", "'rm' x") }, func() { t.Pause(time.Millisecond); shell(t, "per_b", "echo 1") })
		}, nil, []string{"once per_b", "note", "reject+ per_a"}, []string{"per_b"}, []string{"per_a decline mode", "per_b accept person"}, []string{"echo 1"}, rm, "shell: 'rm' x"},
		{"asked while the stream was away", func(t *livetest.Turn) {
			t.Pause(time.Minute)
			shell(t, "per_a", "'rm' x")
		}, func(s *livetest.Server) {
			time.AfterFunc(59*time.Second, func() { s.DropStreams(true) })
			time.AfterFunc(70*time.Second, func() { s.DropStreams(false) })
		}, []string{"note", "reject+ per_a"}, nil, []string{"per_a decline mode"}, nil, rm, "shell: 'rm' x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, c.agent, func(t *testing.T, s *livetest.Server) {
				if c.befall != nil {
					c.befall(s)
				}
				p := &person{answers: map[string]broker.Answer{"per_b": decide(broker.Accept)}}
				d := must(t, s, live.Options{Compile: of(t, strictly, supervised)})
				if out := run(t, d, p); out.End != broker.Ended {
					t.Error(out)
				}
				if d := cmp.Diff(append([]string{"create", "prompt"}, c.told...), s.Told()); d != "" {
					t.Errorf("told: %s", d)
				}
				if d := cmp.Diff(c.asked, p.asked()); d != "" {
					t.Errorf("a person was asked: %s", d)
				}
				if d := cmp.Diff(c.closed, p.closed()); d != "" {
					t.Errorf("closed: %s", d)
				}
				if d := cmp.Diff(c.ran, s.Ran(), cmpopts.EquateEmpty()); d != "" {
					t.Errorf("ran: %s", d)
				}
				if why := p.why("per_a"); !byRule(why, c.rule) {
					t.Errorf("on record: %q", why)
				}
				want := "A policy denies this (" + c.title + "), by its rule for " + c.rule + ". Don't try it again or reach the same by other means; go on without it, or say what you would need."
				if got := noted(s); got != want {
					t.Errorf("the model reads %q, want %q", got, want)
				}
			})
		})
	}
}

// noted is the note that the model was given first.
func noted(s *livetest.Server) string {
	for _, op := range s.Calls() {
		if op.Name == "session.synthetic" {
			return strings.ReplaceAll(strings.Trim(string(op.Input["text"]), `"`), `\"`, `"`)
		}
	}
	return ""
}

// TestDeclinesTogether declines two requests of a message: OpenCode takes the
// second with the first, and both are on record as the policy's.
func TestDeclinesTogether(t *testing.T) {
	bubble(t, func(t *livetest.Turn) {
		t.Parallel(func() { shell(t, "per_a", "'rm' x") }, func() { t.Pause(time.Millisecond); shell(t, "per_b", "rm y") })
	}, func(t *testing.T, s *livetest.Server) {
		p := &person{}
		run(t, must(t, s, live.Options{Compile: of(t, strictly, supervised)}), p)
		if d := cmp.Diff([]string{"per_a decline mode", "per_b decline mode"}, p.closed()); d != "" {
			t.Error(d)
		}
		if why := p.why("per_b"); !strings.Contains(why, `command "rm *"; OpenCode rejected it with another`) {
			t.Errorf("on record: %q", why)
		}
		if len(s.Ran()) > 0 || len(p.asked()) > 0 {
			t.Errorf("ran %v, asked %v", s.Ran(), p.asked())
		}
	})
}

// TestDeclinesFollowTheRules declines by the rules that the session was given last,
// also while it runs: of what comes then, and of what waits already, where a late
// answer finds nothing.
func TestDeclinesFollowTheRules(t *testing.T) {
	for _, c := range []struct {
		before, after string
		closed        []string
		asked         []string
	}{
		{lax, strictly, []string{"per_a decline mode", "per_b decline mode", "per_c accept person"}, []string{"per_a", "per_c"}},
		{lax, lax, []string{"per_a accept person", "per_b accept person", "per_c accept person"}, []string{"per_a", "per_b", "per_c"}},
	} {
		bubble(t, commands("'rm' x", "'rm' y", "echo 1"), func(t *testing.T, s *livetest.Server) {
			p := &person{answers: map[string]broker.Answer{"per_b": decide(broker.Accept), "per_c": decide(broker.Accept)}}
			d := must(t, s, live.Options{Compile: of(t, c.before, supervised)})
			p.opened = func(q broker.Request) {
				if q.ID != "per_a" {
					return
				}
				go func() {
					if _, err := d.Switch(t.Context(), supervised, of(t, c.after, supervised)); err != nil {
						t.Error(err)
					}
					if err := d.Answer(q, decide(broker.Accept)); err != nil {
						t.Error(err)
					}
				}()
			}
			if out := run(t, d, p); out.End != broker.Ended {
				t.Error(out)
			}
			if d := cmp.Diff(c.closed, p.closed()); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.asked, p.asked()); d != "" {
				t.Errorf("a person was asked: %s", d)
			}
			if ran := slices.Contains(s.Ran(), "'rm' x"); ran != (c.after == lax) {
				t.Errorf("ran %v", s.Ran())
			}
		})
	}
}

// TestDeclinesBeforeGrants has no grant undo what the policy denies, of the session
// and of a subagent.
func TestDeclinesBeforeGrants(t *testing.T) {
	bubble(t, func(t *livetest.Turn) {
		shell(t, "per_a", "echo 1")
		t.Child(true, func(t *livetest.Turn) { shell(t, "per_b", "echo keys") })
		shell(t, "per_c", "echo keys")
	}, func(t *testing.T, s *livetest.Server) {
		p := &person{answers: map[string]broker.Answer{"per_a": decide(broker.AcceptForSession)}}
		text := strings.ReplaceAll(strictly, "rm *", "echo keys *")
		if out := run(t, must(t, s, live.Options{Compile: of(t, text, supervised)}), p); out.End != broker.Ended {
			t.Error(out)
		}
		if d := cmp.Diff([]string{"per_a acceptForSession person", "per_b decline mode", "per_c decline mode"}, p.closed()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"echo 1"}, s.Ran()); d != "" {
			t.Error(d)
		}
	})
}
