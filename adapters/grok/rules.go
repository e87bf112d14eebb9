package grok

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/bash"
)

// rule is one rule of a settings file, taken apart: Tool or Tool(pattern).
type rule struct {
	fileRule
	index   int // within its layer
	tool    string
	pattern string
	inert   string // why it never decides, "" when it may
}

// ruleTools are the words before the bracket, and the class of tools they mean
// (22-permissions-and-safety.md of 1.0.41). Rules that name others are skipped.
var ruleTools = map[string]string{
	"Bash": "Bash", "Read": "Read", "Edit": "Edit", "Write": "Edit", "Grep": "Grep", "Glob": "Grep",
	"MCPTool": "MCPTool", "WebFetch": "WebFetch", "WebSearch": "WebSearch", "*": "*",
}

// readRules takes the rules apart and marks those that are never applied.
func readRules(f facts) []rule {
	count := map[string]int{}
	out := make([]rule, 0, len(f.Rules))
	for _, r := range f.Rules {
		tool, pattern, bracket := strings.Cut(r.Rule, "(")
		if bracket {
			pattern = strings.TrimSuffix(pattern, ")")
		}
		one := rule{fileRule: r, index: count[r.Layer], pattern: pattern}
		count[r.Layer]++
		switch class, ok := ruleTools[tool]; {
		case ok:
			one.tool = class
		case strings.HasPrefix(tool, "mcp__"):
			one.tool, one.pattern = "MCPTool", claudeTool(tool)
		default:
			one.inert = "Grok skips rules of a tool that it doesn't have"
		}
		if !f.trusted() && (r.Layer == projectLayer || r.Layer == claudeProjectLayer) {
			one.inert = "not enforced until the folder is trusted: Grok skips the rules of an untrusted project without a word"
		}
		out = append(out, one)
	}
	return out
}

// claudeTool rewrites Claude's names of MCP tools.
func claudeTool(name string) string {
	name = strings.TrimPrefix(name, "mcp__")
	if !strings.Contains(name, "__") && name != "*" {
		name += "__*"
	}
	return name
}

// target is what a request's rules are compared with.
type target struct {
	classes []string // of rules that speak of it
	text    string   // path, URL or tool name
	rel     string   // the path relative to the workspace, "" for none or outside
	line    *line    // for commands
	raw     string   // the command as it was written
	unasked bool     // ask rules don't hold for it: web_search
}

// matches reports whether a rule speaks of the target. An allow rule must cover
// every command of a line; ask and deny rules need one.
func (r rule) matches(t target) bool {
	switch {
	case r.inert != "", t.unasked && r.Effect == evaluator.Ask:
		return false
	case r.tool == "*":
		return r.pattern == "" || r.pattern == "*"
	case !contains(t.classes, r.tool):
		return false
	case r.pattern == "" || r.pattern == "*":
		return true
	case t.line != nil:
		return r.matchesLine(t)
	case r.tool == "Read" || r.tool == "Edit" || r.tool == "Grep":
		return matchPath(r.pattern, t.text, t.rel)
	case r.tool == "WebFetch" && strings.HasPrefix(r.pattern, "domain:"):
		return matchDomain(r.pattern[len("domain:"):], t.text)
	}
	return wild(r.pattern, t.text, true)
}

func (r rule) matchesLine(t target) bool {
	if r.Effect == evaluator.Allow {
		return false // judged over all allow rules together: see allows
	}
	if matchCommand(r.pattern, strings.TrimLeft(t.raw, " \t\n"), r.Effect) {
		return true
	}
	for _, text := range everyCommand(t.raw) {
		if matchCommand(r.pattern, text, r.Effect) {
			return true
		}
	}
	return false
}

// matchCommand compares a Bash pattern with a command: as what it begins with, or
// as a glob over the whole. For ask and deny rules the beginning may end within a
// word. (The guide says so of allow rules too; for those it may not.)
func matchCommand(pattern, text string, e evaluator.Effect) bool {
	prefix := strings.TrimSuffix(pattern, ":*")
	if rest, ok := strings.CutPrefix(text, prefix); ok && (e != evaluator.Allow || rest == "" || rest[0] == ' ') {
		return true
	}
	return wild(pattern, text, true)
}

// everyCommand lists the commands that deny and ask rules see: also those in
// subshells, substitutions, control flow and the scripts of bash -c, without
// wrappers and assignments; not what sudo, xargs, eval or nohup start.
func everyCommand(text string) []string {
	var out []string
	queue := []string{text}
	for n := 0; n < len(queue) && n < 20; n++ {
		script, err := bash.Parse(queue[n])
		if err != nil {
			continue
		}
		blind := hidden(script)
		for _, c := range script.Commands() {
			words, static := ruleWords(script, c)
			if len(words) == 0 || blind(c.Node) {
				continue
			}
			inner := peelAll(words)
			if strings.Contains(inner[0], " ") || words[0] == "timeout" && negative(words[1:]) {
				continue
			}
			if text, split := interrupted(script, c); split && len(inner) == len(words) {
				out = append(out, text)
			} else if !split {
				out = append(out, strings.Join(inner, " "))
			}
			if shells[inner[0]] {
				queue = append(queue, scripts(inner, static[len(words)-len(inner):])...)
			}
		}
	}
	return out
}

// ruleWords are a command's words as rules are compared with them: without quotes,
// but for those with escapes in them.
func ruleWords(script *bash.Script, c bash.Command) (words []string, static []bool) {
	words, static = script.Words(c)
	call, ok := c.Node.(*syntax.CallExpr)
	if !ok {
		return words, static
	}
	for i, w := range call.Args {
		switch raw := script.Source(w); {
		case strings.HasPrefix(raw, `\`):
			words[i] = `\` + words[i]
		case strings.HasPrefix(raw, "$'"), strings.HasPrefix(raw, `$"`):
			words[i] = raw
		}
	}
	return words, static
}

// negative reports whether an argument is a number that looks like an option.
func negative(args []string) bool {
	return len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0][1] >= '0' && args[0][1] <= '9'
}

// hidden reports the commands that no rule surely sees: behind time, coproc and the
// ! of a group, in and beside heredocs, and in what an expansion cuts or replaces.
func hidden(script *bash.Script) func(syntax.Node) bool {
	var spans [][2]uint
	hide := func(from, to syntax.Pos) { spans = append(spans, [2]uint{from.Offset(), to.Offset()}) }
	syntax.Walk(script.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.TimeClause, *syntax.CoprocClause:
			hide(n.Pos(), n.End())
		case *syntax.Stmt:
			if _, group := n.Cmd.(*syntax.Block); group && n.Negated {
				hide(n.Pos(), n.End())
			}
		case *syntax.Redirect:
			if n.Hdoc == nil {
				break
			}
			end := n.Hdoc.End()
			if line, _, _ := strings.Cut(script.Slice(int(n.OpPos.Offset()), len(script.Text)), "\n"); strings.ContainsAny(line, ";&") {
				end = script.File.End()
			}
			hide(n.OpPos, end)
		case *syntax.BinaryTest:
			if n.Op == syntax.TsReMatch {
				hide(n.Pos(), n.End())
			}
		case *syntax.ParamExp:
			if n.Repl != nil || n.Exp != nil && !defaults[n.Exp.Op] {
				hide(n.Pos(), n.End())
			}
			hideBackquoted(n, hide)
		case *syntax.CmdSubst:
			for _, s := range n.Stmts {
				if n.Backquotes {
					hideBackquoted(s, hide)
				}
			}
		}
		return true
	})
	return func(n syntax.Node) bool {
		for _, s := range spans {
			if s[0] <= n.Pos().Offset() && n.End().Offset() <= s[1] {
				return true
			}
		}
		return false
	}
}

// defaults are the operators of an expansion whose word stands for the variable.
var defaults = map[syntax.ParExpOperator]bool{
	syntax.AlternateUnset: true, syntax.AlternateUnsetOrNull: true, syntax.DefaultUnset: true, syntax.DefaultUnsetOrNull: true,
	syntax.ErrorUnset: true, syntax.ErrorUnsetOrNull: true, syntax.AssignUnset: true, syntax.AssignUnsetOrNull: true,
}

func hideBackquoted(n syntax.Node, hide func(from, to syntax.Pos)) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CmdSubst); ok && c.Backquotes {
			hide(c.Pos(), c.End())
		}
		return true
	})
}

// interrupted gives a command as it is written where a redirect stands among its
// words, "" where one stands before them.
func interrupted(script *bash.Script, c bash.Command) (text string, split bool) {
	call, ok := c.Node.(*syntax.CallExpr)
	if !ok {
		return "", false
	}
	last := call.Args[len(call.Args)-1]
	for _, r := range c.Stmt.Redirs {
		switch {
		case r.Pos().Offset() < call.Args[0].Pos().Offset():
			return "", true
		case r.Pos().Offset() < last.Pos().Offset():
			text, split = script.Slice(int(call.Args[0].Pos().Offset()), int(last.End().Offset())), true
		}
	}
	return text, split
}

// peelAll takes off wrappers, and env's own arguments with them.
func peelAll(words []string) []string {
	for {
		inner, why := peel(words)
		if why == "" {
			return inner
		}
		inner, ok := behindEnv(inner[1:])
		if !ok || len(inner) == 0 {
			return words
		}
		words = inner
	}
}

// envOptions are the options of env behind which rules see a program.
var (
	envOptions  = set("- -i -0 -v --null --debug --ignore-environment -u -C -P -a -iu --unset --chdir --argv0")
	envVariable = regexp.MustCompile(`^(?:-[uC].+|--(?:unset|chdir|argv0)=.*|[A-Za-z_]\w*=.*)$`)
)

// behindEnv drops env's own arguments, false where one hides the program.
func behindEnv(words []string) ([]string, bool) {
	for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
		if !envOptions[words[0]] && !envVariable.MatchString(words[0]) {
			return nil, false
		}
		words = words[1:]
	}
	return words, true
}

// allows reports whether the allow rules cover every command of the line. What
// is guarded none covers. (The guide says that rm and the like are.)
func allows(rules []rule, t target) (rule, bool) {
	var hit rule
	if t.line == nil || !t.line.split || t.line.rating == guarded || len(t.line.segments) == 0 {
		return hit, false
	}
	for _, s := range t.line.segments {
		found := false
		for _, r := range rules {
			if r.inert == "" && r.Effect == evaluator.Allow && (r.tool == "Bash" || r.tool == "*") &&
				(r.pattern == "" || r.pattern == "*" || r.tool == "Bash" && matchCommand(r.pattern, s.text, r.Effect)) {
				hit, found = r, true
				break
			}
		}
		if !found {
			return rule{}, false
		}
	}
	return hit, true
}

// matchPath compares a path pattern with a path: anywhere when it begins with
// "**" or "/", else within the workspace. (The guide says that a leading "*"
// matches at any depth too; it doesn't.)
func matchPath(pattern, file, rel string) bool {
	if strings.HasPrefix(pattern, "**") || strings.HasPrefix(pattern, "/") {
		return wild(pattern, file, false)
	}
	return rel != "" && wild(strings.TrimPrefix(pattern, "./"), rel, false)
}

func matchDomain(domain, url string) bool {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		rest = url
	}
	host := strings.ToLower(rest[:endOfHost(rest)])
	host, domain = strings.TrimPrefix(host, "www."), strings.ToLower(strings.TrimPrefix(domain, "www."))
	return host == domain || strings.HasSuffix(host, "."+domain)
}

func endOfHost(s string) int {
	if i := strings.IndexAny(s, "/:?#"); i >= 0 {
		return i
	}
	return len(s)
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}
