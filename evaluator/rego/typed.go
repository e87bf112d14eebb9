package rego

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"

	"github.com/modegate/modegate/internal/diag"
)

// misnamed are references into the input to what it never has: a condition with
// one fails for ever, in silence. The modules are compiled once more for it, with
// the schema of the input; compiled are those that are asked later. OPA takes every
// field of a schema for always there and never null, so that what it says of whole
// values needn't be so (input.rule == null). That a name isn't there is.
func misnamed(f *folder, compiled *ast.Compiler, form form) (found diag.List) {
	set, err := schemaSet(form.schema)
	if err != nil {
		return diag.List{{File: f.name, Message: err.Error()}}
	}
	modules := map[string]*ast.Module{}
	for file, m := range f.modules {
		modules[file] = withoutEvery(m)
	}
	can, _ := capabilities()
	c := ast.NewCompiler().WithCapabilities(can).SetErrorLimit(0).WithSchemas(set)
	c.Compile(modules)
	elsewhere := otherInputs(compiled)
	for _, e := range c.Errors {
		if e.Location != nil && elsewhere[placeOf(e.Location)] {
			continue
		}
		// What has no place isn't a name that somebody wrote.
		if place, message := noSuch(e); message != "" && place != nil {
			found = append(found, at(place, "%s", message))
		}
	}
	return found
}

// noSuch says where what isn't there is named, and what is there; no message when
// the error is about something else.
func noSuch(e *ast.Error) (place *ast.Location, message string) {
	switch d := e.Details.(type) {
	case *ast.RefErrInvalidDetail:
		name, of := d.Ref[d.Pos], d.Ref[:d.Pos]
		place = cmp.Or(name.Location, e.Location)
		switch {
		case d.Have != nil: // a variable or a reference: any of its values
		case len(d.OneOf) > 0:
			return place, fmt.Sprintf("%s has no %s: it has %s", of, name, listed(d.OneOf))
		case d.Want == types.N:
			return place, fmt.Sprintf("%s has no %s: its keys are numbers, so take one of what it has (some x in %s)", of, name, of)
		}
	case *ast.RefErrUnsupportedDetail:
		if d.Pos+1 < len(d.Ref) {
			name := d.Ref[d.Pos+1]
			return cmp.Or(name.Location, e.Location), fmt.Sprintf("%s has no %s: it is %s", d.Ref[:d.Pos+1], name, kind(d.Have))
		}
	}
	return nil, ""
}

// withoutEvery is a module in which each "every k, v in list" is a comprehension
// over the same: OPA doesn't know the types of the variables of every.
func withoutEvery(m *ast.Module) *ast.Module {
	lists := 0
	bodies := func(x any) (any, error) {
		body, ok := x.(ast.Body)
		if !ok {
			return x, nil
		}
		var out ast.Body
		for _, e := range body {
			if every, ok := e.Terms.(*ast.Every); ok {
				lists++
				list := ast.VarTerm(fmt.Sprintf("list %d of every", lists)) // a name that no Rego has
				// What the list is stands outside, where its own variables are.
				named := expression(ast.Assign.Expr(list, every.Domain).Terms, e.Location)
				named.With = e.With
				out.Append(named)
				e.Terms = walking(every, list, e.Location)
			}
			out.Append(e)
		}
		return out, nil
	}
	out, err := ast.Transform(ast.NewGenericTransformer(bodies), m.Copy())
	if module, ok := out.(*ast.Module); ok && err == nil {
		return module
	}
	return m
}

// walking is what every says, as a comprehension over a named list.
func walking(every *ast.Every, list *ast.Term, l *ast.Location) *ast.Term {
	key := every.Key
	if key == nil {
		key = ast.VarTerm(ast.WildcardPrefix + "key of every")
	}
	walk := &ast.SomeDecl{Symbols: []*ast.Term{ast.MemberWithKey.Call(key, every.Value, list)}, Location: l}
	return ast.ArrayComprehensionTerm(ast.BooleanTerm(true), append(ast.Body{expression(walk, l)}, every.Body...))
}

func expression(terms any, l *ast.Location) *ast.Expr { return &ast.Expr{Terms: terms, Location: l} }

// kind says what a value without names is.
func kind(t types.Type) string {
	switch t {
	case types.S:
		return "a text"
	case types.N:
		return "a number"
	case types.B:
		return "true or false"
	}
	return types.Sprint(t)
}

// listed writes names as a sentence does.
func listed(names []ast.Value) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strings.Trim(n.String(), `"`)
	}
	if n := len(out); n > 1 {
		return strings.Join(out[:n-1], ", ") + " and " + out[n-1]
	}
	return strings.Join(out, "")
}

// otherInputs are the places of rules that are asked about another input than the
// one that we give (with input as …): its names aren't known here.
func otherInputs(c *ast.Compiler) map[string]bool {
	var todo []*ast.Rule
	for _, m := range c.Modules {
		ast.WalkExprs(m, func(e *ast.Expr) bool {
			if slices.ContainsFunc(e.With, func(w *ast.With) bool { return isInput(w.Target) }) {
				ast.WalkRefs(e, func(r ast.Ref) bool {
					todo = append(todo, c.GetRulesDynamicWithOpts(r, ast.RulesOptions{})...)
					return false
				})
			}
			return false
		})
	}
	seen, places := map[*ast.Rule]bool{}, map[string]bool{}
	for len(todo) > 0 {
		rule := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[rule] {
			continue
		}
		seen[rule] = true
		ast.WalkTerms(rule, func(t *ast.Term) bool {
			if t.Location != nil {
				places[placeOf(t.Location)] = true
			}
			return false
		})
		for next := range c.Graph.Dependencies(rule) {
			todo = append(todo, next.(*ast.Rule))
		}
	}
	return places
}

func isInput(t *ast.Term) bool {
	r, ok := t.Value.(ast.Ref)
	return ok && r.HasPrefix(ast.InputRootRef)
}

func placeOf(l *ast.Location) string { return fmt.Sprintf("%s:%d:%d", l.File, l.Row, l.Col) }
