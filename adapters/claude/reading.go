package claude

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reading is what holds for what is read at the moment.
type reading struct {
	scope      int             // of groups, functions, substitutions, pipes and jobs
	groups     int             // of groups, functions and substitutions
	lost       map[string]bool // variables whose value Claude gives up on
	blind      bool            // no rule sees it, but for what is nested in it
	behind     bool            // no rule sees it: it stands behind a heredoc
	cut        uint            // where the text of the last heredoc begins
	doubtful   bool            // see part
	aside      bool            // see part
	heredocs   []heredoc
	marks      map[*syntax.CmdSubst]sighted
	timedStmt  *syntax.Stmt // what stands behind time
	timedGroup *syntax.Stmt // the group behind time, whose commands no rule sees
}

// heredoc is where one is named, and where its text begins.
type heredoc struct{ at, text uint }

// findHeredocs lists the heredocs of a text in their order.
func (sh *shell) findHeredocs() {
	if !strings.Contains(sh.text, "<<") {
		return
	}
	syntax.Walk(sh.script.File, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Redirect); ok && (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) {
			h := heredoc{r.OpPos.Offset(), r.OpPos.Offset()}
			if i := strings.IndexByte(sh.text[min(int(h.at), len(sh.text)):], '\n'); i >= 0 {
				h.text += uint(i)
			}
			if r.Hdoc != nil && len(r.Hdoc.Parts) > 0 {
				h.text = r.Hdoc.Pos().Offset()
			}
			sh.heredocs = append(sh.heredocs, h)
		}
		return true
	})
	slices.SortFunc(sh.heredocs, func(a, b heredoc) int { return cmp.Compare(a.at, b.at) })
}

// heredocIn gives where the text of the last heredoc of a statement begins, 0 when
// it has none.
func (sh *shell) heredocIn(s *syntax.Stmt) uint {
	before, _ := slices.BinarySearchFunc(sh.heredocs, s.End().Offset(), func(h heredoc, end uint) int { return cmp.Compare(h.at, end) })
	if before == 0 || sh.heredocs[before-1].at < s.Pos().Offset() {
		return 0
	}
	return sh.heredocs[before-1].text
}

// inside reads something that is a scope of its own.
func (sh *shell) inside(read func()) {
	sh.scope++
	sh.groups++
	read()
	sh.scope--
	sh.groups--
	for name := range sh.vars { // Claude follows no variable beside it
		sh.lost[name] = true
	}
	clear(sh.vars)
}

// each does something to the commands that a reading finds.
func (sh *shell) each(read func(), do func(*part)) {
	parts, nested := len(sh.parts), len(sh.nested)
	read()
	for _, p := range sh.parts[parts:] {
		do(p)
	}
	for _, p := range sh.nested[nested:] {
		do(p)
	}
}

func hide197(p *part) { p.hidden = true }

// setAside reads what the search for removals doesn't see, where it is so.
func (sh *shell) setAside(is bool, read func()) {
	before := sh.aside
	sh.aside = before || is
	read()
	sh.aside = before
}

// compound hides the commands of a condition or a loop from 2.1.197 when there is
// anything in it that isn't static; call what it gives at its end.
func (sh *shell) compound(n syntax.Node) (end func()) {
	if sh.depth > 1 || !moving(n) { // an outer one tells of the inner ones
		return func() {}
	}
	parts, nested := len(sh.parts), len(sh.nested)
	return func() {
		for _, p := range sh.parts[parts:] {
			p.hidden, p.loose = true, true
		}
		for _, p := range sh.nested[nested:] {
			p.hidden, p.loose = true, true
		}
	}
}

// moving reports whether a condition or a loop has variables, substitutions but
// for those that a loop goes through, groups, heredocs, or jobs in the background.
func moving(n syntax.Node) bool {
	found := false
	skip := map[syntax.Node]bool{}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.WordIter:
			for _, w := range n.Items {
				if sub := substitutes(w); sub != nil {
					skip[sub] = true
				}
			}
		case *syntax.CmdSubst:
			found = found || !skip[n]
		case *syntax.Word:
			found = found || braces(n)
		case *syntax.Redirect:
			found = found || n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc
		case *syntax.ParamExp, *syntax.ProcSubst, *syntax.ArithmCmd, *syntax.Block, *syntax.FuncDecl, *syntax.CaseClause:
			found = true
		case *syntax.Stmt:
			found = found || n.Background
		}
		return !found
	})
	return found
}

// learn keeps the value of a variable that is set once, by itself, outside of
// conditions, groups and pipes, to one word.
func (sh *shell) learn(a assign, more bool) {
	_, again := sh.vars[a.name]
	plain := a.value.static && !strings.HasPrefix(a.value.text, "~") && !strings.ContainsAny(a.value.text, " \t\n")
	if again || more || !plain || sh.scope > 0 || sh.depth > 0 {
		sh.lost[a.name] = true
		delete(sh.vars, a.name)
	}
	if a.name != "" && !sh.lost[a.name] {
		sh.vars[a.name] = a.value.text
	}
}

// lose gives up on a variable's value.
func (sh *shell) lose(name *syntax.Lit) {
	if name != nil {
		sh.lost[name.Value] = true
		delete(sh.vars, name.Value)
	}
}

// forgets are the commands behind which a variable's value isn't known.
var forgets = set(`unset read printf mapfile readarray getopts`)
