package opencode2_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modegate/modegate/adapters/evidence/evidencetest"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/livebin"
)

// liveCase is a random rule list, what was granted before, and a request.
type liveCase struct {
	Rules     []live.NativeRule
	Saved     []evaluator.Grant
	Action    string
	Resources []string
}

// words that rules and requests are made of: names of actions, what the pattern
// language treats specially, what other pattern languages do, and text that UTF-16
// counts otherwise than UTF-8.
var (
	actions = []string{"shell", "edit", "read", "external_directory", "webfetch", "subagent", "question", "srv_tool", "a/b", `a\b`, "Shell", "é", "😀"}
	actPats = append([]string{"*", "?", "e*", "sh*", "s?ell", "*ell", "shell *", "* *", "**", "[es]*", "shell|edit", ".*", "a/?", "??"}, actions...)
	common  = []string{"*", "", "git *", "git status", "git status *", "*.env", "*.env.*", "src/*", "src/**", "/tmp/*", "* ", " *", "* *", "*?", "npm run ?", "../*", "a*b*c"}
	pieces  = []string{"git ", "git", " status", "push", " ", "*", "**", "?", " *", ".", "/", `\`, "a", "b", "src/", ".env", "[ab]", "{a,b}", "(x)", "|", "^", "$", "+", "\n", "\t", "é", "e\u0301", "日本", "😀", "\u2028", "#", "-", "\"", "A", "\x7f", "ß"}
)

type random struct{ *rand.Rand }

func (r random) of(list []string) string { return list[r.IntN(len(list))] }

func (r random) text(most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(r.of(pieces))
	}
	return b.String()
}

func (r random) pattern() string {
	if r.Float64() < 0.45 {
		return r.of(common)
	}
	return r.text(5)
}

// like is a text that the pattern may well match.
func (r random) like(pattern string) string {
	if r.Float64() < 0.4 {
		pattern = strings.TrimSuffix(pattern, " *")
	}
	var b strings.Builder
	for _, c := range pattern {
		switch c {
		case '*':
			b.WriteString(r.of([]string{"", "x", "a/b", "\n", "😀", ".env", " "}))
		case '?':
			b.WriteString(r.of([]string{"x", "/", "é", "😀", "", "日"}))
		default:
			b.WriteRune(c)
		}
	}
	if r.Float64() < 0.15 {
		b.WriteString(r.of([]string{"\n", " ", "x", "/"}))
	}
	return b.String()
}

func (r random) testCase() liveCase {
	var c liveCase
	for range r.IntN(7) {
		c.Rules = append(c.Rules, live.NativeRule{Action: r.of(actPats), Resource: r.pattern(), Effect: r.of([]string{"allow", "ask", "deny"})})
	}
	c.Action = r.of(actions)
	near := common
	if len(c.Rules) > 0 && r.Float64() < 0.85 {
		rule := c.Rules[r.IntN(len(c.Rules))]
		c.Action = r.like(rule.Action)
		near = nil
		for _, rule := range c.Rules {
			near = append(near, rule.Resource)
		}
	}
	for range 1 + r.IntN(3) {
		c.Resources = append(c.Resources, r.like(r.of(near)))
	}
	if r.Float64() < 0.2 {
		c.Saved = []evaluator.Grant{{Action: c.Action, Resource: r.pattern()}}
	}
	return c
}

// homely reports whether a rule's text is one that a configuration file changes.
func homely(c liveCase) bool {
	for _, r := range c.Rules {
		if strings.HasPrefix(r.Resource, "~") || strings.HasPrefix(r.Resource, "$HOME") {
			return true
		}
	}
	return false
}

// TestNativeEvaluatorAgrees asks the real 1.18.33 what fresh random rules do to
// random requests, and compares.
func TestNativeEvaluatorAgrees(t *testing.T) {
	const count = 600
	h := livetest.Start(t, livetest.Options{})
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := random{rand.New(rand.NewPCG(seed, 1))}
	agents := map[string]any{"zz-empty": map[string]any{"permissions": []live.NativeRule{}}}
	cases := make([]liveCase, 0, count)
	for len(cases) < count {
		c := r.testCase()
		if homely(c) || c.Action == "" {
			continue
		}
		if c.Rules == nil {
			c.Rules = []live.NativeRule{}
		}
		agents[agentID(len(cases))] = map[string]any{"permissions": c.Rules}
		cases = append(cases, c)
	}
	dir := filepath.Join(h.Root, "rules")
	config, err := json.Marshal(map[string]any{"agents": agents})
	if err != nil {
		t.Fatal(err)
	}
	livetest.Write(t, filepath.Join(dir, "opencode.json"), string(config))
	client := h.Server.Client(dir)
	session, err := client.CreateNativeSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waitForAgents(t, client, len(agents))
	disagreements := 0
	for i, c := range cases {
		real := ask(t, client, session, i, c)
		if got := ours(t, c); got != real {
			disagreements++
			t.Errorf("case %d: we say %s, the real evaluator %s: %q", i, got, real, c)
		}
	}
	evidencetest.Record(t, "opencode2.rules", livebin.OpenCode, count, disagreements)
}

func agentID(i int) string { return fmt.Sprintf("c%05d", i) }

func waitForAgents(t *testing.T, c *live.Client, count int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		list, err := c.NativeAgents(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) >= count {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("only %d of %d agents were loaded", len(list), count)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ask grants what the case has saved, asks the real evaluator, and clears up.
func ask(t *testing.T, c *live.Client, session string, i int, lc liveCase) string {
	t.Helper()
	ctx := t.Context()
	for j, g := range lc.Saved {
		e, err := c.Evaluate(ctx, session, live.Evaluation{
			Action: g.Action, Resources: []string{fmt.Sprintf("\x01seed %d.%d", i, j)}, Save: []string{g.Resource}, Agent: "zz-empty",
		})
		if err != nil || e.Effect != "ask" {
			t.Fatalf("case %d: granting: %v %v", i, e, err)
		}
		if err := c.ReplyNative(ctx, session, e.ID, live.Reply{Reply: live.ReplyAlways}); err != nil {
			t.Fatalf("case %d: granting: %v", i, err)
		}
	}
	e, err := c.Evaluate(ctx, session, live.Evaluation{Action: lc.Action, Resources: lc.Resources, Agent: agentID(i)})
	if err != nil {
		t.Fatalf("case %d: %v", i, err)
	}
	if e.Effect == "ask" {
		if err := c.ReplyNative(ctx, session, e.ID, live.Reply{Reply: live.ReplyOnce}); err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
	}
	if len(lc.Saved) > 0 {
		grants, err := c.Grants(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range grants {
			if err := c.DeleteGrant(ctx, g.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	return e.Effect
}

func ours(t *testing.T, c liveCase) string {
	t.Helper()
	native, err := json.Marshal(c.Rules)
	if err != nil {
		t.Fatal(err)
	}
	m, err := opencode2.New().Read(native, compiler.Setting{Version: opencode2.Measured, Env: evaluator.Env{
		Agents: []evaluator.Agent{{ID: "build"}}, Saved: c.Saved,
	}})
	if err != nil {
		t.Fatal(err)
	}
	request, err := json.Marshal(map[string]any{"action": c.Action, "resources": c.Resources})
	if err != nil {
		t.Fatal(err)
	}
	v, err := evaluator.Evaluate(m, evaluator.Action{Kind: evaluator.Native, Request: request}, false)
	if err != nil {
		t.Fatal(err)
	}
	return v.Effect.String()
}
