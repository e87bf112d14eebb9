package rego

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	oparego "github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
)

// form is what a package of one kind has to be.
type form struct {
	root  string // packages are data.modegate.ROOT.NAME
	entry string // the rule that is asked for
	set   bool   // it is a set, and not one value
	what  string

	schema []byte // of its input
}

var (
	guardrailForm = form{"guardrails", "decision", false, "guardrail", guardrailSchema}
	invariantForm = form{"invariants", "violation", true, "invariant", invariantSchema}
)

// missing says that a folder has none.
func (f form) missing() string {
	return fmt.Sprintf("there is no %s here: one is a package modegate.%s.NAME with a rule %s", f.what, f.root, f.entry)
}

// program is one package's rule, ready to run.
type program struct {
	name  string // the package's, below its root
	title string // of its metadata
	file  string // where the rule begins
	line  int
	query oparego.PreparedEvalQuery
}

// compile checks and compiles everything, and prepares every package's entry.
func compile(f *folder, form form) []program {
	for _, file := range f.order {
		if m := f.modules[file]; m != nil {
			f.found = append(f.found, traps(m)...)
		}
	}
	can, refused := capabilities()
	c := ast.NewCompiler().WithStrict(true).WithCapabilities(can).SetErrorLimit(0)
	c.Compile(f.modules)
	if c.Failed() {
		f.found = append(f.found, explained(f.problems(c.Errors, f.name), refused)...)
	}
	if len(f.found) > 0 {
		return nil
	}
	f.found = append(f.found, misnamed(f, c, form)...)
	f.found = append(f.found, unresolved(c)...)
	packages := entries(f, c, form)
	if len(packages) == 0 && len(f.found) == 0 {
		f.refuse(f.name, "%s", form.missing())
	}
	if len(f.found) > 0 {
		return nil
	}
	var out []program
	for _, p := range packages {
		query, err := oparego.New(
			oparego.Query(p.ref.String()), oparego.Compiler(c), oparego.Store(inmem.New()), oparego.StrictBuiltinErrors(true),
		).PrepareForEval(context.Background())
		if err != nil {
			f.refuse(p.file, "%s", err)
			continue
		}
		p.query = query
		out = append(out, p.program)
	}
	return out
}

// entry is a package's entry rule.
type entry struct {
	program
	ref ast.Ref
}

// entries finds the packages of a form and refuses those that aren't in it, in
// order of name.
func entries(f *folder, c *ast.Compiler, form form) []entry {
	root := ast.MustParseRef("data.modegate." + form.root)
	byName := map[string]*entry{}
	for _, file := range f.order {
		m := c.Modules[file]
		pkg := m.Package.Path
		if !pkg.HasPrefix(root) {
			continue
		}
		name, ok := nameOf(pkg[len(root):])
		if !ok {
			f.found = append(f.found, at(m.Package.Location, "give the package one name: modegate.%s.NAME, NAME of small letters, digits and _", form.root))
			continue
		}
		e := byName[name]
		if e == nil {
			e = &entry{program: program{name: name, file: file, line: m.Package.Location.Row}, ref: pkg.Append(ast.StringTerm(form.entry))}
			byName[name] = e
		}
		if t := titleOf(m); t != "" {
			e.title = t
		}
	}
	var out []entry
	for _, name := range sorted(byName) {
		e := byName[name]
		rules := c.GetRulesWithPrefix(e.ref)
		slices.SortFunc(rules, func(a, b *ast.Rule) int {
			return cmp.Or(slices.Index(f.order, a.Location.File)-slices.Index(f.order, b.Location.File), a.Location.Row-b.Location.Row)
		})
		if len(rules) == 0 {
			f.refuse(e.file, "package modegate.%s.%s has no rule %s, so nothing asks it: write one, or move helpers to a package of another name", form.root, name, form.entry)
			continue
		}
		e.file, e.line = rules[0].Location.File, rules[0].Location.Row
		for _, r := range rules {
			switch {
			case r.Location.File != e.file:
				f.found = append(f.found, at(r.Location, "%s of modegate.%s.%s is in %s:%d, too: keep one file for it", form.entry, form.root, name, e.file, e.line))
			case len(r.Head.Args) > 0 || (r.Head.Key != nil) != form.set || r.Head.Value != nil && form.set || len(r.Head.Ref()) > 1:
				f.found = append(f.found, at(r.Location, "%s must be %s", form.entry, map[bool]string{true: "a set: " + form.entry + " contains …", false: "one value: " + form.entry + " := …"}[form.set]))
			}
		}
		out = append(out, *e)
	}
	return out
}

// nameOf is the one name behind a root.
func nameOf(rest ast.Ref) (string, bool) {
	if len(rest) != 1 {
		return "", false
	}
	s, ok := rest[0].Value.(ast.String)
	name := string(s)
	return name, ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// titleOf is the title of a package's metadata.
func titleOf(m *ast.Module) string {
	for _, a := range m.Annotations {
		if a.Scope == "package" {
			return a.Title
		}
	}
	return ""
}

func sorted[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
