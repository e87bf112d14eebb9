package grok

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/internal/bash"
)

// What hides a command from the deny and ask rules that speak of it (measured on
// 1.0.41, 2026-12-01: testdata/grok/hidden.json). Where Grok was seen to deny some
// of a kind only, no rule is said to see any.

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
			if n.Repl != nil || n.Exp != nil && !bash.StandsIn(n.Exp.Op) {
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
	slices.SortFunc(spans, func(a, b [2]uint) int { return cmp.Compare(a[0], b[0]) })
	for i := 1; i < len(spans); i++ { // how far the spans reach that begin so early
		spans[i][1] = max(spans[i][1], spans[i-1][1])
	}
	return func(n syntax.Node) bool {
		begun, _ := slices.BinarySearchFunc(spans, n.Pos().Offset(), func(s [2]uint, at uint) int {
			if s[0] <= at {
				return -1
			}
			return 1
		})
		return begun > 0 && n.End().Offset() <= spans[begun-1][1]
	}
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
