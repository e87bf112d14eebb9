package adapters_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// randomRule is one rule of a random policy, as the test itself understands it.
type randomRule struct {
	id, match string
	kind      evaluator.Kind
	effect    evaluator.Effect
	modes     []evaluator.Mode
	providers []evaluator.Provider
	section   string // a mode's name, "rules", or an interaction's name
}

var matches = map[evaluator.Kind][]string{
	evaluator.Command: {
		"*", "*", "git *", "git push *", "git push", "git status", "git push --force *", "git -C", "ls", "ls *", "npm test", "npm run build *",
		"rm *", "rm -rf *", "cat *", "curl *", "cd *", "touch *", "python3 *", "env *", "bash *", "export *", "make", "/usr/bin/git *", "mytool sub a *",
	},
	evaluator.FileRead:         paths("**/.env", "*.pem", "secrets/**", "src/*", ".git/**", "@plan-files", "shot.png"),
	evaluator.FileChange:       paths("src/**/*.go", "src/**/a.go", "infra/**", ".github/**", "docs/*.md", "@plan-files", "**/*_test.go", "a/**/b/**/c"),
	evaluator.OutsideWorkspace: {"*", "*", "/shared/**", "/etc/hosts", "/opt/*", "~/notes/**", "~/.ssh/id", "/a*/x/**", "/**"},
	evaluator.WebFetch:         {"*", "https://example.test/*", "https://docs.example.test/*", "http://*", "*example*", "https://x.test/a?b", "*://h.test/*", "https://docs.python.org/*"},
	evaluator.WebSearch:        {"*", "*", "secret *", "example"},
	evaluator.MCPTool:          {"*", "github/*", "github/create_issue", "*/delete*", "my srv/do.it", "git*", "example/write", "e*"},
	evaluator.Subagent:         {"*", "general", "explore", "gen*"},
	evaluator.Question:         {"*", "*", "deploy *"},
	evaluator.AnyKind:          {"*"},
}

func paths(own ...string) []string {
	return append(own, "*", "**", "src/**", "src/a.go", "/opt/**", "/etc/hosts", "~/notes/**", "/ws/src/**", "/**", "a?c.txt")
}

func oneOf[T any](t *rapid.T, name string, list ...T) T { return rapid.SampledFrom(list).Draw(t, name) }

func drawSome[T comparable](t *rapid.T, name string, all []T) []T {
	if !rapid.Bool().Draw(t, name+"?") {
		return nil
	}
	return rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, len(all)-1, rapid.ID[T]).Draw(t, name)
}

func drawRule(t *rapid.T, id int) randomRule {
	kinds := append(evaluator.RuleKinds(), evaluator.Command, evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace)
	r := randomRule{
		id: fmt.Sprintf("r%d", id), kind: oneOf(t, "kind", kinds...),
		effect:    oneOf(t, "effect", evaluator.Allow, evaluator.Ask, evaluator.Review, evaluator.Deny, evaluator.Allow, evaluator.Ask, evaluator.Deny),
		section:   oneOf(t, "section", "rules", "rules", "rules", "rules", "approval-required", "auto-accept-edits", "auto", "full-access", "plan", "default"),
		providers: drawSome(t, "providers", evaluator.Providers()),
	}
	r.match = oneOf(t, "match", matches[r.kind]...)
	if r.section == "rules" {
		r.modes = drawSome(t, "modes", evaluator.Modes())
	}
	return r
}

// randomPolicy is a policy over all kinds, effects, modes, interactions and
// providers, on top of the built-in one and its profiles or by itself.
type randomPolicy struct {
	base     []randomRule // of what it extends, in the test's own words
	rules    []randomRule
	profiles string
	extends  bool
}

func drawPolicy(t *rapid.T, provider evaluator.Provider) randomPolicy {
	p := randomPolicy{extends: rapid.Bool().Draw(t, "extends"), profiles: drawProfile(t, provider)}
	if provider == evaluator.Codex || provider == evaluator.Claude {
		p.extends = true // without a profile they have no values
	}
	if p.extends {
		p.base = t3codeRules()
	}
	for i := range rapid.IntRange(1, 8).Draw(t, "rules") {
		p.rules = append(p.rules, drawRule(t, i))
	}
	return p
}

// t3codeRules are the built-in policy's rules, typed by hand.
func t3codeRules() []randomRule {
	rule := func(section, id string, kind evaluator.Kind, match string, e evaluator.Effect) randomRule {
		return randomRule{id: id, kind: kind, match: match, effect: e, section: section}
	}
	var out []randomRule
	for _, m := range []struct {
		mode, word string
		edits, e   evaluator.Effect
	}{
		{"approval-required", "ask", evaluator.Ask, evaluator.Ask},
		{"auto-accept-edits", "ask", evaluator.Allow, evaluator.Ask},
		{"auto", "review", evaluator.Review, evaluator.Review},
	} {
		out = append(out,
			rule(m.mode, "commands-"+m.word, evaluator.Command, "*", m.e),
			rule(m.mode, "edits-"+m.edits.String(), evaluator.FileChange, "*", m.edits),
			rule(m.mode, "outside-"+m.word, evaluator.OutsideWorkspace, "*", m.e))
	}
	return append(out,
		rule("full-access", "everything-allow", evaluator.AnyKind, "*", evaluator.Allow),
		rule("full-access", "outside-allow", evaluator.OutsideWorkspace, "*", evaluator.Allow),
		rule("plan", "plan-edits-deny", evaluator.FileChange, "*", evaluator.Deny),
		rule("plan", "plan-files-allow", evaluator.FileChange, "@plan-files", evaluator.Allow))
}

// yaml writes the policy file.
func (p randomPolicy) yaml() string {
	var b strings.Builder
	b.WriteString("apiVersion: modegate/v1\nname: random\n")
	list := func(section, indent string) {
		for _, r := range p.rules {
			if r.section != section {
				continue
			}
			fmt.Fprintf(&b, "%s- {id: %s, kind: %s, match: %q, effect: %s", indent, r.id, r.kind, r.match, r.effect)
			if r.modes != nil {
				fmt.Fprintf(&b, ", modes: [%s]", join(r.modes))
			}
			if r.providers != nil {
				fmt.Fprintf(&b, ", providers: [%s]", join(r.providers))
			}
			b.WriteString("}\n")
		}
	}
	group := func(name string, sections ...string) {
		used := slices.DeleteFunc(sections, func(s string) bool {
			return !slices.ContainsFunc(p.rules, func(r randomRule) bool { return r.section == s })
		})
		if len(used) > 0 {
			fmt.Fprintf(&b, "%s:\n", name)
		}
		for _, s := range used {
			fmt.Fprintf(&b, "  %s:\n    rules:\n", s)
			list(s, "      ")
		}
	}
	group("modes", "approval-required", "auto-accept-edits", "auto", "full-access")
	if slices.ContainsFunc(p.rules, func(r randomRule) bool { return r.section == "rules" }) {
		b.WriteString("rules:\n")
		list("rules", "  ")
	}
	group("interactions", "default", "plan")
	b.WriteString(p.profiles)
	return b.String()
}

func join[T ~string](list []T) string {
	var words []string
	for _, w := range list {
		words = append(words, string(w))
	}
	return strings.Join(words, ", ")
}

// of lists the rules of one cell in the order in which they count.
func (p randomPolicy) of(c evaluator.Cell) []randomRule {
	var out []randomRule
	for _, section := range []string{string(c.Mode), "rules", string(c.Interaction)} {
		for _, r := range slices.Concat(p.base, p.rules) {
			if r.section == section && (r.modes == nil || slices.Contains(r.modes, c.Mode)) && (r.providers == nil || slices.Contains(r.providers, c.Provider)) {
				out = append(out, r)
			}
		}
	}
	return out
}

func (p randomPolicy) parse(t interface {
	Helper()
	Fatalf(string, ...any)
}) *policies.Policy {
	t.Helper()
	files := []policies.File{{Name: "random.yaml", Data: []byte(p.yaml())}}
	if p.extends {
		base, err := policies.Builtin("t3code")
		if err != nil {
			t.Fatalf("%v", err)
		}
		files = append([]policies.File{base}, files...)
	}
	out, err := policies.Parse(files...)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.yaml())
	}
	return out
}

// drawProfile draws values that the built-in policy doesn't use.
func drawProfile(t *rapid.T, provider evaluator.Provider) string {
	if rapid.Bool().Draw(t, "t3code's profile") {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "providers:\n  %s:\n", provider)
	switch provider {
	case evaluator.OpenCode:
		return "providers:\n  opencode: {plan: rules}\n"
	case evaluator.OpenCode2:
		return "providers:\n  opencode2: {last: [{action: edit, resource: \"gen/*\", effect: " + oneOf(t, "last", "allow", "ask", "deny") + "}]}\n"
	case evaluator.Codex:
		if rapid.Bool().Draw(t, "plan") {
			b.WriteString("    plan: {sandbox: read-only}\n")
		}
	case evaluator.Cursor:
		b.WriteString("    argv: [acp]\n")
	case evaluator.Grok:
		b.WriteString("    argv: [agent, stdio]\n")
	}
	b.WriteString("    modes:\n")
	for _, m := range evaluator.Modes() {
		fmt.Fprintf(&b, "      %s: {%s}\n", m, drawMode(t, provider))
	}
	return b.String()
}

func drawMode(t *rapid.T, provider evaluator.Provider) string {
	pick := func(words ...string) string { return oneOf(t, "value", words...) }
	switch provider {
	case evaluator.Codex:
		approval := pick("untrusted", "on-request", "never", "{granular: {sandbox_approval: true, rules: false, mcp_elicitations: true}}", "{granular: {sandbox_approval: false, rules: true, mcp_elicitations: true}}")
		extra := ""
		sandbox := pick("read-only", "workspace-write", "danger-full-access", "workspace-write")
		switch {
		case sandbox == "workspace-write":
			extra = pick("", ", networkAccess: true", `, writableRoots: [/shared, "~/notes"]`, ", excludeSlashTmp: true")
		case sandbox == "read-only":
			extra = pick("", ", networkAccess: true")
		}
		return fmt.Sprintf("approvalPolicy: %s, sandbox: %s, approvalsReviewer: %s%s", approval, sandbox, pick("user", "auto_review"), extra)
	case evaluator.Claude:
		mode := pick("blank", "default", "acceptEdits", "auto", "dontAsk", "plan", "bypassPermissions, allowDangerouslySkipPermissions: true")
		return "permissionMode: " + mode + ", callback: " + pick("ask", "allow")
	case evaluator.Cursor:
		return "permission: " + pick("ask", "allow") + pick("", `, argv: ["--force", acp]`, `, argv: ["--auto-review", acp]`)
	}
	return "permission: " + pick("ask", "allow") + pick("", `, argv: ["--permission-mode", default, agent, stdio]`, `, argv: ["--permission-mode", auto, agent, stdio]`,
		`, argv: [agent, "--always-approve", stdio]`, ", sessionMeta: {autoMode: true}", ", sessionMeta: {yoloMode: true}")
}
