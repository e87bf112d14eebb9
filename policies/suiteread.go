package policies

import (
	"encoding"
	"slices"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// suiteReader reads one test file.
type suiteReader struct {
	Reader
	names map[string]int // the tests' names, with their lines
}

// ParseSuite reads a test file. The error is a [diag.List] of every problem.
func ParseSuite(f File) (*Suite, error) {
	s := &Suite{File: f.Name, files: diag.Files{}}
	s.files.Add(f.Name, f.Data[:min(len(f.Data), maxFileSize)])
	r := &suiteReader{names: map[string]int{}}
	if root := r.readTree(f, "suite"); root != nil && root.Kind != Absent {
		const what = "the suite"
		r.Map(root, what, map[string]func(*Node){
			"apiVersion": func(n *Node) { r.Word(n, "apiVersion", APIVersion) },
			"tests": func(n *Node) {
				r.notEmpty(n, "tests")
				r.Each(n, "tests", func(n *Node) { s.Tests = append(s.Tests, r.test(n)) })
			},
		})
		r.Require(root, what, "apiVersion", "tests")
	}
	if err := s.Show(r.Problems).Err(); err != nil {
		return nil, err
	}
	return s, nil
}

func (r *suiteReader) test(n *Node) Test {
	t := Test{
		Source:    n.Source,
		Providers: evaluator.Providers(), Modes: evaluator.Modes(), Interactions: []evaluator.Interaction{evaluator.Default},
	}
	const what = "a test"
	r.Map(n, what, map[string]func(*Node){
		"name":      func(n *Node) { t.Name = r.name(n) },
		"providers": func(n *Node) { t.Providers = allOrList(r, n, "providers", "provider", evaluator.Providers()) },
		"modes":     func(n *Node) { t.Modes = allOrList(r, n, "modes", "mode", evaluator.Modes()) },
		"interaction": func(n *Node) {
			known := evaluator.Interactions()
			if word := r.Word(n, "interaction", append(texts(known), all)...); word == all {
				t.Interactions = known
			} else {
				t.Interactions = []evaluator.Interaction{evaluator.Interaction(word)}
			}
		},
		"action": func(n *Node) { t.Action = r.action(n) },
		"env":    func(n *Node) { t.Env = r.env(n) },
		"expect": func(n *Node) { t.Expect = r.expect(n) },
		"skip":   func(n *Node) { t.Skip = r.skip(n) },
	})
	r.Require(n, what, "name", "action", "expect")
	return t
}

// name reads a test's name. Reports tell tests apart by it.
func (r *suiteReader) name(n *Node) string {
	s := r.line(n, "the name of a test")
	if line, ok := r.names[s]; ok && s != "" {
		r.Refuse(n.Source, "there is a test %q already, on line %d: choose another name", show(s), line)
	} else {
		r.names[s] = n.Source.Line
	}
	return s
}

// skip reads a reason. An empty one, in quotes, skips nothing.
func (r *suiteReader) skip(n *Node) string {
	if n.Kind == Scalar && n.Text == "" {
		return ""
	}
	return r.line(n, "skip")
}

// all chooses every provider, mode or interaction mode.
const all = "all"

func allOrList[T ~string](r *suiteReader, n *Node, what, word string, known []T) []T {
	if n.Kind == Scalar {
		if n.Text != all {
			r.Refuse(n.Source, "%s is %q: use all, or a list, as in [%s]", what, show(n.Text), known[0])
		}
		return known
	}
	return selection(&r.Reader, n, what, word, known)
}

func (r *suiteReader) expect(n *Node) Expect {
	e := Expect{Source: n.Source}
	const what = "expect"
	if n.Kind == Mapping && len(n.Fields) == 0 {
		r.Refuse(n.Source, "the test expects nothing: give it an effect")
	}
	r.Map(n, what, map[string]func(*Node){
		"effect":      func(n *Node) { e.Effects = oneOrMany[evaluator.Effect](r, n, "effect") },
		"confinement": func(n *Node) { e.Confinements = oneOrMany[evaluator.Confinement](r, n, "confinement") },
		"decider":     func(n *Node) { e.Deciders = oneOrMany[evaluator.Decider](r, n, "decider") },
		"enforcer":    func(n *Node) { e.Enforcers = oneOrMany[evaluator.Enforcer](r, n, "enforcer") },
		"rule":        func(n *Node) { r.expectRule(n, &e) },
	})
	return e
}

// word is a closed vocabulary of the evaluator.
type word[T any] interface {
	*T
	encoding.TextUnmarshaler
}

// oneOrMany reads a word, or a list of words, none of them twice.
func oneOrMany[T comparable, P word[T]](r *suiteReader, n *Node, what string) []T {
	var out []T
	read := func(n *Node) {
		if n.Kind != Scalar {
			r.wrongKind(n, what, "a text, or a list of texts")
			return
		}
		var v T
		switch err := P(&v).UnmarshalText([]byte(n.Text)); {
		case err != nil:
			r.Refuse(n.Source, "%s", err)
		case slices.Contains(out, v):
			r.Refuse(n.Source, "%s is in %s twice: keep one", show(n.Text), what)
		default:
			out = append(out, v)
		}
	}
	if n.Kind == Sequence {
		r.notEmpty(n, what)
		r.Each(n, what, read)
	} else {
		read(n)
	}
	return out
}

// expectRule reads which rule must decide: a policy rule by its id, or a native
// rule as the provider has it. A text that can't be an id is a native rule.
func (r *suiteReader) expectRule(n *Node, e *Expect) {
	switch {
	case n.Kind == Scalar && name.MatchString(n.Text) && !isBool(n):
		e.Rule = n.Text
	case n.Kind == Scalar:
		if r.Text(n, "rule") != "" {
			e.Native = nodeJSON(n)
		}
	case n.Kind == Mapping:
		r.notEmpty(n, "rule")
		e.Native = nodeJSON(n)
	default:
		r.wrongKind(n, "rule", "the id of a policy rule, or a native rule")
	}
}
