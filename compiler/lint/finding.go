package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Severity says how bad a finding is. The zero value is Note.
type Severity uint8

// The severities. An error is a rule or setting that doesn't do what it says; a
// warning is one that most likely isn't what was meant; a note is worth a look.
const (
	Note Severity = iota
	Warning
	Error
)

var severityWords = []string{"note", "warning", "error"}

// String returns the word that texts, JSON and SARIF use.
func (s Severity) String() string {
	if int(s) >= len(severityWords) {
		return fmt.Sprintf("severity(%d)", uint8(s))
	}
	return severityWords[s]
}

// MarshalText writes the word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText accepts the three words only.
func (s *Severity) UnmarshalText(b []byte) error {
	i := slices.Index(severityWords, string(b))
	if i < 0 {
		return fmt.Errorf("unknown severity %q: use %s", b, strings.Join(severityWords, ", "))
	}
	*s = Severity(i)
	return nil
}

// Finding is one thing that is wrong, and what to write instead.
type Finding struct {
	Rule     string   `json:"rule"` // what kind of thing: an id of the [Catalogue]
	Severity Severity `json:"severity"`
	evaluator.Source
	Pointer   string               `json:"pointer,omitzero"` // JSON Pointer into native settings, where those were judged
	Message   string               `json:"message"`          // what is wrong, and why
	Instead   string               `json:"instead"`          // what to write instead
	Related   []Related            `json:"related"`          // other places that have to do with it
	Providers []evaluator.Provider `json:"providers"`        // those whose settings show it; none: it is the policy's own
	Cells     []string             `json:"cells"`            // provider/mode/interaction of the settings that show it
}

// Related is another place that a finding speaks of.
type Related struct {
	evaluator.Source
	Pointer string `json:"pointer,omitzero"`
	Message string `json:"message"`
}

// New makes a finding about a place of a policy, as severe as the catalogue has it.
func New(rule string, at evaluator.Source, message, instead string) Finding {
	return Finding{Rule: rule, Severity: Describe(rule).Severity, Source: at, Message: message, Instead: instead}
}

// Ref is a part of native settings: where it stands in the text, as far as that is
// known, and its JSON Pointer.
type Ref struct {
	evaluator.Source
	Pointer string
}

// Item is an item of a list by its number, or the list where it has none with that
// number. pointer is the list's.
func Item(list *policies.Node, pointer string, i int) Ref {
	if i < 0 || i >= len(list.Items) {
		return Ref{Source: list.Source, Pointer: pointer}
	}
	return Ref{Source: list.Items[i].Source, Pointer: fmt.Sprintf("%s/%d", pointer, i)}
}

// At makes a finding about a part of native settings.
func At(rule string, at Ref, message, instead string) Finding {
	f := New(rule, at.Source, message, instead)
	f.Pointer = at.Pointer
	return f
}

// With adds a part of native settings that has to do with the finding.
func (f Finding) With(at Ref, message string) Finding {
	f.Related = append(slices.Clip(f.Related), Related{Source: at.Source, Pointer: at.Pointer, Message: message})
	return f
}

// Merge puts findings in order of place and makes one of those that differ in
// nothing but the cells that show them.
func Merge(list []Finding) []Finding {
	at := map[string]int{}
	var out []Finding
	for _, f := range list {
		key := fmt.Sprintf("%s\x00%d\x00%s\x00%d\x00%d\x00%s\x00%s\x00%s", f.Rule, f.Severity, f.File, f.Line, f.Column, f.Pointer, f.Message, f.Instead)
		i, ok := at[key]
		if !ok {
			at[key] = len(out)
			out = append(out, f)
			continue
		}
		out[i].Providers = union(out[i].Providers, f.Providers)
		out[i].Cells = union(out[i].Cells, f.Cells)
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	return out
}

func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// Worst is the gravest severity of a list; ok is false when it is empty.
func Worst(list []Finding) (s Severity, ok bool) {
	for _, f := range list {
		s = max(s, f.Severity)
	}
	return s, len(list) > 0
}
