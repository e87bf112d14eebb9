package policies

import (
	"regexp"
	"slices"
	"strings"

	"github.com/modegate/modegate/evaluator"
)

// APIVersion is the version of the language that this package reads.
const APIVersion = "modegate/v1"

// layer is one file, read: its part of the policy, and what it extends.
type layer struct {
	File
	Reader
	policy    Policy
	extends   string
	extendsAt evaluator.Source
}

// name is what policies and rules are called: it is part of gap ids
// (provider.kind.rule) and of addresses, so it has no dots, spaces or capitals.
var name = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

const nameRule = "use small letters, digits and -, beginning with a letter or digit, 64 at most"

// readLayer reads one file. Its problems are in the Reader.
func readLayer(f File, needsName bool) *layer {
	l := &layer{File: f}
	l.policy = Policy{
		Modes:        map[evaluator.Mode]ModePolicy{},
		Interactions: map[evaluator.Interaction][]Rule{},
		Profiles:     map[evaluator.Provider]*Node{},
	}
	root := l.readTree(f, "policy")
	if root == nil || root.Kind == Absent {
		return l
	}
	const what = "the policy"
	l.Map(root, what, map[string]func(*Node){
		"apiVersion": func(n *Node) { l.Word(n, "apiVersion", APIVersion) },
		"name":       func(n *Node) { l.policy.Name = l.id(n, "name") },
		"extends": func(n *Node) {
			l.extends, l.extendsAt = l.Text(n, "extends"), n.Source
		},
		"modes":        func(n *Node) { l.readModes(n) },
		"rules":        func(n *Node) { l.policy.Rules = l.readRules(n, "rules", true) },
		"interactions": func(n *Node) { l.readInteractions(n) },
		"providers":    func(n *Node) { l.readProfiles(n) },
		"acknowledge":  func(n *Node) { l.readAcknowledge(n) },
	})
	l.Require(root, what, "apiVersion")
	if needsName {
		l.Require(root, what, "name")
	}
	return l
}

// id reads the name of a policy or rule.
func (l *layer) id(n *Node, what string) string {
	s := l.Text(n, what)
	if s != "" && !name.MatchString(s) {
		l.Refuse(n.Source, "%s %q isn't a name: %s", what, show(s), nameRule)
	}
	return s
}

// entries calls read for each entry of a mapping that isn't empty and whose keys
// are words.
func entries[T ~string](l *layer, n *Node, what, word string, known []T, read func(T, Field)) {
	if n.Kind != Mapping {
		l.wrongKind(n, what, "a mapping")
		return
	}
	l.notEmpty(n, what)
	for _, f := range n.Fields {
		if !slices.Contains(known, T(f.Name)) {
			l.Refuse(f.Source, "unknown %s %q: use %s", word, show(f.Name), strings.Join(texts(known), ", "))
			continue
		}
		read(T(f.Name), f)
	}
}

func (l *layer) readModes(n *Node) {
	entries(l, n, "modes", "mode", evaluator.Modes(), func(m evaluator.Mode, f Field) {
		what := "mode " + f.Name
		mode := ModePolicy{Source: f.Source}
		l.notEmpty(f.Value, what)
		l.Map(f.Value, what, map[string]func(*Node){
			"label": func(n *Node) { mode.Label = l.line(n, "label of "+what) },
			"rules": func(n *Node) { mode.Rules = l.readRules(n, "rules of "+what, false) },
		})
		l.policy.Modes[m] = mode
	})
}

func (l *layer) readInteractions(n *Node) {
	entries(l, n, "interactions", "interaction", evaluator.Interactions(), func(i evaluator.Interaction, f Field) {
		what := "interaction " + f.Name
		l.notEmpty(f.Value, what)
		l.Map(f.Value, what, map[string]func(*Node){
			"rules": func(n *Node) { l.policy.Interactions[i] = l.readRules(n, "rules of "+what, true) },
		})
	})
}

// readProfiles keeps each profile as it is: the provider's dialect reads it.
func (l *layer) readProfiles(n *Node) {
	entries(l, n, "providers", "provider", evaluator.Providers(), func(p evaluator.Provider, f Field) {
		what := "profile of " + f.Name
		if f.Value.Kind != Mapping {
			l.wrongKind(f.Value, what, "a mapping")
			return
		}
		l.notEmpty(f.Value, what)
		l.policy.Profiles[p] = f.Value
	})
}

func (l *layer) readAcknowledge(n *Node) {
	seen := map[string]int{}
	l.notEmpty(n, "acknowledge")
	l.Each(n, "acknowledge", func(n *Node) {
		a := Acknowledgement{Source: n.Source}
		const what = "an acknowledgement"
		l.Map(n, what, map[string]func(*Node){
			"gap":       func(n *Node) { a.Gap = l.gap(n, seen) },
			"invariant": func(n *Node) { a.Invariant = l.invariant(n, seen) },
			"reason":    func(n *Node) { a.Reason = l.Text(n, "reason") },
		})
		switch {
		case n.Get("invariant") == nil:
			l.Require(n, what, "gap", "reason")
		case n.Get("gap") != nil:
			l.Refuse(n.Source, "%s is of a gap or of an invariant, not of both: write two", what)
		default:
			l.Require(n, what, "reason")
		}
		l.policy.Acknowledge = append(l.policy.Acknowledge, a)
	})
}

// invariantName is what invariants are called: the name of a Rego package.
var invariantName = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

// invariant reads which invariant doesn't hold, and on which provider. Whether
// there is such an invariant is for whoever checks it to say.
func (l *layer) invariant(n *Node, seen map[string]int) string {
	s := l.Text(n, "invariant")
	if s == "" {
		return ""
	}
	provider, rest, _ := strings.Cut(s, ".")
	if !slices.Contains(texts(evaluator.Providers()), provider) || !invariantName.MatchString(rest) {
		l.Refuse(n.Source, "invariant %q isn't one on a provider: write provider.invariant, as check reports it", show(s))
		return s
	}
	l.once(n, seen, "invariant", s)
	return s
}

// once refuses what is acknowledged a second time.
func (l *layer) once(n *Node, seen map[string]int, what, s string) {
	if line, ok := seen[s]; ok {
		l.Refuse(n.Source, "%s %q is acknowledged a second time (first on line %d): keep one", what, s, line)
		return
	}
	seen[s] = n.Source.Line
}

// gap reads a gap's id. Whether there is such a gap is the compiler's to say.
func (l *layer) gap(n *Node, seen map[string]int) string {
	s := l.Text(n, "gap")
	if s == "" {
		return ""
	}
	parts := strings.SplitN(s, ".", 3)
	if len(parts) < 3 || !slices.Contains(texts(evaluator.Providers()), parts[0]) || !slices.Contains(texts(evaluator.RuleKinds()), parts[1]) || !name.MatchString(strings.TrimSuffix(parts[2], "*")) {
		l.Refuse(n.Source, "gap %q isn't the id of a gap: write provider.kind.rule, as the compiler reports it; a last * is any end of the rule's id", show(s))
		return s
	}
	l.once(n, seen, "gap", s)
	return s
}
