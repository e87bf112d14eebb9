package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/scripted"
	"github.com/modegate/modegate/policies"
)

const driverPassword = "driver-live-test"

// real is a person at a real server, who answers what is asked in order.
type real struct {
	t       *testing.T
	h       *livetest.Harness
	ws      string
	url     string // where the driver goes; the server itself, or a proxy
	lost    time.Duration
	d       *live.Driver
	policy  string // its text; "" is the built-in one
	compile broker.Compile
	answers []broker.Answer
	opened  func(broker.Request)
	saw     func(broker.Sight)
	closed  []string // "bash: touch a accept person"
	reasons []string
	notes   []string
}

func (p *real) Opened(r broker.Request) {
	if p.opened != nil {
		p.opened(r)
	}
	if len(p.answers) > 0 {
		a := p.answers[0]
		p.answers = p.answers[1:]
		if err := p.d.Answer(r, a); err != nil {
			p.t.Error(err)
		}
	}
}

func (p *real) Closed(c broker.Closing) {
	p.reasons = append(p.reasons, c.Reason)
	p.closed = append(p.closed, strings.Join(strings.Fields(c.Request.Title+" "+string(c.Decision)+" "+string(c.By)), " "))
}

func (p *real) Saw(s broker.Sight) {
	if p.saw != nil {
		p.saw(s)
	}
	if s.Kind == broker.SawNote {
		p.notes = append(p.notes, s.Text)
	}
}

// open opens a session under a mode of the policy, and applies its rules.
func (p *real) open(session string, mode evaluator.Mode) {
	p.t.Helper()
	policy, err := policies.Load("builtin/t3code")
	if p.policy != "" {
		policy, err = policies.Parse(policies.File{Name: "policy.yaml", Data: []byte(p.policy)})
	}
	if err != nil {
		p.t.Fatal(err)
	}
	cell := evaluator.Cell{Provider: evaluator.OpenCode, Mode: mode, Interaction: evaluator.Default}
	p.compile = func(env evaluator.Env) (*compiler.Compiled, error) {
		return compiler.Compile(policy, opencode.New(), cell, compiler.Options{Env: env})
	}
	o := live.DriverOptions{Session: session, Cell: cell, Translator: opencode.Boundary(), Compile: p.compile, Times: live.Times{Lost: p.lost}}
	if p.url == "" {
		p.url = p.h.Server.BaseURL()
	}
	if p.d, err = live.Open(p.t.Context(), live.NewClient(p.url, driverPassword, p.ws), o); err != nil {
		p.t.Fatal(err)
	}
	if _, err := broker.Sync(p.t.Context(), p.d, p.compile); err != nil {
		p.t.Fatal(err)
	}
}

// run runs a script, and returns how its run ended.
func (p *real) run(ctx context.Context, calls ...scripted.Call) broker.Outcome {
	p.t.Helper()
	var script scripted.Script
	for _, c := range calls {
		script = append(script, scripted.Step{Calls: []scripted.Call{c}})
	}
	text, err := script.Prompt()
	if err != nil {
		p.t.Fatal(err)
	}
	return p.d.Run(ctx, text, p)
}

func (p *real) there(name string) bool { return exists(filepath.Join(p.ws, name)) }

func (p *real) client() *live.Client { return p.h.Server.Client(p.ws) }

// follow has the events of the folder until the test ends, past any proxy.
func (p *real) follow(event func(live.Event)) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(p.t.Context()))
	connected, over := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(over)
		_ = p.client().Events(ctx, live.Hooks{Event: event, Connected: func(context.Context, bool) {
			select {
			case connected <- struct{}{}:
			default:
			}
		}})
	}()
	p.t.Cleanup(func() { cancel(); <-over })
	<-connected
}

// nothingWaits holds that no request was left behind.
func (p *real) nothingWaits() {
	p.t.Helper()
	permissions, err1 := p.client().PendingPermissions(p.t.Context())
	questions, err2 := p.client().PendingQuestions(p.t.Context())
	if err := errors.Join(err1, err2); err != nil || len(permissions)+len(questions) > 0 {
		p.t.Errorf("left waiting: %v %v %v", permissions, questions, err)
	}
}

func touch(name string) scripted.Call { return bash("touch " + name)[0].Calls[0] }

func numbered(calls ...scripted.Call) []scripted.Call {
	for i := range calls {
		calls[i].ID = "call" + string(rune('a'+i))
	}
	return calls
}

func subagent(t *testing.T, calls ...scripted.Call) scripted.Call {
	t.Helper()
	var script scripted.Script
	for _, c := range calls {
		script = append(script, scripted.Step{Calls: []scripted.Call{c}})
	}
	text, err := script.Prompt()
	if err != nil {
		t.Fatal(err)
	}
	return scripted.Call{Tool: "task", Args: args{"description": "d", "prompt": text, "subagent_type": "general"}}
}

// TestDriverLive holds what the fake server is said to do against the real one.
func TestDriverLive(t *testing.T) {
	h := livetest.Start(t, livetest.Options{Password: driverPassword})
	ws := livetest.Workspace(t, h.Root)
	begin := func(t *testing.T) *real {
		for _, f := range []string{"a", "b", "c"} {
			remove(t, filepath.Join(ws, f))
		}
		return &real{t: t, h: h, ws: ws}
	}
	accept, session := decide(broker.Accept), decide(broker.AcceptForSession)

	t.Run("equal rules aren't sent again, others shadow them", func(t *testing.T) {
		p := begin(t)
		p.open("", evaluator.ApprovalRequired)
		first, err := p.client().Session(t.Context(), p.d.ID())
		if err != nil {
			t.Fatal(err)
		}
		p.open(first.ID, evaluator.ApprovalRequired)
		p.answers = []broker.Answer{decide(broker.Decline)}
		if out := p.run(t.Context(), touch("a")); out.End != broker.Ended || len(p.closed) != 1 || p.there("a") {
			t.Error(out, p.closed)
		}
		second, err := p.client().Session(t.Context(), first.ID)
		if d := cmp.Diff(first.Permission, second.Permission); d != "" || err != nil {
			t.Error(d, err)
		}
		p.open(first.ID, evaluator.FullAccess)
		if out := p.run(t.Context(), touch("a")); out.End != broker.Ended || len(p.closed) != 1 || !p.there("a") {
			t.Error(out, p.closed)
		}
		p.open(first.ID, evaluator.ApprovalRequired)
		p.answers = []broker.Answer{accept}
		if out := p.run(t.Context(), touch("b")); out.End != broker.Ended || len(p.closed) != 2 || !p.there("b") {
			t.Error(out, p.closed)
		}
	})
	t.Run("a grant answers until the next prompt has it as a rule", func(t *testing.T) {
		p := begin(t)
		p.open("", evaluator.ApprovalRequired)
		p.answers = []broker.Answer{session}
		out := p.run(t.Context(), numbered(touch("a"), touch("b"))...)
		if d := cmp.Diff([]string{"bash: touch a acceptForSession person", "bash: touch b accept grant"}, p.closed); d != "" || out.End != broker.Ended {
			t.Error(d, out)
		}
		p.closed = nil
		if _, err := broker.Sync(t.Context(), p.d, p.compile); err != nil {
			t.Fatal(err)
		}
		if out := p.run(t.Context(), touch("c")); out.End != broker.Ended || len(p.closed) > 0 || !p.there("c") {
			t.Error(out, p.closed)
		}
		other := begin(t) // another session of the folder isn't granted anything
		other.open("", evaluator.ApprovalRequired)
		other.answers = []broker.Answer{decide(broker.Cancel)}
		if out := other.run(t.Context(), touch("a")); out.End != broker.Cancelled || other.there("a") {
			t.Error(out, other.closed)
		}
	})
	t.Run("leaving plan gives subagents back what plan denied", func(t *testing.T) {
		p := begin(t)
		s, err := p.client().CreateSession(t.Context(), live.NewSession{Permission: []live.Rule{rule("*", "*", "allow"), rule("edit", "*", "deny")}})
		if err != nil {
			t.Fatal(err)
		}
		write := scripted.Call{Tool: "write", Args: args{"filePath": filepath.Join(ws, "a"), "content": "x"}}
		p.open(s.ID, evaluator.FullAccess)
		if out := p.run(t.Context(), subagent(t, write)); out.End != broker.Ended || !p.there("a") {
			t.Errorf("%v, written: %v", out, p.there("a"))
		}
		if got := childRules(t, p, s.ID); len(got) != 1 || got[0] != rule("task", "*", "deny") {
			t.Errorf("the subagent inherits %v", got)
		}
		messages, err := p.client().Messages(t.Context(), s.ID)
		if err != nil || len(messages[0].Parts) > 0 || messages[0].Info.Role != "user" {
			t.Errorf("the reset's message: %+v, %v", messages[0], err)
		}
		for _, q := range h.Model.Requests() {
			for _, m := range q.Messages {
				if b, _ := json.Marshal(m); m.Role == "user" && strings.Contains(string(b), `"content":""`) {
					t.Errorf("the model was shown the reset's message: %s", b)
				}
			}
		}
	})
	t.Run("a subagent asks under its own id, is refused, and the run goes on", func(t *testing.T) {
		p := begin(t)
		p.open("", evaluator.FullAccess)
		p.answers = []broker.Answer{decide(broker.Decline)}
		read := scripted.Call{Tool: "read", Args: args{"filePath": "/etc/hostname"}}
		asker := ""
		p.opened = func(r broker.Request) { asker = r.Session }
		out := p.run(t.Context(), numbered(subagent(t, read), touch("a"))...)
		if out.End != broker.Ended || len(p.closed) != 1 || asker == p.d.ID() || !p.there("a") {
			t.Error(out, p.closed, asker)
		}
	})
	t.Run("a stop rejects what waits, and no later answer finds it", func(t *testing.T) {
		p := begin(t)
		p.open("", evaluator.ApprovalRequired)
		ctx, stop := context.WithCancelCause(t.Context())
		defer stop(nil)
		id := ""
		p.opened = func(r broker.Request) { id = r.ID; stop(errors.New("left")) }
		if out := p.run(ctx, touch("a")); out.End != broker.Cancelled {
			t.Error(out)
		}
		if err := p.client().ReplyPermission(t.Context(), id, live.Reply{Reply: live.ReplyOnce}); !live.IsNotFound(err) {
			t.Errorf("a late answer: %v", err)
		}
		if p.there("a") {
			t.Error("it ran")
		}
	})
	t.Run("a question is answered, another dismissed", func(t *testing.T) {
		p := begin(t)
		p.open("", evaluator.ApprovalRequired)
		ask := scripted.Call{Tool: "question", Args: args{"questions": []any{args{"question": "Which?", "header": "H", "options": []any{args{"label": "A", "description": "a"}}}}}}
		p.answers = []broker.Answer{{Answers: map[string][]string{"question-0": {"A"}}}, decide(broker.Cancel)}
		out := p.run(t.Context(), numbered(ask, ask, touch("a"))...)
		if d := cmp.Diff([]string{"Which? person", "Which? cancel person"}, p.closed); d != "" || out.End != broker.Cancelled || p.there("a") {
			t.Error(d, out)
		}
	})
	t.Run("rules that another client replaces end the run", func(t *testing.T) {
		p := begin(t)
		p.open("", evaluator.ApprovalRequired)
		p.opened = func(broker.Request) {
			if err := p.client().ResetRules(t.Context(), p.d.ID(), live.Prompt{}); err != nil {
				t.Error(err)
			}
		}
		out := p.run(t.Context(), touch("a"))
		if out.End != broker.Failed || !strings.Contains(out.Reason, "another client changed them") || p.there("a") {
			t.Error(out, p.closed)
		}
	})
	t.Run("another client's always is noted", func(t *testing.T) {
		p := begin(t)
		p.open("", evaluator.ApprovalRequired)
		p.opened = func(r broker.Request) {
			if err := p.client().ReplyPermission(t.Context(), r.ID, live.Reply{Reply: live.ReplyAlways}); err != nil {
				t.Error(err)
			}
		}
		out := p.run(t.Context(), bash("mkdir a")[0].Calls[0])
		if d := cmp.Diff([]string{"bash: mkdir a acceptAlways another client"}, p.closed); d != "" || out.End != broker.Ended {
			t.Error(d, out)
		}
		if !slices.ContainsFunc(p.notes, func(n string) bool { return strings.HasPrefix(n, "another client answered always") }) {
			t.Errorf("notes: %q", p.notes)
		}
	})
	(&real{t: t, h: h, ws: ws}).nothingWaits()
}

// childRules are the rules of a session's one child.
func childRules(t *testing.T, p *real, id string) []live.Rule {
	t.Helper()
	children, err := p.client().Children(t.Context(), id)
	if err != nil || len(children) != 1 {
		t.Fatalf("%d children, %v", len(children), err)
	}
	return children[0].Permission
}

// TestFaultsLive lets a part of the faults befall the real server.
func TestFaultsLive(t *testing.T) {
	h := livetest.Start(t, livetest.Options{Password: driverPassword, StopTimeout: time.Nanosecond}) // stopped, it is killed
	ws := livetest.Workspace(t, h.Root)
	begin := func(t *testing.T) (*real, *livetest.Proxy) {
		remove(t, filepath.Join(ws, "a"))
		proxy := livetest.NewProxy(t, h.Server.BaseURL())
		p := &real{t: t, h: h, ws: ws, url: proxy.URL()}
		p.open("", evaluator.ApprovalRequired)
		return p, proxy
	}
	ended := func(t *testing.T, p *real, out broker.Outcome) {
		t.Helper()
		if d := cmp.Diff([]string{"bash: touch a accept person"}, p.closed); d != "" || out.End != broker.Ended || !p.there("a") {
			t.Error(d, out, p.notes)
		}
		p.nothingWaits()
	}
	t.Run("the stream is cut while a request waits", func(t *testing.T) {
		p, proxy := begin(t)
		p.answers = []broker.Answer{decide(broker.Accept)}
		p.opened = func(broker.Request) { proxy.Cut() }
		ended(t, p, p.run(t.Context(), touch("a")))
	})
	t.Run("the stream is away when the agent asks", func(t *testing.T) {
		p, proxy := begin(t)
		p.answers = []broker.Answer{decide(broker.Accept), decide(broker.Accept)}
		p.saw = func(s broker.Sight) {
			if s.Kind != broker.SawToolEnd {
				return
			}
			p.saw = nil
			proxy.Deafen(true)
			proxy.Cut()
		}
		p.follow(func(e live.Event) {
			if e.Type == live.EventAsked && strings.Contains(string(e.Properties), "touch a") {
				proxy.Deafen(false)
			}
		})
		out := p.run(t.Context(), numbered(touch("b"), touch("a"))...)
		p.closed = p.closed[1:]
		ended(t, p, out)
	})
	t.Run("the answer to a reply is lost", func(t *testing.T) {
		p, proxy := begin(t)
		p.answers = []broker.Answer{decide(broker.Accept)}
		proxy.Lose("/reply")
		ended(t, p, p.run(t.Context(), touch("a")))
	})
	t.Run("killed and started anew while a request waits", func(t *testing.T) {
		p, _ := begin(t)
		p.opened = func(broker.Request) {
			h.Server.Stop()
			h.Again()
		}
		out := p.run(t.Context(), touch("a"))
		if d := cmp.Diff([]string{"bash: touch a loss"}, p.closed); d != "" || out.End != broker.Failed || !strings.Contains(out.Reason, "broken off") || p.there("a") {
			t.Error(d, out, p.notes)
		}
		p.nothingWaits()
	})
	t.Run("killed while a request waits", func(t *testing.T) {
		p := &real{t: t, h: h, ws: ws, lost: 2 * time.Second}
		p.open("", evaluator.ApprovalRequired)
		p.opened = func(broker.Request) { h.Server.Stop() }
		out := p.run(t.Context(), touch("a"))
		if d := cmp.Diff([]string{"bash: touch a stop"}, p.closed); d != "" || out.End != broker.Failed || p.there("a") {
			t.Error(d, out, p.notes)
		}
	})
}
