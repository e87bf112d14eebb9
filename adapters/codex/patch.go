package codex

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/internal/bash"
)

// interceptPatch finds the patch in a script that Codex takes for a call of
// apply_patch: nothing but `apply_patch <<'EOF'` and its text, with or without
// `cd FOLDER &&` before. With anything else around it, it is a command. A script
// that is a bare patch is refused ("implicit invocation"; source).
func interceptPatch(script string) (patch, dir string, ok bool) {
	if bash.HasComment(script) {
		return "", "", false
	}
	s, err := bash.Parse(script)
	if err != nil || len(s.File.Stmts) != 1 {
		return "", "", false
	}
	stmt := s.File.Stmts[0]
	if b, list := stmt.Cmd.(*syntax.BinaryCmd); list {
		if b.Op != syntax.AndStmt || len(stmt.Redirs) > 0 || !bare(stmt) || !bare(b.X) || len(b.X.Redirs) > 0 {
			return "", "", false
		}
		if dir, ok = cdFolder(s, b.X); !ok {
			return "", "", false
		}
		stmt = b.Y
	}
	call, isCall := stmt.Cmd.(*syntax.CallExpr)
	if !isCall || !bare(stmt) || len(call.Assigns) > 0 || len(call.Args) != 1 || len(stmt.Redirs) != 1 {
		return "", "", false
	}
	name, redir := call.Args[0].Lit(), stmt.Redirs[0]
	if name != applyPatch && name != "applypatch" || redir.Hdoc == nil || redir.N != nil {
		return "", "", false
	}
	body := strings.TrimRight(s.Source(redir.Hdoc), "\n") // with the line that ends it
	return body[:max(0, strings.LastIndexByte(body, '\n'))], dir, true
}

// bare reports whether a statement is neither negated nor in the background.
func bare(s *syntax.Stmt) bool { return !s.Negated && !s.Background && !s.Coprocess && !s.Disown }

func cdFolder(s *bash.Script, stmt *syntax.Stmt) (string, bool) {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) != 2 || call.Args[0].Lit() != "cd" {
		return "", false
	}
	switch p := onlyPart(call.Args[1]).(type) {
	case *syntax.Lit:
		return s.Source(p), true
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	case *syntax.DblQuoted:
		if _, lit := onlyLit(p); lit {
			return strings.Trim(s.Source(p), `"`), true
		}
	}
	return "", false
}

func onlyLit(d *syntax.DblQuoted) (*syntax.Lit, bool) {
	if d.Dollar || len(d.Parts) != 1 {
		return nil, false
	}
	lit, ok := d.Parts[0].(*syntax.Lit)
	return lit, ok
}

// patchPaths lists the paths that a patch changes, both ends of a move, in order.
// An error is a patch that Codex refuses before it thinks of approval. Whether the
// changes fit the files isn't known here.
func patchPaths(text string) ([]string, error) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) < 2 || strings.TrimSpace(lines[0]) != "*** Begin Patch" || strings.TrimSpace(lines[len(lines)-1]) != "*** End Patch" {
		return nil, errors.New("the patch has no *** Begin Patch or *** End Patch")
	}
	lines = lines[1 : len(lines)-1]
	var out []string
	for len(lines) > 0 {
		head := strings.TrimSpace(lines[0])
		lines = lines[1:]
		if p, ok := strings.CutPrefix(head, "*** Add File: "); ok {
			out = append(out, p)
			for len(lines) > 0 && strings.HasPrefix(lines[0], "+") {
				lines = lines[1:]
			}
			continue
		}
		if p, ok := strings.CutPrefix(head, "*** Delete File: "); ok {
			out = append(out, p)
			continue
		}
		p, ok := strings.CutPrefix(head, "*** Update File: ")
		if !ok {
			return nil, errors.New("the patch has a part without a header")
		}
		out = append(out, p)
		if len(lines) > 0 {
			if to, moved := strings.CutPrefix(lines[0], "*** Move to: "); moved {
				out, lines = append(out, to), lines[1:]
			}
		}
		var err error
		if lines, err = skipChanges(lines); err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the patch is empty")
	}
	return out, nil
}

// skipChanges skips the changes of one file; there must be some.
func skipChanges(lines []string) ([]string, error) {
	changes := 0
	for ; len(lines) > 0; lines = lines[1:] {
		line := lines[0]
		switch {
		case strings.TrimSpace(line) == "" || line == "*** End of File":
		case strings.HasPrefix(line, "*"):
			if changes == 0 {
				return nil, errors.New("the patch updates a file with no change")
			}
			return lines, nil
		case line[0] == '+' || line[0] == '-' || line[0] == ' ':
			changes++
		case strings.HasPrefix(line, "@@"):
		default:
			return nil, errors.New("the patch has a line that is no change")
		}
	}
	if changes == 0 {
		return nil, errors.New("the patch updates a file with no change")
	}
	return nil, nil
}
