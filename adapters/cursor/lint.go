package cursor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/adapters/internal/permlist"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/policies"
)

// Lint finds what is wrong with the settings of a session, or with the permissions
// of a cli-config.json or cli.json.
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
	entries, found := permlist.Read(root, []string{"allow", "deny"}, nil)
	l := linter{}
	for _, e := range entries {
		l.tokens = append(l.tokens, lintToken{Entry: e, token: readTokens([]string{e.Text}, e.List)[0]})
	}
	for i := range l.tokens {
		bad := l.form(&l.tokens[i])
		l.tokens[i].inert = len(bad) > 0
		found = append(found, bad...)
	}
	for _, t := range l.tokens {
		if !t.inert {
			found = append(found, l.meaning(t)...)
		}
	}
	return found, nil
}

// ignoredArguments finds arguments that acp takes and doesn't apply.
func ignoredArguments(root *policies.Node, n Native) []lint.Finding {
	var out []lint.Finding
	for _, arg := range readArgv(n.Argv).ignored {
		i := slices.IndexFunc(n.Argv, func(a string) bool { return strings.HasPrefix(arg, strings.SplitN(a, "=", 2)[0]) })
		out = append(out, lint.At("inert-setting", lint.Item(root.Get("argv"), "/argv", i),
			fmt.Sprintf("%s does nothing over acp: the session's mode is what session/set_mode sets", arg), "name the mode among modeAliases"))
	}
	return out
}

type linter struct{ tokens []lintToken }

// lintToken is one permission as it was written and as Cursor reads it.
type lintToken struct {
	token
	permlist.Entry
	inert bool
}

var tokenKinds = []string{shellTool, readTool, writeTool, webFetchTool, mcpTool}

// form finds permissions that never apply.
func (l linter) form(t *lintToken) []lint.Finding {
	pattern := strings.TrimSpace(t.pattern)
	switch {
	case !strings.HasSuffix(t.Text, ")") || !strings.Contains(t.Text, "("):
		return t.Find("inert-rule", "isn't one: Cursor's permissions have the form Tool(pattern)", "write Tool(pattern) with the bracket closed")
	case !slices.Contains(tokenKinds, t.kind):
		return l.unknownKind(t)
	case pattern == "":
		return t.Find("inert-rule", "matches nothing: its pattern is empty", fmt.Sprintf("write %q", t.kind+"(*)"))
	case t.kind == webFetchTool && t.List == "deny":
		return t.Find("inert-rule", "has no effect: a deny on WebFetch isn't kept (recorded on 2026.10.01)", "allow single hosts instead, with approvalMode allowlist")
	case t.kind == shellTool:
		base, _, _ := strings.Cut(pattern, ":")
		if words := strings.Fields(base); len(words) > 1 {
			return t.Find("never-matches", "never matches: what stands before the colon is compared with a command's first word", fmt.Sprintf("write %q", shellTool+"("+words[0]+":"+strings.Join(words[1:], " ")+"*)"))
		}
	case t.kind == readTool || t.kind == writeTool:
		if strings.HasPrefix(pattern, "~") || strings.HasPrefix(pattern, "$HOME") {
			return t.Find("path-form", "never matches: a home shortcut isn't expanded in a pattern", "write the absolute path")
		}
		if strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../") {
			return t.Find("path-form", "never matches: paths are compared absolute, or relative to the workspace without ./", "leave the ./ out")
		}
	}
	if why := lint.Foreign(pattern, false); why != "" && !strings.Contains(why, "class of characters") {
		return t.Find("literal-pattern", "means something else than it looks: "+why, "write one rule for each choice")
	}
	return nil
}

// unknownKind speaks of a tool that Cursor's permissions don't have.
func (l linter) unknownKind(t *lintToken) []lint.Finding {
	to := map[string]string{"bash": shellTool, "command": shellTool, "edit": writeTool, "fetch": webFetchTool}[strings.ToLower(t.kind)]
	for _, k := range tokenKinds {
		if strings.EqualFold(k, t.kind) {
			to = k
		}
	}
	instead := "write one of " + strings.Join(tokenKinds, ", ")
	if to != "" {
		instead = fmt.Sprintf("write %q", to)
	}
	return t.Find("unknown-action", fmt.Sprintf("does nothing: Cursor's permissions have no %s", t.kind), instead)
}

// meaning finds permissions that a deny takes out of force, and allows that open
// everything.
func (l linter) meaning(t lintToken) []lint.Finding {
	if t.List != "allow" {
		return nil
	}
	for _, d := range l.tokens {
		if d.List == "deny" && !d.inert && d.kind == t.kind && l.covers(d, t) {
			f := t.Find(lint.DeadRule, fmt.Sprintf("never decides: %s holds for all that it speaks of, and Cursor looks at deny first", d.Quote()), fmt.Sprintf("make %s narrower, or remove this rule", d.Quote()))
			return []lint.Finding{f[0].With(d.Ref, "this rule decides instead")}
		}
	}
	base, args, both := strings.Cut(t.pattern, ":")
	if t.kind != shellTool || strings.Contains(base, "*") {
		return nil
	}
	open := !both || strings.Contains(args, "*")
	head, _, _ := strings.Cut(args, "*")
	if how := lint.Launcher(append([]string{base}, strings.Fields(head)...), open); how != "" {
		return t.Find("launcher", "allows everything: "+how, lint.LauncherInstead)
	}
	return nil
}

// covers reports whether a deny holds for everything that an allow speaks of: for
// samples of all its shapes.
func (l linter) covers(d, t lintToken) bool {
	for _, fill := range []string{"zqx", "zqx/zqy.zq", ""} {
		text := strings.NewReplacer("**", fill, "*", strings.ReplaceAll(fill, "/", "-"), "?", "z").Replace(t.pattern)
		r := request{Tool: t.kind}
		switch t.kind {
		case shellTool:
			r.Input.Command = strings.Replace(text, ":", " ", 1)
			if !strings.Contains(t.pattern, ":") {
				r.Input.Command = strings.TrimSpace(text + " " + fill)
			}
		case readTool, writeTool:
			r.Input.Path = text
		case webFetchTool:
			r.Input.URL = "https://" + text + "/"
		case mcpTool:
			server, tool, _ := strings.Cut(strings.ReplaceAll(text, " ", ""), ":")
			r.Input.Server, r.Input.Tool = server, tool
		}
		if strings.TrimSpace(r.Input.Command+r.Input.Path+r.Input.URL+r.Input.Tool) == "" {
			continue
		}
		if !d.matches(r, "/a-workspace") {
			return false
		}
	}
	return true
}
