package live_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// reader is a person who also remembers why requests were closed.
type reader struct {
	someone
	why map[string]string
}

func (r *reader) Closed(c broker.Closing) {
	if r.why == nil {
		r.why = map[string]string{}
	}
	r.why[c.Request.ID] = c.Reason
	r.someone.Closed(c)
}

// declined is how the record says that we declined by the rule of strictly.
func declined(reason string) bool {
	return strings.HasPrefix(reason, "the policy denies it: rule ") && strings.HasSuffix(reason, ` of the session, command "rm *"`)
}

// TestDeclines has what the policy denies and OpenCode asks about declined without
// a person: of the session, of its subagents, beside what a person answers, and
// after the stream was away. The model is told by which rule.
func TestDeclines(t *testing.T) {
	quoted := func(id string) map[string]any { return shellAsk(id, "'rm' x") }
	for _, c := range []struct {
		name   string
		mode   evaluator.Mode
		agent  func(*livetest.Fake)
		log    []string
		shown  []string
		closed []string
		ran    []string
	}{
		{"of the session", evaluator.ApprovalRequired, func(f *livetest.Fake) {
			f.Put(true, quoted("per_1"))
			f.Await("per_1")
			f.Put(true, shellAsk("per_2", "ls"))
			f.Await("per_2")
		}, []string{"reject per_1", "once per_2"}, []string{"per_2"}, []string{"per_1 decline mode", "per_2 accept person"}, []string{"per_2"}},
		{"of a subagent", evaluator.ApprovalRequired, func(f *livetest.Fake) {
			child(f, true)
			f.Put(true, in("ses_2", quoted("per_1")))
			f.Await("per_1")
		}, []string{"reject per_1"}, nil, []string{"per_1 decline mode"}, nil},
		{"of a subagent that no event told of, in full access", evaluator.FullAccess, func(f *livetest.Fake) {
			child(f, false)
			f.Put(true, in("ses_2", quoted("per_1")))
			f.Await("per_1")
		}, []string{"reject per_1"}, nil, []string{"per_1 decline mode"}, nil},
		{"not of another's session", evaluator.ApprovalRequired, func(f *livetest.Fake) {
			child(f, false)
			f.Put(true, in("ses_7", quoted("per_7")), quoted("per_1"))
			f.Await("per_1")
			f.Settle("per_7", live.Reply{Reply: live.ReplyOnce})
		}, []string{"reject per_1"}, nil, []string{"per_1 decline mode"}, []string{"per_7"}},
		{"beside what a person answers", evaluator.ApprovalRequired, func(f *livetest.Fake) {
			f.Put(true, quoted("per_1"), shellAsk("per_2", "ls"))
			f.Await("per_1")
			f.Await("per_2")
		}, []string{"once per_2", "reject per_1"}, []string{"per_2"}, []string{"per_1 decline mode", "per_2 accept person"}, []string{"per_2"}},
		{"asked while the stream was away", evaluator.ApprovalRequired, func(f *livetest.Fake) {
			f.Deafen(true)
			f.Cut()
			f.Put(false, quoted("per_1"))
			f.Deafen(false)
			f.Await("per_1")
		}, []string{"reject per_1"}, nil, []string{"per_1 decline mode"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := livetest.NewFake(t)
			message := ""
			f.Agent = func(f *livetest.Fake) string {
				c.agent(f)
				message = f.Await("per_1").Message
				return "stop"
			}
			p := &reader{someone: someone{answers: map[string]broker.Answer{"per_1": decide(broker.Accept), "per_2": decide(broker.Accept)}}}
			d, err := open(t, f, live.DriverOptions{Cell: cell(c.mode)})
			if err != nil {
				t.Fatal(err)
			}
			p.d = d
			if out := d.Run(t.Context(), "go", p); out.End != broker.Ended {
				t.Error(out)
			}
			if d := cmp.Diff(append([]string{"create", "prompt"}, c.log...), f.Log()); d != "" {
				t.Errorf("the server was told: %s", d)
			}
			if d := cmp.Diff(c.shown, p.shown); d != "" {
				t.Errorf("a person was asked: %s", d)
			}
			if d := cmp.Diff(c.closed, p.sorted()); d != "" {
				t.Errorf("closed: %s", d)
			}
			if d := cmp.Diff(c.ran, f.Ran(), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("ran: %s", d)
			}
			if why := p.why["per_1"]; !declined(why) {
				t.Errorf("on record: %q", why)
			}
			if want := `A policy denies this (bash: 'rm' x), by its rule for command "rm *". Don't try it again or reach the same by other means; go on without it, or say what you would need.`; message != want {
				t.Errorf("the model reads %q, want %q", message, want)
			}
		})
	}
}

// TestDeclinesTogether declines two requests of a message: OpenCode takes one with
// the other, and both are on record as the policy's.
func TestDeclinesTogether(t *testing.T) {
	f := livetest.NewFake(t)
	f.Agent = func(f *livetest.Fake) string {
		f.Put(true, shellAsk("per_1", "'rm' x"), shellAsk("per_2", "rm y"))
		f.Await("per_1")
		f.Await("per_2")
		return "tool-calls"
	}
	p := &reader{someone: someone{answers: map[string]broker.Answer{"per_1": decide(broker.Accept), "per_2": decide(broker.Accept)}}}
	d, err := open(t, f, live.DriverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.d = d
	d.Run(t.Context(), "go", p)
	if d := cmp.Diff([]string{"per_1 decline mode", "per_2 decline mode"}, p.sorted()); d != "" {
		t.Error(d)
	}
	if why := p.why["per_1"] + p.why["per_2"]; strings.Count(why, `command "rm *"`) != 2 || strings.Count(why, "OpenCode rejected it with another") != 1 {
		t.Errorf("on record: %q", p.why)
	}
	if len(f.Ran())+len(p.shown) > 0 {
		t.Errorf("ran %v, asked %v", f.Ran(), p.shown)
	}
}

func cell(mode evaluator.Mode) evaluator.Cell {
	return evaluator.Cell{Provider: evaluator.OpenCode, Mode: mode, Interaction: evaluator.Default}
}

// compiling compiles Supervised of a policy's text.
func compiling(t *testing.T, text string) broker.Compile {
	t.Helper()
	policy, err := policies.Parse(policies.File{Name: "policy.yaml", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return func(env evaluator.Env) (*compiler.Compiled, error) {
		return compiler.Compile(policy, opencode.New(), cell(evaluator.ApprovalRequired), compiler.Options{Env: env})
	}
}

// lax denies nothing on top of the built-in policy.
const lax = "apiVersion: modegate/v1\nname: lax\nextends: builtin/t3code\n"

// TestDeclinesFollowTheRules declines by the rules that the session was given last,
// and by no earlier ones, whatever else stands in its list.
func TestDeclinesFollowTheRules(t *testing.T) {
	f := livetest.NewFake(t)
	d, err := open(t, f, live.DriverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct{ policy, closed string }{
		{strictly, "decline mode"}, {lax, "accept person"}, {strictly, "decline mode"}, {strings.ReplaceAll(strictly, "rm *", "mv *"), "accept person"},
	} {
		if _, err := broker.Sync(t.Context(), d, compiling(t, c.policy)); err != nil {
			t.Fatal(err)
		}
		id := "per_" + string(rune('1'+i))
		f.Agent = asks(shellAsk(id, "'rm' x"))
		p := &someone{d: d, answers: map[string]broker.Answer{id: decide(broker.Accept)}}
		if out := d.Run(t.Context(), "go", p); out.End != broker.Ended {
			t.Error(out)
		}
		if d := cmp.Diff([]string{id + " " + c.closed}, p.closed); d != "" {
			t.Errorf("step %d: %s", i, d)
		}
	}
}

// TestDeclinesWhatWaits changes the rules while a person is asked: what they have us
// decline is declined there and then, the rest goes on waiting, and a late answer
// finds nothing. That it was we who changed them ends no run.
func TestDeclinesWhatWaits(t *testing.T) {
	f := livetest.NewFake(t)
	f.Agent = func(f *livetest.Fake) string {
		f.Put(true, shellAsk("per_1", "'rm' x"))
		f.Await("per_1")
		f.Put(true, shellAsk("per_2", "ls"))
		f.Await("per_2")
		return "stop"
	}
	d, err := open(t, f, live.DriverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broker.Sync(t.Context(), d, compiling(t, lax)); err != nil {
		t.Fatal(err)
	}
	p := &reader{someone: someone{d: d, answers: map[string]broker.Answer{"per_2": decide(broker.Accept)}}}
	p.opened = func(id string) {
		if id != "per_1" {
			return
		}
		f.Go(func() {
			if _, err := broker.Sync(t.Context(), d, compiling(t, strictly)); err != nil {
				t.Error(err)
			}
			if err := d.Answer(p.titles[id], decide(broker.Accept)); err != nil {
				t.Error(err)
			}
		})
	}
	if out := d.Run(t.Context(), "go", p); out.End != broker.Ended {
		t.Error(out)
	}
	if d := cmp.Diff([]string{"per_1 decline mode", "per_2 accept person"}, p.sorted()); d != "" || !declined(p.why["per_1"]) {
		t.Error(d, p.why)
	}
	if slices.Contains(f.Ran(), "per_1") {
		t.Error("it ran")
	}
}
