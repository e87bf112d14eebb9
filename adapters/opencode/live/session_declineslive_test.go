package live_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/scripted"
)

// noTouch denies a command on top of the built-in policy.
const noTouch = `
apiVersion: modegate/v1
name: no-touch
extends: builtin/t3code
rules:
  - {id: no-touch, kind: command, match: touch *, effect: deny}
acknowledge:
  - {gap: opencode.command.no-touch, reason: "in full access a quoted name runs, which the rule doesn't match"}
`

// TestDeclinesLive has the real OpenCode ask about a denied command that is spelled
// in another way. It is declined without a person and doesn't run; what the policy
// doesn't deny runs after a person's answer, also beside it. A subagent asks by its
// own agent's rules, here about every command.
func TestDeclinesLive(t *testing.T) {
	h := livetest.Start(t, livetest.Options{Password: driverPassword, Config: map[string]any{
		"agent": map[string]any{"general": map[string]any{"permission": map[string]any{"bash": "ask"}}},
	}})
	ws := livetest.Workspace(t, h.Root)
	shell := func(command string) scripted.Call { return bash(command)[0].Calls[0] }
	accept := decide(broker.Accept)
	for _, c := range []struct {
		name   string
		policy string
		mode   evaluator.Mode
		calls  []scripted.Call
		closed []string
		there  []string
	}{
		{"quoted", noTouch, evaluator.ApprovalRequired, numbered(shell("'touch' a"), shell("mkdir b")),
			[]string{"bash: 'touch' a decline mode", "bash: mkdir b accept person"}, []string{"b"}},
		{"behind another", noTouch, evaluator.ApprovalRequired, numbered(shell("mkdir b && t'ou'ch a"), shell("mkdir c")),
			[]string{"bash: mkdir b && t'ou'ch a decline mode", "bash: mkdir c accept person"}, []string{"c"}},
		{"a subagent's", noTouch, evaluator.FullAccess, numbered(subagent(t, numbered(shell("'touch' a"), shell("mkdir b"))...)),
			[]string{"bash: 'touch' a decline mode", "bash: mkdir b accept person"}, []string{"b"}},
		{"without the rule it is a person's, and runs", "", evaluator.ApprovalRequired, numbered(shell("'touch' a")),
			[]string{"bash: 'touch' a accept person"}, []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, f := range []string{"a", "b", "c"} {
				remove(t, filepath.Join(ws, f))
			}
			p := &real{t: t, h: h, ws: ws, policy: c.policy, answers: []broker.Answer{accept, accept}}
			p.open("", c.mode)
			before := len(h.Model.Requests())
			if out := p.run(t.Context(), c.calls...); out.End != broker.Ended {
				t.Error(out, p.notes)
			}
			if d := cmp.Diff(c.closed, p.closed); d != "" {
				t.Errorf("closed: %s", d)
			}
			for _, name := range []string{"a", "b", "c"} {
				want := strings.Contains(strings.Join(c.there, " "), name)
				if p.there(name) != want {
					t.Errorf("%s is there: %v, want %v", name, !want, want)
				}
			}
			if c.policy == "" {
				return
			}
			if why := p.reasons[0]; !strings.HasSuffix(why, ` of the session, command "touch *"`) {
				t.Errorf("on record: %q", why)
			}
			told := false
			for _, q := range h.Model.Requests()[before:] {
				b, _ := json.Marshal(q.Messages)
				told = told || strings.Contains(string(b), "A policy denies this (bash: ")
			}
			if !told {
				t.Error("the model isn't told that the policy denies it")
			}
		})
	}
	t.Run("beside what a person answers", func(t *testing.T) {
		for _, f := range []string{"a", "b"} {
			remove(t, filepath.Join(ws, f))
		}
		p := &real{t: t, h: h, ws: ws, policy: noTouch, answers: []broker.Answer{accept}}
		p.open("", evaluator.ApprovalRequired)
		text, err := scripted.Script{{Calls: numbered(shell("'touch' a"), shell("mkdir b"))}}.Prompt()
		if err != nil {
			t.Fatal(err)
		}
		if out := p.d.Run(t.Context(), text, p); out.End != broker.Ended || p.there("a") || !p.there("b") {
			t.Errorf("%v: a is there: %v, b: %v", out, p.there("a"), p.there("b"))
		}
		if d := cmp.Diff([]string{"bash: mkdir b accept person", "bash: 'touch' a decline mode"}, p.closed); d != "" {
			t.Error(d)
		}
	})
	t.Run("the rules change while it waits", func(t *testing.T) {
		remove(t, filepath.Join(ws, "a"))
		p := &real{t: t, h: h, ws: ws}
		p.open("", evaluator.ApprovalRequired)
		strict := compiling(t, noTouch)
		var applied sync.WaitGroup
		p.opened = func(r broker.Request) {
			applied.Go(func() {
				if _, err := broker.Sync(t.Context(), p.d, strict); err != nil {
					t.Error(err)
				}
				if err := p.d.Answer(r, accept); err != nil { // too late
					t.Error(err)
				}
			})
		}
		out := p.run(t.Context(), touch("a"))
		applied.Wait()
		if d := cmp.Diff([]string{"bash: touch a decline mode"}, p.closed); d != "" || out.End != broker.Ended || p.there("a") {
			t.Error(d, out, p.there("a"))
		}
	})
	t.Run("the stream is away when the agent asks", func(t *testing.T) {
		for _, f := range []string{"a", "b"} {
			remove(t, filepath.Join(ws, f))
		}
		proxy := livetest.NewProxy(t, h.Server.BaseURL())
		p := &real{t: t, h: h, ws: ws, url: proxy.URL(), policy: noTouch, answers: []broker.Answer{accept}}
		p.open("", evaluator.ApprovalRequired)
		p.saw = func(s broker.Sight) {
			if s.Kind == broker.SawToolEnd {
				p.saw = nil
				proxy.Deafen(true)
				proxy.Cut()
			}
		}
		p.follow(func(e live.Event) {
			if e.Type == live.EventAsked && strings.Contains(string(e.Properties), "'touch' a") {
				proxy.Deafen(false)
			}
		})
		out := p.run(t.Context(), numbered(shell("mkdir b"), shell("'touch' a"))...)
		if d := cmp.Diff([]string{"bash: mkdir b accept person", "bash: 'touch' a decline mode"}, p.closed); d != "" || out.End != broker.Ended || p.there("a") {
			t.Error(d, out, p.notes)
		}
	})
	(&real{t: t, h: h, ws: ws}).nothingWaits()
}
