package live_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// someone is a person who answers by a table and remembers everything.
type someone struct {
	d       *live.Driver
	answers map[string]broker.Answer // by request id; without one nothing is answered
	opened  func(id string)

	mu     sync.Mutex
	shown  []string
	closed []string // "per_1 accept person"
	notes  []string
	titles map[string]broker.Request
}

func (s *someone) Opened(r broker.Request) {
	s.mu.Lock()
	s.shown = append(s.shown, r.ID)
	if s.titles == nil {
		s.titles = map[string]broker.Request{}
	}
	s.titles[r.ID] = r
	s.mu.Unlock()
	if a, ok := s.answers[r.ID]; ok {
		if err := s.d.Answer(r, a); err != nil {
			panic(err)
		}
	}
	if s.opened != nil {
		s.opened(r.ID)
	}
}

func (s *someone) Closed(c broker.Closing) {
	decision := string(c.Decision)
	if c.By == broker.ByOther {
		decision = "" // known only when the event is faster than the 404
	}
	s.closed = append(s.closed, strings.Join(strings.Fields(c.Request.ID+" "+decision+" "+string(c.By)), " "))
}

// sorted is how requests were closed, by their ids: the next one may be asked
// before the answer to the last is known to be delivered.
func (s *someone) sorted() []string {
	slices.Sort(s.closed)
	return s.closed
}

func (s *someone) Saw(v broker.Sight) {
	if v.Kind == broker.SawNote {
		s.notes = append(s.notes, v.Text)
	}
}

var (
	asks     = livetest.Asks
	shellAsk = livetest.ShellAsk
	in       = livetest.In
)

func decide(d broker.Decision) broker.Answer { return broker.Answer{Decision: d} }

// strictly denies one command on top of the built-in policy.
const strictly = `
apiVersion: modegate/v1
name: strictly
extends: builtin/t3code
rules:
  - {id: no-rm, kind: command, match: rm *, effect: deny}
acknowledge:
  - {gap: opencode.command.no-rm, reason: "in full access a quoted name runs, which the rule doesn't match"}
`

// drive opens a session of a cell on the fake and runs one prompt.
func drive(t *testing.T, ctx context.Context, f *livetest.Fake, mode evaluator.Mode, o live.DriverOptions, p *someone) broker.Outcome {
	t.Helper()
	o.Cell = evaluator.Cell{Provider: evaluator.OpenCode, Mode: mode, Interaction: evaluator.Default}
	d, err := open(t, f, o)
	if err != nil {
		t.Fatal(err)
	}
	p.d = d
	return d.Run(ctx, "go", p)
}

func open(t *testing.T, f *livetest.Fake, o live.DriverOptions) (*live.Driver, error) {
	t.Helper()
	policy, err := policies.Parse(policies.File{Name: "strictly.yaml", Data: []byte(strictly)})
	if err != nil {
		t.Fatal(err)
	}
	if o.Cell.Provider == "" {
		o.Cell = evaluator.Cell{Provider: evaluator.OpenCode, Mode: evaluator.ApprovalRequired, Interaction: evaluator.Default}
	}
	o.Translator = opencode.Boundary()
	o.Compile = func(env evaluator.Env) (*compiler.Compiled, error) {
		return compiler.Compile(policy, opencode.New(), o.Cell, compiler.Options{Env: env})
	}
	if o.Times.Again == 0 {
		o.Times = live.Times{Reply: 5 * time.Second, Stop: 10 * time.Second, Lost: 30 * time.Second, Again: 20 * time.Millisecond, Gather: 50 * time.Millisecond}
	}
	d, err := live.Open(t.Context(), live.NewClient(f.URL(), "", "/w"), o)
	if err != nil {
		return nil, err
	}
	_, err = broker.Sync(t.Context(), d, o.Compile)
	return d, err
}

// TestDecisions runs one thing after the other under every decision, and holds
// what the server was told: "always" never.
func TestDecisions(t *testing.T) {
	unknown := map[string]any{"id": "per_1", "sessionID": "ses_1", "permission": "my_tool", "patterns": []string{"*"}, "always": []string{"*"}, "metadata": map[string]any{}}
	broken := map[string]any{"id": "per_1", "sessionID": "ses_1", "permission": "bash", "patterns": 7, "always": "x"}
	loop := map[string]any{"id": "per_1", "sessionID": "ses_1", "permission": "doom_loop", "patterns": []string{"bash"}, "always": []string{"bash"}}
	again := maps.Clone(loop)
	again["id"] = "per_2"
	question := map[string]any{"id": "que_1", "sessionID": "ses_1", "questions": []any{map[string]any{"question": "Which?", "header": "H", "options": []any{map[string]any{"label": "A"}}}}}
	session := decide(broker.AcceptForSession)
	for _, c := range []struct {
		name    string
		mode    evaluator.Mode
		agent   func(*livetest.Fake) string
		answers map[string]broker.Answer
		end     broker.End
		log     []string // after create and prompt
		closed  []string
	}{
		{"accept", "", asks(shellAsk("per_1", "ls")), map[string]broker.Answer{"per_1": decide(broker.Accept)}, broker.Ended,
			[]string{"once per_1"}, []string{"per_1 accept person"}},
		{"decline goes on", "", asks(shellAsk("per_1", "ls"), shellAsk("per_2", "date")), map[string]broker.Answer{"per_1": decide(broker.Decline), "per_2": decide(broker.Accept)}, broker.Ended,
			[]string{"reject per_1", "once per_2"}, []string{"per_1 decline person", "per_2 accept person"}},
		{"cancel ends", "", asks(shellAsk("per_1", "ls"), shellAsk("per_2", "date")), map[string]broker.Answer{"per_1": decide(broker.Cancel)}, broker.Cancelled,
			[]string{"reject per_1", "abort ses_1"}, []string{"per_1 cancel person"}},
		{"a grant answers what is like it", "", asks(shellAsk("per_1", "ls a"), shellAsk("per_2", "ls b"), shellAsk("per_3", "date")), map[string]broker.Answer{"per_1": session, "per_3": decide(broker.Accept)}, broker.Ended,
			[]string{"once per_1", "once per_2", "once per_3"}, []string{"per_1 acceptForSession person", "per_2 accept grant", "per_3 accept person"}},
		{"what the policy denies is declined, however it is spelled", "", asks(shellAsk("per_1", "rm a"), shellAsk("per_2", "'rm' b")), nil, broker.Ended,
			[]string{"reject per_1", "reject per_2"}, []string{"per_1 decline mode", "per_2 decline mode"}},
		{"an unknown permission", "", asks(unknown), map[string]broker.Answer{"per_1": decide(broker.Accept)}, broker.Ended,
			[]string{"once per_1"}, []string{"per_1 accept person"}},
		{"a request that can't be read", "", asks(broken), map[string]broker.Answer{"per_1": decide(broker.Accept)}, broker.Ended,
			[]string{"once per_1"}, []string{"per_1 accept person"}},
		{"doom_loop in full access", evaluator.FullAccess, asks(loop), nil, broker.Ended,
			[]string{"once per_1"}, []string{"per_1 accept mode"}},
		{"doom_loop in Supervised", "", asks(loop), map[string]broker.Answer{"per_1": decide(broker.Accept)}, broker.Ended,
			[]string{"once per_1"}, []string{"per_1 accept person"}},
		{"doom_loop granted in Supervised", "", asks(loop, again), map[string]broker.Answer{"per_1": session}, broker.Ended,
			[]string{"once per_1", "once per_2"}, []string{"per_1 acceptForSession person", "per_2 accept grant"}},
		{"a question", "", asks(question), map[string]broker.Answer{"que_1": {Answers: map[string][]string{"question-0": {"A"}}}}, broker.Ended,
			[]string{"reply que_1"}, []string{"que_1 person"}},
		{"a question that is dismissed", "", asks(question), map[string]broker.Answer{"que_1": decide(broker.Cancel)}, broker.Cancelled,
			[]string{"reject que_1", "abort ses_1"}, []string{"que_1 cancel person"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := livetest.NewFake(t)
			f.Agent = c.agent
			if c.mode == "" {
				c.mode = evaluator.ApprovalRequired
			}
			p := &someone{answers: c.answers}
			out := drive(t, t.Context(), f, c.mode, live.DriverOptions{}, p)
			if out.End != c.end {
				t.Errorf("ended %s (%s), want %s", out.End, out.Reason, c.end)
			}
			if d := cmp.Diff(append([]string{"create", "prompt"}, c.log...), f.Log()); d != "" {
				t.Errorf("the server was told: %s", d)
			}
			if d := cmp.Diff(c.closed, p.sorted()); d != "" {
				t.Errorf("closed: %s", d)
			}
		})
	}
}

// TestGrantsBecomeRules shows that the next Sync sends a grant as a rule, behind
// which the policy's deny comes again.
func TestGrantsBecomeRules(t *testing.T) {
	f := livetest.NewFake(t)
	f.Agent = asks(shellAsk("per_1", "ls a"))
	p := &someone{answers: map[string]broker.Answer{"per_1": decide(broker.AcceptForSession)}}
	if out := drive(t, t.Context(), f, evaluator.ApprovalRequired, live.DriverOptions{}, p); out.End != broker.Ended {
		t.Fatal(out)
	}
	env, err := p.d.Env(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]evaluator.Grant{{Action: "bash", Resource: "ls *"}}, env.Grants); d != "" {
		t.Fatal(d)
	}
	before := len(f.Rules("ses_1"))
	policy, _ := policies.Parse(policies.File{Name: "strictly.yaml", Data: []byte(strictly)})
	cell := evaluator.Cell{Provider: evaluator.OpenCode, Mode: evaluator.ApprovalRequired, Interaction: evaluator.Default}
	compile := func(env evaluator.Env) (*compiler.Compiled, error) {
		return compiler.Compile(policy, opencode.New(), cell, compiler.Options{Env: env})
	}
	if _, err := broker.Sync(t.Context(), p.d, compile); err != nil {
		t.Fatal(err)
	}
	added := f.Rules("ses_1")[before:]
	grant := slices.Index(added, live.Rule{Permission: "bash", Pattern: "ls *", Action: "allow"})
	deny := slices.Index(added[max(grant, 0):], live.Rule{Permission: "bash", Pattern: "rm *", Action: "deny"})
	if grant < 0 || deny < 0 {
		t.Errorf("added %v", added)
	}
}

// TestPrompt holds what a prompt names: the model only when one was chosen, the
// agent always, so that a session doesn't keep the one of its last prompt.
func TestPrompt(t *testing.T) {
	plan := evaluator.Cell{Provider: evaluator.OpenCode, Mode: evaluator.ApprovalRequired, Interaction: evaluator.Plan}
	for _, c := range []struct {
		o    live.DriverOptions
		want string
	}{
		{live.DriverOptions{}, `{"agent":"build","parts":[{"text":"go","type":"text"}]}`},
		{live.DriverOptions{Cell: plan}, `{"agent":"plan","parts":[{"text":"go","type":"text"}]}`},
		{live.DriverOptions{Cell: plan, Agent: "build"}, `{"agent":"build","parts":[{"text":"go","type":"text"}]}`},
		{live.DriverOptions{ProviderID: "p", ModelID: "m/n"}, `{"agent":"build","model":{"modelID":"m/n","providerID":"p"},"parts":[{"text":"go","type":"text"}]}`},
	} {
		t.Run(c.want, func(t *testing.T) {
			f := livetest.NewFake(t)
			f.Agent = asks()
			d, err := open(t, f, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if out := d.Run(t.Context(), "go", &someone{d: d}); out.End != broker.Ended {
				t.Error(out)
			}
			if d := cmp.Diff(c.want, f.Prompted()); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestApply continues sessions: only what differs is sent, and what isn't in
// force afterwards is an error.
func TestApply(t *testing.T) {
	f := livetest.NewFake(t)
	if _, err := open(t, f, live.DriverOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, f, live.DriverOptions{Session: "ses_1"}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"create"}, f.Log()); d != "" {
		t.Errorf("equal rules were sent again: %s", d)
	}
	full := evaluator.Cell{Provider: evaluator.OpenCode, Mode: evaluator.FullAccess, Interaction: evaluator.Default}
	if _, err := open(t, f, live.DriverOptions{Session: "ses_1", Cell: full}); err != nil {
		t.Fatal(err)
	}
	f.Stick()
	var not *broker.NotEnforced
	if _, err := open(t, f, live.DriverOptions{Session: "ses_1"}); !errors.As(err, &not) {
		t.Errorf("a list that the server didn't take: %v", err)
	}
	if d := cmp.Diff([]string{"create", "message map[modegate:true]", "patch", "patch"}, f.Log()); d != "" {
		t.Error(d)
	}
	f.SetStatus(live.StatusBusy)
	if _, err := open(t, f, live.DriverOptions{Session: "ses_1"}); !errors.Is(err, live.ErrBusy) {
		t.Errorf("a busy session: %v", err)
	}
	if _, err := open(t, f, live.DriverOptions{Session: "ses_9"}); !live.IsNotFound(err) {
		t.Errorf("an unknown session: %v", err)
	}
}
