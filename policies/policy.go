package policies

import (
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// Policy is one parsed policy, all its layers merged.
type Policy struct {
	Name         string
	Digest       string   // "sha256:" and the hex digest of every layer's bytes, base first; file names don't count
	Files        []string // the layers' names, base first
	Modes        map[evaluator.Mode]ModePolicy
	Rules        []Rule // in every mode, after the mode's own
	Interactions map[evaluator.Interaction][]Rule
	Profiles     map[evaluator.Provider]*Node // each a Mapping
	Acknowledge  []Acknowledgement

	files diag.Files
}

// Show returns the problems with the lines of the policy that they speak of: for
// those that are found in a policy after it was parsed.
func (p *Policy) Show(l diag.List) diag.List { return p.files.Show(l) }

// Lines returns the lines of one of the policy's files, without their endings;
// nil for a file that isn't one.
func (p *Policy) Lines(file string) []string { return p.files[file] }

// ModePolicy is what one runtime mode means.
type ModePolicy struct {
	Label  string
	Rules  []Rule
	Source evaluator.Source // of the mode's name, in the last layer that has it
}

// Rule says what happens to Actions of one kind that match. The last rule that
// matches decides.
type Rule struct {
	// ID is the author's, or one made from the list's name (the mode, "rules" or
	// the interaction) and the rule's number in the merged list, as in plan-2. No
	// two rules of a list have the same.
	ID        string
	Kind      evaluator.Kind
	Match     string // see CheckMatch
	Effect    evaluator.Effect
	Modes     []evaluator.Mode     // nil: all; always nil in a mode's own list
	Providers []evaluator.Provider // nil: all
	Source    evaluator.Source     // of the rule; carries the id
	Replaces  bool                 // a rule of an earlier layer had the id
}

// Acknowledgement accepts, for a reason, one gap, or that one invariant doesn't
// hold on one provider.
type Acknowledgement struct {
	Gap       string // provider.kind.rule, or provider.kind.prefix-* for those of all rules whose ids begin so; or
	Invariant string // provider.invariant
	Reason    string
	Source    evaluator.Source
}

// Accepts reports whether a gap's id is one that is accepted.
func (a Acknowledgement) Accepts(gap string) bool {
	prefix, family := strings.CutSuffix(a.Gap, "*")
	return gap == a.Gap || family && strings.HasPrefix(gap, prefix)
}

// NodeKind says what a Node is.
type NodeKind uint8

// The kinds of Node. The zero value is a value that isn't there, or that was
// refused when its file was read.
const (
	Absent NodeKind = iota
	Scalar
	Mapping
	Sequence
)

// Node is a value of a policy file with its place: what a provider's profile is
// made of.
type Node struct {
	Kind   NodeKind
	Source evaluator.Source
	Text   string  // Scalar: the text
	Quoted bool    // Scalar: it stood in quotes, so it is a text whatever it looks like; unquoted true and false are not texts
	Fields []Field // Mapping: in file order, no name twice
	Items  []*Node // Sequence
}

// Field is one entry of a Mapping.
type Field struct {
	Name   string
	Source evaluator.Source // of the name
	Value  *Node
}

// AllFields returns the fields of a mapping. A nil Node has none.
func (n *Node) AllFields() []Field {
	if n == nil {
		return nil
	}
	return n.Fields
}

// Get returns the value of the named field, or nil. A nil Node has no fields.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for _, f := range n.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}
