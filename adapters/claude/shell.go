package claude

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/internal/bash"
)

// shell is a command text, taken apart as far as permissions look into it.
type shell struct {
	text     string
	parts    []*part // what allow rules see: the commands of lists, pipes, conditions and loops
	nested   []*part // what deny and ask rules see besides: groups, functions, substitutions
	veiled   string  // why rules for paths may not see the files that it names
	opaque   string  // why the text can't be checked before it runs, "" when it can
	after    bool    // a job in the background: later commands don't wait for it
	grouped  bool    // a subshell
	sealed   bool    // a subshell beside which 2.1.197's rules see nothing
	piped    bool
	assigned int  // variables that are set by themselves
	depth    int  // of conditions and loops
	later    bool // it holds what a fresh session asks for
	broken   bool // no shell reads the text
	tooLong  bool // it is longer or deeper than we read
	vars     map[string]string
	script   *bash.Script
	reading
}

// part is one simple command.
type part struct {
	text      string // as rules see it
	words     []word
	assigns   []assign
	redirects []redirect
	wild      bool // reads a variable where that counts
	nested    bool // allow rules don't see it
	uncalled  bool // stands in a function
	grouped   bool // stands in a subshell
	hidden    bool // 2.1.197's rules don't see it: behind a redirect or a value that isn't static
	exported  bool // stands in what export and the like assign
	unseen    bool // no rule sees it
	doubtful  bool // a rule that speaks of it may make Claude ask, whatever it says
	here      bool // it reads a here-string, which 2.1.197 takes for a part of the text
	timed     bool // it stands behind the time keyword
	loose     bool // stands in a condition or a loop that isn't static
	negated   bool // stands behind !
	assigned  bool // a variable is set to what it prints
	aside     bool // the search for removals doesn't see it
}

type word struct {
	text    string // what it stands for, as far as it is static
	raw     string
	static  bool
	glob    bool // an unquoted * ? or [
	dynamic bool // reads a variable that is known when the session starts: HOME, PWD
	split   bool // goes on in the next line
}

type assign struct {
	name  string
	value word
	bare  bool // nothing in it is special to a shell
}

type redirect struct {
	target word
	write  bool
	fd     bool // to another descriptor
}

// maxParts bounds the commands of a text that is judged: every one is compared
// with every path before it, so that a text of thousands would take minutes.
const maxParts = 300

// parseShell takes a command text apart.
func parseShell(text string) *shell {
	sh := &shell{text: text, vars: map[string]string{}}
	sh.lost, sh.marks = map[string]bool{}, map[*syntax.CmdSubst]sighted{}
	script, err := bash.Parse(text)
	if err != nil {
		var malformed syntax.ParseError
		var foreign syntax.LangError
		sh.broken, sh.tooLong = true, !errors.As(err, &malformed) && !errors.As(err, &foreign)
		sh.hide("a text that no shell reads")
		return sh
	}
	sh.script = script
	sh.findHeredocs()
	if (len(text)-len(strings.TrimRight(text, `\`)))%2 > 0 {
		sh.hide("a backslash at the end")
	}
	sh.stmts(script.File.Stmts, true)
	if sh.assigned > 1 {
		sh.hide(severalSet) // the last reason: alone it counts for one version only
	}
	if len(sh.parts) > maxParts {
		sh.broken, sh.tooLong = true, true
	}
	return sh
}

const severalSet = "more than one variable that is set"

// hide notes the first reason why the text can't be checked.
func (sh *shell) hide(reason string) {
	if sh.opaque == "" {
		sh.opaque = reason
	}
}

// veil notes the first reason why rules for paths may not see the files that the
// text names, anywhere in it (measured on 2.1.332, 2026-12-01; in the older version
// nobody has looked). Some of the texts with such a reason are denied all the same.
func (sh *shell) veil(reason string) {
	if sh.veiled == "" {
		sh.veiled = reason
	}
}

// stmts reads a list. What follows a heredoc before its text begins, behind ; or &,
// is seen by no rule.
func (sh *shell) stmts(list []*syntax.Stmt, seen bool) {
	for _, s := range list {
		sh.stmt(s, seen)
		sh.cut = max(sh.cut, sh.heredocIn(s))
	}
}

func (sh *shell) stmt(s *syntax.Stmt, seen bool) {
	blind, behind := sh.blind, sh.behind
	sh.blind = blind || s == sh.timedGroup
	if s.Pos().Offset() < sh.cut {
		sh.behind = true
		sh.hide("a command behind a heredoc in its line")
		sh.veil("a command behind a heredoc")
	}
	defer func() { sh.blind, sh.behind = blind, behind }()
	if s.Background {
		sh.scope++
		defer func() { sh.scope-- }()
	}
	if s.Background || s.Coprocess {
		sh.after = true
	}
	if _, simple := s.Cmd.(*syntax.CallExpr); !simple && s.Cmd != nil && len(s.Redirs) > 0 {
		if _, test := s.Cmd.(*syntax.TestClause); !test {
			sh.hide("a redirect of several commands")
			sh.veil("a redirect of several commands")
			bare := *s
			bare.Redirs = nil
			sh.redirects(s)
			sh.each(func() { sh.stmt(&bare, seen) }, hide197)
			return
		}
	}
	switch c := s.Cmd.(type) {
	case nil:
		sh.add(&part{redirects: sh.redirects(s)}, seen)
		sh.hide("a redirect without a command")
	case *syntax.CallExpr:
		sh.call(c, s, seen)
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			sh.piped = true
			if sh.depth > 0 {
				sh.hide("a pipe in a condition or a loop")
			}
		}
		if c.Op != syntax.AndStmt {
			sh.scope++
			defer func() { sh.scope-- }()
		}
		sh.stmt(c.X, seen)
		if sh.heredocIn(c.X) > c.Y.Pos().Offset() {
			sh.veil("a command behind a heredoc")
			sh.each(func() { sh.setAside(true, func() { sh.stmt(c.Y, seen) }) }, hide197)
			return
		}
		sh.stmt(c.Y, seen)
	case *syntax.IfClause:
		sh.depth++
		defer func() { sh.depth-- }()
		defer sh.compound(c)()
		for i := c; i != nil; i = i.Else {
			sh.stmts(i.Cond, seen)
			sh.stmts(i.Then, seen)
		}
	case *syntax.WhileClause:
		sh.depth++
		defer func() { sh.depth-- }()
		defer sh.compound(c)()
		sh.stmts(c.Cond, seen)
		sh.stmts(c.Do, seen)
	case *syntax.ForClause:
		sh.depth++
		defer func() { sh.depth-- }()
		defer sh.compound(c)()
		sh.loop(c, seen)
	case *syntax.TimeClause:
		sh.timed(c, s, seen)
	case *syntax.TestClause:
		sh.test(c, s, seen)
	case *syntax.DeclClause:
		sh.declare(c, s, seen)
	default:
		sh.group(s, seen)
	}
}

func (sh *shell) add(p *part, seen bool) {
	p.unseen, p.doubtful, p.aside = p.unseen || sh.blind || sh.behind, sh.doubtful, sh.aside
	if len(p.words) > 0 && forgets[p.words[0].text] {
		for _, w := range p.words[1:] {
			sh.lost[w.text] = true
			delete(sh.vars, w.text)
		}
	}
	if seen {
		sh.parts = append(sh.parts, p)
	} else {
		p.nested = true
		sh.nested = append(sh.nested, p)
	}
}

// all lists every command, wherever it stands.
func (sh *shell) all() []*part {
	return append(append([]*part{}, sh.parts...), sh.nested...)
}

// substitutes returns the substitution that a word consists of, or nil.
func substitutes(w *syntax.Word) *syntax.CmdSubst {
	if w == nil || len(w.Parts) != 1 {
		return nil
	}
	sub, _ := w.Parts[0].(*syntax.CmdSubst)
	return sub
}

func hasCommand(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
}
