package grok

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/adapters/internal/permlist"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Lint finds what is wrong with the settings of a session, or with permissions in
// Claude's form, which Grok reads as its own.
func (d Dialect) Lint(in lint.Settings) ([]lint.Finding, error) {
	root, err := filetree.JSON(in.File, in.Text, true)
	if err != nil {
		return nil, err
	}
	if root.Get("argv") != nil {
		n, err := decode(in.Text)
		if err != nil {
			return nil, err
		}
		return ignoredArguments(root, n), nil
	}
	entries, found := permlist.Read(root, []string{"allow", "ask", "deny"},
		[]string{"defaultMode", "additionalDirectories", "disableBypassPermissionsMode", "disableAutoMode"})
	l := linter{}
	for _, e := range entries {
		var effect evaluator.Effect
		_ = effect.UnmarshalText([]byte(e.List)) // it is one of the three
		r := readRules(facts{Rules: []fileRule{{Layer: userLayer, Effect: effect, Rule: e.Text}}})[0]
		l.rules = append(l.rules, lintRule{Entry: e, rule: r})
	}
	for i := range l.rules {
		bad := l.form(l.rules[i])
		l.rules[i].bad = len(bad) > 0
		found = append(found, bad...)
	}
	for _, r := range l.rules {
		if !r.bad {
			found = append(found, l.meaning(r)...)
		}
	}
	return found, nil
}

// ignoredArguments finds arguments that Grok takes and doesn't apply.
func ignoredArguments(root *policies.Node, n Native) []lint.Finding {
	var out []lint.Finding
	for _, arg := range readArgv(n.Argv).ignored {
		name, _, _ := strings.Cut(arg, " ")
		i := slices.IndexFunc(n.Argv, func(s string) bool { return strings.HasPrefix(s, name) })
		out = append(out, lint.At("inert-setting", lint.Item(root.Get("argv"), "/argv", i),
			fmt.Sprintf("%s does nothing over agent stdio: Grok takes it and doesn't apply it", arg), "put rules into config.toml, and the mode where it works"))
	}
	return out
}

type linter struct{ rules []lintRule }

// lintRule is one rule as it was written and as Grok reads it.
type lintRule struct {
	rule
	permlist.Entry
	bad bool
}

// form finds rules that never apply.
func (l linter) form(r lintRule) []lint.Finding {
	switch {
	case strings.Contains(r.Text, "(") && !strings.HasSuffix(r.Text, ")"):
		return r.Find("inert-rule", "isn't one: its bracket isn't closed", "write TOOL(PATTERN)")
	case r.inert != "":
		return r.Find("unknown-action", "does nothing: "+r.inert, "write one of Bash, Read, Edit, Grep, MCPTool, WebFetch, WebSearch")
	case r.tool == "WebSearch" && r.List == "ask":
		return r.Find("inert-rule", "has no effect: a search is never asked about", "deny it")
	case r.tool == "*" && r.pattern != "" && r.pattern != "*":
		return r.Find("never-matches", "never matches: a rule for every tool has no pattern", `write "*"`)
	}
	switch r.tool {
	case "Read", "Edit", "Grep":
		return l.pathForm(r)
	case "WebFetch":
		if r.pattern != "" && r.pattern != "*" && !strings.HasPrefix(r.pattern, "domain:") && !strings.Contains(r.pattern, "://") && !strings.HasPrefix(r.pattern, "*") {
			return r.Find("never-matches", "never matches: an address begins with its scheme", fmt.Sprintf("write %q", "WebFetch(domain:"+r.pattern+")"))
		}
	}
	return nil
}

// pathForm judges a path's pattern: anywhere when it begins with ** or /, else in
// the workspace, with * staying in its folder.
func (l linter) pathForm(r lintRule) []lint.Finding {
	p := r.pattern
	switch {
	case strings.HasPrefix(p, "~"), strings.HasPrefix(p, "$HOME"):
		return r.Find("path-form", "never matches: a home shortcut isn't expanded", "write the absolute path")
	case strings.HasPrefix(p, "../"), strings.Contains(p, "/../"):
		return r.Find("path-form", "never matches: the path that is compared has been cleaned", "write the absolute path")
	case strings.HasPrefix(p, "//"):
		return r.Find("path-form", "never matches: an absolute path has one slash in front here", fmt.Sprintf("write %q", r.tool+"("+p[1:]+")"))
	case r.List != "allow" && !strings.Contains(p, "/") && (strings.HasPrefix(p, "*.") || strings.HasPrefix(p, ".env")):
		return r.Find("shallow-pattern", "sees the workspace itself alone, and not the folders below: a name matches at no other depth", fmt.Sprintf("write %q", r.tool+"(**/"+p+")"))
	}
	if m := lint.Route(p); m != "" {
		return r.Find("special-pattern", fmt.Sprintf("doesn't match what it looks like: %s is one character of these", m), "write ? for the bracket")
	}
	if why := lint.Foreign(p, false); why != "" && !strings.Contains(why, "class of characters") {
		return r.Find("literal-pattern", "means something else than it looks: "+why, "write one rule for each choice")
	}
	return nil
}

// meaning finds rules that stricter ones take out of force, and allows that open
// everything.
func (l linter) meaning(r lintRule) []lint.Finding {
	for _, d := range l.rules {
		if d.bad || d.Effect == r.Effect || !slices.Contains(map[string][]string{"allow": {"deny", "ask"}, "ask": {"deny"}}[r.List], d.List) || !l.covers(d, r) {
			continue
		}
		f := r.Find(lint.DeadRule, fmt.Sprintf("never decides: %s holds for all that it speaks of, and Grok looks at deny, then at ask, then at allow", d.Quote()), fmt.Sprintf("make %s narrower, or remove this rule", d.Quote()))
		return []lint.Finding{f[0].With(d.Ref, "this rule decides instead")}
	}
	if r.List != "allow" || r.tool != "Bash" || r.pattern == "" || r.pattern == "*" {
		return nil
	}
	head, _, _ := strings.Cut(strings.TrimSuffix(r.pattern, ":*"), "*")
	if how := lint.Launcher(strings.Fields(head), true); how != "" { // an allowed beginning ends at a word
		return r.Find("launcher", "allows everything: "+how, lint.LauncherInstead)
	}
	return nil
}

// covers reports whether d holds for everything that r speaks of: for samples of
// all its shapes.
func (l linter) covers(d, r lintRule) bool {
	if d.tool == "*" && (d.pattern == "" || d.pattern == "*") || d.tool == r.tool && (d.pattern == "" || d.pattern == "*") {
		return true
	}
	if d.tool != r.tool || r.pattern == "" {
		return false
	}
	for _, fill := range []string{"zqx", "zqx zqy", ""} {
		text := strings.NewReplacer(":*", " "+fill, "**", fill, "*", fill, "?", "z").Replace(r.pattern)
		switch r.tool {
		case "Bash":
			if !matchCommand(d.pattern, strings.TrimSpace(text), d.Effect) {
				return false
			}
		case "Read", "Edit", "Grep":
			if !matchPath(d.pattern, "/a-workspace/"+text, text) {
				return false
			}
		default:
			if d.pattern != r.pattern {
				return false
			}
		}
	}
	return true
}
