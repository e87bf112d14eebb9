package policies_test

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// show writes rules as "file id match effect", one a line.
func show(rules []policies.Rule) []string {
	var out []string
	for _, r := range rules {
		out = append(out, strings.Join([]string{r.Source.File, r.ID, r.Match, r.Effect.String()}, " "))
	}
	return out
}

func TestLayerRules(t *testing.T) {
	p := parse(t, head+`modes:
  auto:
    label: Auto
    rules:
      - {id: a, kind: command, match: "a *", effect: ask}
      - {kind: command, match: "b *", effect: ask}
      - {id: c, kind: command, match: "c *", effect: ask}
  full-access: {label: Open}
rules:
  - {id: a, kind: command, match: "r *", effect: ask}
interactions:
  plan:
    rules:
      - {id: a, kind: command, match: "p *", effect: ask}
`, `apiVersion: modegate/v1
name: later
modes:
  auto:
    rules:
      - {kind: command, match: "d *", effect: deny}
      - {id: a, kind: file-read, match: "e", effect: deny}
      - {id: f, kind: command, match: "f *", effect: deny}
  full-access: {label: Opened}
interactions:
  plan:
    rules:
      - {id: b, kind: command, match: "q *", effect: deny}
`, `apiVersion: modegate/v1
modes:
  auto:
    rules:
      - {id: f, kind: command, match: "g *", effect: allow}
rules:
  - {id: a, kind: command, match: "s *", effect: deny}
`)
	check(t, "name", p.Name, "later")
	check(t, "files", p.Files, []string{"0.yaml", "1.yaml", "2.yaml"})
	auto := p.Modes[evaluator.Auto]
	check(t, "mode", show(auto.Rules), []string{
		"1.yaml a e deny",        // in a's place
		"0.yaml auto-2 b * ask",  // without an id: nothing replaces it
		"0.yaml c c * ask",       //
		"1.yaml auto-4 d * deny", // numbered in the merged list
		"2.yaml f g * allow",
	})
	check(t, "label that nobody overrides", auto.Label, "Auto")
	check(t, "label", p.Modes[evaluator.FullAccess].Label, "Opened")
	check(t, "the mode's place", auto.Source, evaluator.Source{File: "2.yaml", Line: 3, Column: 3})
	check(t, "rules", show(p.Rules), []string{"2.yaml a s * deny"})
	check(t, "plan", show(p.Interactions[evaluator.Plan]), []string{"0.yaml a p * ask", "1.yaml b q * deny"})
}

func TestLayerProfiles(t *testing.T) {
	p := parse(t, head+`providers:
  codex:
    modes:
      auto: {sandbox: read-only, approvalPolicy: never}
      full-access: {sandbox: read-only}
    roots: [a, b]
  grok: {argv: [agent]}
acknowledge:
  - {gap: codex.command.a, reason: first}
`, `apiVersion: modegate/v1
providers:
  codex:
    modes:
      auto: {sandbox: workspace-write}
      full-access: none
    roots: [c]
    plan: {sandbox: read-only}
  cursor: {argv: [acp]}
acknowledge:
  - {gap: codex.command.a, reason: second}
`)
	codex := p.Profiles[evaluator.Codex]
	var names []string
	for _, f := range codex.Fields {
		names = append(names, f.Name)
	}
	check(t, "keys", names, []string{"modes", "roots", "plan"})
	auto := codex.Get("modes").Get("auto")
	check(t, "a replaced text", auto.Get("sandbox").Text, "workspace-write")
	check(t, "its place", auto.Get("sandbox").Source, evaluator.Source{File: "1.yaml", Line: 5, Column: 23})
	check(t, "a kept text", auto.Get("approvalPolicy").Text, "never")
	check(t, "its place", auto.Get("approvalPolicy").Source.File, "0.yaml")
	check(t, "a replaced mapping", codex.Get("modes").Get("full-access").Text, "none")
	check(t, "a replaced list", len(codex.Get("roots").Items), 1)
	check(t, "a kept profile", p.Profiles[evaluator.Grok].Get("argv").Items[0].Text, "agent")
	check(t, "an added profile", p.Profiles[evaluator.Cursor].Get("argv").Items[0].Text, "acp")
	check(t, "acknowledgements", []string{p.Acknowledge[0].Reason, p.Acknowledge[1].Reason}, []string{"first", "second"})
}

// A later layer doesn't change what was parsed from the earlier ones alone.
func TestExtendsBuiltin(t *testing.T) {
	base, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	before := len(base.Modes[evaluator.Auto].Rules)
	p := parse(t, head+`extends: builtin/t3code
modes:
  auto:
    rules:
      - {id: commands-review, kind: command, match: "*", effect: ask}
      - {id: pushes-deny, kind: command, match: "git push *", effect: deny}
providers:
  codex: {modes: {auto: {sandbox: read-only}}}
`)
	check(t, "files", p.Files, []string{"t3code.yaml", "0.yaml"})
	check(t, "name", p.Name, "acme")
	check(t, "auto", show(p.Modes[evaluator.Auto].Rules), []string{
		"0.yaml commands-review * ask",
		"t3code.yaml edits-review * review",
		"t3code.yaml outside-review * review",
		"0.yaml pushes-deny git push * deny",
	})
	check(t, "plan", show(p.Interactions[evaluator.Plan]), []string{
		"t3code.yaml plan-edits-deny * deny",
		"t3code.yaml plan-files-allow @plan-files allow",
	})
	auto := p.Profiles[evaluator.Codex].Get("modes").Get("auto")
	check(t, "sandbox", auto.Get("sandbox").Text, "read-only")
	check(t, "reviewer", auto.Get("approvalsReviewer").Text, "auto_review")
	check(t, "the base's rules", len(base.Modes[evaluator.Auto].Rules), before)
	check(t, "the base's sandbox", base.Profiles[evaluator.Codex].Get("modes").Get("auto").Get("sandbox").Text, "workspace-write")
}

func TestLayerProblems(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"an unknown built-in policy", []string{head + "extends: builtin/nobody\n"}, `0.yaml:3:10: can't extend "builtin/nobody": there is no built-in policy "nobody": use `},
		{"a later file extends", []string{head, head + "extends: builtin/t3code\n"}, "1.yaml:3:10: only the first file of a policy may extend another"},
		{"a text extends a file", []string{head + "extends: /etc/passwd\n"}, "only a policy that is loaded from disk can extend a file"},
		{"the first file has no name", []string{"apiVersion: modegate/v1\n", head}, `0.yaml:1:1: the policy has no "name"`},
		{"a later file has no apiVersion", []string{head, "name: later\n"}, `1.yaml:1:1: the policy has no "apiVersion"`},
		{"a made id is taken in another layer", []string{
			head + `rules: [{kind: any, match: "*", effect: ask}]`,
			head + `rules: [{id: rules-1, kind: any, match: "*", effect: allow}]`,
		}, "0.yaml:3:9: this rule has no id and would be called rules-1, which is the id of the rule on line 3 of 1.yaml"},
	} {
		problems := refused(t, tt.texts...)
		if len(problems) != 1 || !strings.HasPrefix(problems[0].String(), tt.want) && !strings.Contains(problems[0].Message, tt.want) {
			t.Errorf("%s: got\n%v\nwant %s", tt.name, problems, tt.want)
		}
	}
	if _, err := policies.Parse(file("a.yaml", head), file("a.yaml", head)); err == nil || !strings.Contains(err.Error(), "a.yaml: the file is given twice") {
		t.Errorf("two files of one name: %v", err)
	}
}

// The digest is of the layers' bytes and their order, and of nothing else.
func TestDigest(t *testing.T) {
	digest := func(files ...policies.File) string {
		t.Helper()
		p, err := policies.Parse(files...)
		if err != nil {
			t.Fatal(err)
		}
		return p.Digest
	}
	a, b := head+"# a\n", head+"# b\n"
	ab := digest(file("x", a), file("y", b))
	if len(ab) != len("sha256:")+64 || !strings.HasPrefix(ab, "sha256:") {
		t.Errorf("the digest is %s", ab)
	}
	if got := digest(file("z/x", a), file("/y", b)); got != ab {
		t.Error("file names change the digest")
	}
	seen := map[string]string{ab: "a, b"}
	for name, got := range map[string]string{
		"b, a":                  digest(file("x", b), file("y", a)),
		"a":                     digest(file("x", a)),
		"the same bytes in all": digest(file("x", a+"# c\n"), file("y", b)),
		"and cut elsewhere":     digest(file("x", a), file("y", "# c\n"+b)),
		"t3code, a":             digest(file("x", a+"extends: builtin/t3code\n")),
	} {
		if other, ok := seen[got]; ok {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[got] = name
	}
}
