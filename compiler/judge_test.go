package compiler

import (
	"testing"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// intent makes the Intent of approval-required and plan from a policy's rules.
func intent(t *testing.T, text string, interaction evaluator.Interaction) Intent {
	t.Helper()
	p, err := policies.Parse(policies.File{Name: "test.yaml", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	in := Lower(p, evaluator.Cell{Provider: evaluator.OpenCode2, Mode: evaluator.ApprovalRequired, Interaction: interaction})
	in.PlanFiles = []string{"~/plans/*"}
	return in
}

const layered = `
apiVersion: modegate/v1
name: test
modes:
  approval-required:
    rules:
      - {id: all-ask, kind: command, match: "*", effect: ask}
      - {id: edits-allow, kind: file-change, match: "*", effect: allow}
      - {id: outside-ask, kind: outside-workspace, match: "*", effect: ask}
rules:
  - {id: git-allow, kind: command, match: git *, effect: allow}
  - {id: push-deny, kind: command, match: git push *, effect: deny}
  - {id: other, kind: command, match: "*", effect: deny, providers: [codex]}
  - {id: never, kind: command, match: "*", effect: deny, modes: [auto]}
  - {id: shared, kind: outside-workspace, match: /shared/**, effect: allow}
interactions:
  plan:
    rules:
      - {id: plan-deny, kind: file-change, match: "*", effect: deny}
      - {id: plan-files, kind: file-change, match: "@plan-files", effect: allow}
`

func TestWant(t *testing.T) {
	env := evaluator.Env{Workspace: "/w", Home: "/h", Resolved: map[string]string{"link": "/out"}}
	command := func(text string) evaluator.Action {
		return evaluator.Action{Kind: evaluator.Command, Command: text}
	}
	change := func(path string) evaluator.Action {
		return evaluator.Action{Kind: evaluator.FileChange, Path: path}
	}
	for _, c := range []struct {
		action      evaluator.Action
		interaction evaluator.Interaction
		rule        string // "" for none
		effect      evaluator.Effect
	}{
		{command("ls"), evaluator.Default, "all-ask", evaluator.Ask},
		{command("git log"), evaluator.Default, "git-allow", evaluator.Allow},
		{command("git push"), evaluator.Default, "push-deny", evaluator.Deny},
		{command("git log #\\\nrm x"), evaluator.Default, "all-ask", evaluator.Ask},
		{command("git log && ls"), evaluator.Default, "all-ask", evaluator.Ask},
		{command("git log && git push x"), evaluator.Default, "push-deny", evaluator.Deny},
		{command("cd src && git log"), evaluator.Default, "git-allow", evaluator.Allow},
		{command("cd src"), evaluator.Default, "all-ask", evaluator.Ask},
		{command("echo $(git push)"), evaluator.Default, "push-deny", evaluator.Deny},
		{command(`git "unclosed`), evaluator.Default, "git-allow", evaluator.Allow},
		{change("a.go"), evaluator.Default, "edits-allow", evaluator.Allow},
		{change("src/../a.go"), evaluator.Default, "edits-allow", evaluator.Allow},
		{change("../a.go"), evaluator.Default, "outside-ask", evaluator.Ask},
		{change("/shared/a.go"), evaluator.Default, "edits-allow", evaluator.Allow},
		{change("link/a.go"), evaluator.Default, "outside-ask", evaluator.Ask},
		{evaluator.Action{Kind: evaluator.FileChange, Path: "a", To: "/out/a"}, evaluator.Default, "outside-ask", evaluator.Ask},
		{evaluator.Action{Kind: evaluator.FileRead, Path: "a"}, evaluator.Default, "", evaluator.Unknown},
		{evaluator.Action{Kind: evaluator.FileRead, Path: "/etc/hosts"}, evaluator.Default, "outside-ask", evaluator.Ask},
		{change("a.go"), evaluator.Plan, "plan-deny", evaluator.Deny},
		{change("/h/plans/p"), evaluator.Plan, "plan-files", evaluator.Allow},
		{change("/h/plans"), evaluator.Plan, "plan-deny", evaluator.Deny},
		{evaluator.Action{Kind: evaluator.WebFetch, URL: "https://x.test/"}, evaluator.Plan, "", evaluator.Unknown},
	} {
		w := intent(t, layered, c.interaction).Want(c.action, env)
		rule := ""
		if w.Rule != nil {
			rule = w.Rule.ID
		}
		if rule != c.rule || w.Effect != c.effect {
			t.Errorf("%+v: rule %q says %s, want rule %q, %s", c.action, rule, w.Effect, c.rule, c.effect)
		}
	}
}

func TestEffectiveDropsCoveredRules(t *testing.T) {
	in := intent(t, layered, evaluator.Plan)
	for _, r := range in.Effective() {
		if r.ID == "edits-allow" {
			t.Error("edits-allow is covered by plan-deny")
		}
	}
}
