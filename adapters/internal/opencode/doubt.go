package opencode

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/internal/bash"
)

// directoryCommands only change the folder: there is no ask for the command
// itself, but their words are looked at.
var directoryCommands = []string{"cd", "pushd", "popd", "chdir", "push-location", "set-location"}

// unasked are other simple commands that OpenCode's grammar doesn't take for
// commands.
var unasked = []string{"[", "unset", "unsetenv"}

var (
	blankAfterBackslash = regexp.MustCompile(`\\[ \t]+\n`)
	blankBeforeSign     = regexp.MustCompile(`\\ [^\n]*#`)
	dashBeforeRedirect  = regexp.MustCompile(`[ \t]-[ \t]+[0-9]*[<>&]`)
	escapedAfterNewline = regexp.MustCompile(`\n\\[ \t]`)
	brokenName          = regexp.MustCompile(`[^\s]\\\n[^\s]`)
	nameAsVariable      = regexp.MustCompile(`^[\p{L}\p{M}\p{N}_]+[%@#]`)
	continuedComment    = regexp.MustCompile(`\\\n[ \t]*#|#[^\n]*\\\n`)
)

// doubtfulText names what stands in a text that the two grammars read apart.
func doubtfulText(text string) string {
	end := strings.TrimRight(text, " \t\n")
	switch {
	case strings.ContainsAny(text, "\r\v\f\u00a0\ufeff"):
		return "white space that only one grammar takes for space"
	case (len(end)-len(strings.TrimRight(end, `\`)))%2 == 1:
		return "a backslash at the end"
	case blankAfterBackslash.MatchString(text):
		return "a backslash before blanks at the end of a line"
	case escapedAfterNewline.MatchString(text):
		return "an escaped blank at the beginning of a line"
	case continued.MatchString(text) && strings.ContainsAny(text, "'\"`$#<>(){}[=!"):
		return "a continued line right behind a newline"
	case strings.Contains(text, `$"`):
		return "a dollar sign before a quote"
	case blankBeforeSign.MatchString(text):
		return "a number sign behind an escaped blank"
	case dashBeforeRedirect.MatchString(text):
		return "a dash before a redirect"
	case continuedComment.MatchString(text):
		return "a number sign beside a continued line"
	case strings.Contains(text, "\\`"):
		return "a backslash before a backtick"
	}
	return ""
}

func doubtfulName(name string) string {
	switch {
	case name == "" || strings.HasPrefix(name, `\ `):
		return "a command name without letters"
	case name == "time":
		return "an assignment before a keyword"
	case brokenName.MatchString(name):
		return "a command name that goes on in the next line"
	case nameAsVariable.MatchString(name):
		return "a command name that begins as a variable does"
	case name != "[" && name[0] != '$' && strings.ContainsAny(name, "{}#["):
		return "a command name with a bracket, a brace or a number sign"
	}
	return ""
}

// doubtNode names the constructs that the two grammars read apart.
func (r *shellReader) doubtNode(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.CmdSubst:
		r.substitution(n)
	case *syntax.ParamExp:
		source := r.script.Source(n)[1:]
		instead := n.Exp != nil && n.Exp.Op <= syntax.AssignUnsetOrNull
		if strings.Contains(source, "`") || !instead && strings.Contains(source, "$") {
			r.doubt("a substitution in a parameter's pattern")
		}
	case *syntax.ArithmCmd:
		r.arithmetic(n.X)
	case *syntax.Lit:
		if strings.HasSuffix(n.Value, "$") {
			r.doubt("a dollar sign alone")
		}
	case *syntax.ExtGlob:
		r.doubt("an extended glob")
	case *syntax.FuncDecl:
		switch n.Body.Cmd.(type) {
		case *syntax.Block, *syntax.Subshell:
		default:
			r.doubt("a function without braces")
		}
	}
}

func (r *shellReader) substitution(n *syntax.CmdSubst) {
	if len(n.Stmts) == 0 {
		r.doubt("an empty substitution")
		return
	}
	if _, ok := n.Stmts[0].Cmd.(*syntax.ArithmCmd); ok {
		r.doubt("an arithmetic command in a substitution")
	}
}

// arithmetic doubts an arithmetic command that does more than name, compare or
// assign: that grammar then takes it for something else.
func (r *shellReader) arithmetic(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.Word:
	case *syntax.BinaryArithm:
		switch x.Op {
		case syntax.Assgn, syntax.Lss, syntax.Gtr, syntax.Comma:
			r.arithmetic(x.X)
			r.arithmetic(x.Y)
			return
		}
		r.doubt("a calculation in an arithmetic command")
	default:
		r.doubt("a calculation in an arithmetic command")
	}
}

// afterNot doubts a "!" before what that grammar doesn't take there.
func (r *shellReader) afterNot(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		r.afterNot(c.X.Cmd)
	case *syntax.Subshell, *syntax.TestClause:
	case *syntax.CallExpr:
		if len(c.Args) > 0 && strings.HasPrefix(c.Args[0].Lit(), "unset") {
			r.doubt("a negation of unset")
		}
	default:
		r.doubt("a negation of a compound command")
	}
}

// heredocs accepts a here-document only where both grammars see the same text:
// after the words of a command, nothing but redirects behind it on its line, and
// a body that neither is empty nor holds backticks or a line like its end.
func (r *shellReader) heredocs(s *syntax.Stmt) {
	count := 0
	for _, d := range s.Redirs {
		if d.Op != syntax.Hdoc && d.Op != syntax.DashHdoc {
			continue
		}
		count++
		if count > 1 || d.Hdoc == nil || s.Background || s.Negated || !r.endsLine(s, d) || !plainBody(r.script.Source(d.Hdoc), d.Word) {
			r.doubt("a here-document that the two grammars may read apart")
			return
		}
		if s.Cmd == nil || s.Cmd.Pos().Offset() > d.Pos().Offset() {
			r.doubt("a here-document before its command")
		}
	}
}

// endsLine reports whether only redirects follow a here-document's word on its line.
func (r *shellReader) endsLine(s *syntax.Stmt, d *syntax.Redirect) bool {
	end := int(d.Word.End().Offset())
	for _, other := range s.Redirs {
		if other != d && int(other.Pos().Offset()) >= end {
			end = int(other.Word.End().Offset())
		}
	}
	rest := r.script.Text[min(end, len(r.script.Text)):]
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line) == ""
}

func plainBody(body string, word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	delimiter, ok := bash.Literal(word)
	if !ok {
		return false
	}
	live := word.Lit() == delimiter // the body is expanded
	if strings.TrimSpace(body) == "" || delimiter == "" || strings.Contains(body, "`") || live && (strings.Contains(body, `\`) || strings.Contains(body, "$((")) {
		return false
	}
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if strings.TrimSpace(lines[len(lines)-1]) == delimiter {
		lines = lines[:len(lines)-1]
	}
	for _, line := range lines {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), delimiter) {
			return false
		}
	}
	return true
}
