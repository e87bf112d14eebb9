package policies

import "github.com/modegate/modegate/evaluator"

// Policy is one parsed policy, all its layers merged.
type Policy struct {
	Name         string
	Digest       string // "sha256:" and the hex digest of every file's bytes, base first
	Files        []string
	Modes        map[evaluator.Mode]ModePolicy
	Rules        []Rule // in every mode, after the mode's own
	Interactions map[evaluator.Interaction][]Rule
	Profiles     map[evaluator.Provider]*Node
	Acknowledge  []Acknowledgement
}

// ModePolicy is what one runtime mode means.
type ModePolicy struct {
	Label  string
	Rules  []Rule
	Source evaluator.Source
}

// Rule says what happens to Actions of one kind that match. The last rule that
// matches decides.
type Rule struct {
	ID        string // the author's, or one made from the list's name and the rule's number
	Kind      evaluator.Kind
	Match     string
	Effect    evaluator.Effect
	Modes     []evaluator.Mode     // nil: all
	Providers []evaluator.Provider // nil: all
	Source    evaluator.Source     // of the rule; carries the id
}

// Acknowledgement accepts one gap, by its id, for a reason.
type Acknowledgement struct {
	Gap    string
	Reason string
	Source evaluator.Source
}

// NodeKind says what a Node is.
type NodeKind uint8

// The kinds of Node. The zero value is an absent value.
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
	Quoted bool    // Scalar: it stood in quotes, so it is a string whatever it looks like
	Fields []Field // Mapping: in file order, no name twice
	Items  []*Node // Sequence
}

// Field is one entry of a Mapping.
type Field struct {
	Name   string
	Source evaluator.Source // of the name
	Value  *Node
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
