package rego

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/modegate/modegate/internal/diag"
)

// capabilities are what a text may use of OPA: every built-in function but those
// that look at more than their arguments (the network, the clock, the process,
// chance). An answer must be the same whenever and wherever it is asked for.
func capabilities() (out *ast.Capabilities, refused map[string]bool) {
	out, refused = ast.CapabilitiesForThisVersion(), map[string]bool{}
	out.Builtins = slices.DeleteFunc(out.Builtins, func(b *ast.Builtin) bool {
		if b.IsNondeterministic() {
			refused[b.Name] = true
		}
		return b.IsNondeterministic()
	})
	return out, refused
}

// explained says of a function that isn't there why it isn't.
func explained(list diag.List, refused map[string]bool) diag.List {
	for i, p := range list {
		if name, ok := strings.CutPrefix(p.Message, "undefined function "); ok && refused[name] {
			list[i].Message = name + " is refused: an answer must be the same whenever and wherever it is asked for"
		}
	}
	return list
}

// traps are what Rego takes and nobody means: glob.match(p, [], x) has the
// delimiter "." where its author reads none.
func traps(m *ast.Module) (found diag.List) {
	look := func(operator *ast.Term, args []*ast.Term, l *ast.Location) {
		if !ast.GlobMatch.Ref().Equal(operator.Value) || len(args) < 2 {
			return
		}
		if list, ok := args[1].Value.(*ast.Array); ok && list.Len() == 0 {
			found = append(found, at(l, `glob.match takes [] for ["."], so that * stops at a dot: give null, or the delimiters that you mean`))
		}
	}
	ast.WalkNodes(m, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Expr:
			if n.IsCall() {
				look(n.OperatorTerm(), n.Operands(), n.Location)
			}
		case *ast.Term:
			if call, ok := n.Value.(ast.Call); ok {
				look(call[0], call[1:], n.Location)
			}
		}
		return false
	})
	return found
}

// unresolved are references into data that nothing here defines. They are
// undefined whatever the input, which makes conditions fail in silence.
func unresolved(c *ast.Compiler) (found diag.List) {
	for _, file := range sorted(c.Modules) {
		for _, rule := range c.Modules[file].Rules {
			ast.WalkRefs(rule, func(r ast.Ref) bool {
				if r.HasPrefix(ast.DefaultRootRef) && !defined(c.RuleTree, r) && r[0].Location != nil {
					found = append(found, at(r[0].Location, "%s is nothing that is loaded here, so it is always undefined", r))
				}
				return false
			})
		}
	}
	return found
}

// defined reports whether a reference leads to a rule, or may.
func defined(node *ast.TreeNode, r ast.Ref) bool {
	for i, term := range r {
		if i > 0 && (len(node.Values) > 0 || !term.IsGround()) {
			return true
		}
		next := node.Child(term.Value)
		if next == nil {
			return false
		}
		node = next
	}
	return len(node.Values) > 0 || len(node.Children) > 0
}
