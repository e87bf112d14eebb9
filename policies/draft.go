package policies

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modegate/modegate/evaluator"
)

// Draft is a policy that is being written: what [Draft.Format] makes a file of.
type Draft struct {
	Name         string
	About        []string // lines for people, at the top
	Rules        []DraftRule
	Interactions map[evaluator.Interaction][]DraftRule
	Profiles     map[evaluator.Provider][]string // lines of YAML, unindented
	Acknowledge  []Acknowledgement
}

// DraftRule is a rule and a line for people above it.
type DraftRule struct {
	Rule
	Comment string
}

// Format writes the draft as a policy file. What stands in a comment is shown on
// one line, and what people can't see is escaped.
func (d Draft) Format() []byte {
	var b strings.Builder
	for _, line := range d.About {
		comment(&b, "", line)
	}
	fmt.Fprintf(&b, "apiVersion: %s\nname: %s\n", APIVersion, d.Name)
	if len(d.Rules) > 0 {
		b.WriteString("\nrules:\n")
		draftRules(&b, "  ", d.Rules)
	}
	head := "\ninteractions:\n"
	for _, i := range evaluator.Interactions() {
		if rules := d.Interactions[i]; len(rules) > 0 {
			fmt.Fprintf(&b, "%s  %s:\n    rules:\n", head, i)
			draftRules(&b, "      ", rules)
			head = ""
		}
	}
	head = "\nproviders:\n"
	for _, p := range evaluator.Providers() {
		if lines := d.Profiles[p]; len(lines) > 0 {
			fmt.Fprintf(&b, "%s  %s:\n", head, p)
			for _, line := range lines {
				fmt.Fprintf(&b, "    %s\n", line)
			}
			head = ""
		}
	}
	if len(d.Acknowledge) > 0 {
		b.WriteString("\nacknowledge:\n")
		sorted := slices.SortedFunc(slices.Values(d.Acknowledge), func(a, b Acknowledgement) int { return cmp.Compare(a.Gap, b.Gap) })
		for _, a := range sorted {
			fmt.Fprintf(&b, "  - {gap: %s, reason: %s}\n", a.Gap, Quote(a.Reason))
		}
	}
	return []byte(b.String())
}

func draftRules(b *strings.Builder, indent string, rules []DraftRule) {
	for _, r := range rules {
		if r.Comment != "" {
			comment(b, indent, r.Comment)
		}
		fmt.Fprintf(b, "%s- {id: %s, kind: %s, match: %s, effect: %s", indent, r.ID, r.Kind, Quote(r.Match), r.Effect)
		if r.Modes != nil {
			fmt.Fprintf(b, ", modes: [%s]", strings.Join(texts(r.Modes), ", "))
		}
		b.WriteString("}\n")
	}
}

func comment(b *strings.Builder, indent, line string) {
	fmt.Fprintf(b, "%s# %s\n", indent, Visible(line))
}

// Visible writes every character that can't be seen as an escape, for a
// comment.
func Visible(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case !invisible(c) && c != unicode.ReplacementChar:
			b.WriteRune(c)
		case c < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			fmt.Fprintf(&b, `\U%08x`, c)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// Sayable reports whether a policy file can have a text as a value: it isn't blank
// and has no control characters but line ends and tabs.
func Sayable(s string) bool {
	return strings.TrimSpace(s) != "" && utf8.ValidString(s) && !strings.ContainsFunc(s, func(c rune) bool {
		return c != '\n' && c != '\t' && unicode.IsControl(c)
	})
}

// Quote writes a text as a YAML scalar in double quotes.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case invisible(c) && c < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, c)
		case invisible(c):
			fmt.Fprintf(&b, `\U%08x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
