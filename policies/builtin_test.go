package policies_test

import (
	"slices"
	"testing"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

func TestBuiltinNames(t *testing.T) {
	names := policies.BuiltinNames()
	if !slices.Contains(names, "t3code") || !slices.IsSorted(names) {
		t.Errorf("the built-in policies are %q", names)
	}
	for _, name := range append(names, "", "../doc", "t3code.yaml", "T3CODE") {
		f, err := policies.Builtin(name)
		if known := slices.Contains(names, name); known != (err == nil) {
			t.Errorf("Builtin(%q): %v", name, err)
		} else if known && f.Name != name+".yaml" {
			t.Errorf("Builtin(%q) is called %s", name, f.Name)
		}
	}
	for _, name := range names {
		p, err := policies.Load("builtin/" + name)
		if err != nil {
			t.Fatal(err)
		}
		check(t, "name", p.Name, name)
		if len(p.Modes) != len(evaluator.Modes()) {
			t.Errorf("%s has %d modes", name, len(p.Modes))
		}
	}
}

// The tables of builtin/t3code, word for word.
func TestT3Code(t *testing.T) {
	p, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[evaluator.Mode]struct {
		label string
		rules []string
	}{
		evaluator.ApprovalRequired: {"Supervised", []string{"commands-ask command * ask", "edits-ask file-change * ask", "outside-ask outside-workspace * ask"}},
		evaluator.AutoAcceptEdits:  {"Auto-accept edits", []string{"commands-ask command * ask", "edits-allow file-change * allow", "outside-ask outside-workspace * ask"}},
		evaluator.Auto:             {"Auto", []string{"commands-review command * review", "edits-review file-change * review", "outside-review outside-workspace * review"}},
		evaluator.FullAccess:       {"Full access", []string{"everything-allow any * allow", "outside-allow outside-workspace * allow"}},
	} {
		check(t, string(mode), kinds(p.Modes[mode].Rules), want.rules)
		check(t, string(mode), p.Modes[mode].Label, want.label)
	}
	check(t, "plan", kinds(p.Interactions[evaluator.Plan]), []string{"plan-edits-deny file-change * deny", "plan-files-allow file-change @plan-files allow"})
	check(t, "rules", len(p.Rules)+len(p.Interactions[evaluator.Default]), 0)

	modes := map[evaluator.Provider][4]string{ // in the order of evaluator.Modes
		evaluator.Codex: {
			"{approvalPolicy: untrusted, sandbox: read-only, approvalsReviewer: user}",
			"{approvalPolicy: on-request, sandbox: workspace-write, approvalsReviewer: user}",
			"{approvalPolicy: on-request, sandbox: workspace-write, approvalsReviewer: auto_review}",
			"{approvalPolicy: never, sandbox: danger-full-access, approvalsReviewer: user}",
		},
		evaluator.Claude: {
			"{permissionMode: blank, callback: ask}",
			"{permissionMode: acceptEdits, callback: ask}",
			"{permissionMode: auto, callback: ask}",
			"{permissionMode: bypassPermissions, allowDangerouslySkipPermissions: true, callback: allow}",
		},
		evaluator.Cursor: {
			"{prefer: [approval, implement], permission: ask}",
			"{prefer: [implement, approval], permission: ask}",
			"{prefer: [implement, approval], permission: ask}",
			"{prefer: [implement, approval], permission: allow}",
		},
		evaluator.Grok:     {"{permission: ask}", "{permission: ask}", "{permission: ask}", "{permission: allow}"},
		evaluator.OpenCode: {"{list: supervised}", "{list: supervised}", "{list: supervised}", "{list: open}"},
	}
	for provider, want := range modes {
		for i, mode := range evaluator.Modes() {
			check(t, string(provider)+" "+string(mode), text(p.Profiles[provider].Get("modes").Get(string(mode))), want[i])
		}
	}
	get := func(provider evaluator.Provider, keys ...string) string {
		n := p.Profiles[provider]
		for _, key := range keys {
			n = n.Get(key)
		}
		return text(n)
	}
	check(t, "cursor", get(evaluator.Cursor, "argv"), "[acp]")
	check(t, "cursor", get(evaluator.Cursor, "aliases"), "{plan: [plan, architect], approval: [ask], implement: [code, agent, default, chat, implement]}")
	check(t, "grok", get(evaluator.Grok, "argv"), "[agent, stdio]")
	check(t, "opencode2", text(p.Profiles[evaluator.OpenCode2]), "{last: [{id: subagents-deny, action: subagent, resource: *, effect: deny}]}")
	check(t, "opencode", get(evaluator.OpenCode, "lists", "open"), "[{permission: *, pattern: *, action: allow}]")
	var list []string
	for _, n := range p.Profiles[evaluator.OpenCode].Get("lists").Get("supervised").Items {
		list = append(list, n.Get("permission").Text+" "+n.Get("pattern").Text+" "+n.Get("action").Text)
	}
	check(t, "opencode", list, []string{"* * ask", "bash * ask", "edit * ask", "webfetch * ask", "websearch * ask", "codesearch * ask", "external_directory * ask", "doom_loop * ask", "question * allow"})
}

func kinds(rules []policies.Rule) []string {
	var out []string
	for _, r := range rules {
		out = append(out, r.ID+" "+string(r.Kind)+" "+r.Match+" "+r.Effect.String())
	}
	return out
}

// text writes a node the way YAML's flow style does, without quotes.
func text(n *policies.Node) string {
	if n == nil {
		return "nothing"
	}
	s := ""
	switch n.Kind {
	case policies.Scalar:
		return n.Text
	case policies.Sequence:
		for _, item := range n.Items {
			s += ", " + text(item)
		}
		return "[" + s[min(2, len(s)):] + "]"
	case policies.Mapping:
		for _, f := range n.Fields {
			s += ", " + f.Name + ": " + text(f.Value)
		}
		return "{" + s[min(2, len(s)):] + "}"
	}
	return "absent"
}
