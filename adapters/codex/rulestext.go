package codex

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// writtenRule is one prefix_rule made from a policy's rule.
type writtenRule struct {
	from     compiler.Rule
	words    []string // without a last *
	decision execpolicy.Decision
}

// commandRules makes a prefix_rule of each policy rule that speaks of certain
// commands. What is said of every command is the profile's business: a prefix
// can't be empty. An allow without a last * isn't written.
func commandRules(in compiler.Intent) []writtenRule {
	var out []writtenRule
	for _, r := range in.Sent(func(r compiler.Rule) bool { return r.Kind == evaluator.Command && r.Match != compiler.Everything }) {
		words := strings.Fields(r.Match)
		if words[len(words)-1] == "*" {
			words = words[:len(words)-1]
		}
		w := writtenRule{from: r, words: words}
		switch r.Effect {
		case evaluator.Allow:
			w.decision = execpolicy.Allow
		case evaluator.Ask, evaluator.Review:
			w.decision = execpolicy.Prompt
		case evaluator.Deny:
			w.decision = execpolicy.Forbidden
		default:
			continue
		}
		// The last rule that matches decides, and Codex takes the strictest: a rule
		// that a later one covers must not be written.
		out = slices.DeleteFunc(out, func(earlier writtenRule) bool { return w.covers(earlier) })
		if w.decision == execpolicy.Allow && !strings.HasSuffix(r.Match, "*") {
			continue // a prefix has no end: it would let the command run with any arguments
		}
		out = append(out, w)
	}
	return out
}

// covers reports whether every command of an earlier rule is one of w's.
func (w writtenRule) covers(earlier writtenRule) bool {
	exact := !strings.HasSuffix(w.from.Match, "*")
	return !exact && len(earlier.words) >= len(w.words) && slices.Equal(earlier.words[:len(w.words)], w.words) || w.from.Match == earlier.from.Match
}

// rulesText writes the rules as an execpolicy file, one a line, "" when there are
// none. Each has examples, so that Codex itself refuses a rule that doesn't do
// what it says; and a justification, because Codex's first start deletes broad
// allow rules without one.
func rulesText(rules []writtenRule) (string, error) {
	var b strings.Builder
	for _, r := range rules {
		last := len(r.words) - 1
		other := append(append([]string{}, r.words[:last]...), r.words[last]+"-x")
		parts := []struct {
			name  string
			value any
		}{
			{"pattern", r.words},
			{"decision", r.decision.String()},
			{"justification", "policy rule " + r.from.ID},
			{"match", [][]string{r.words, append(append([]string{}, r.words...), "x")}},
			{"not_match", [][]string{other}},
		}
		b.WriteString("prefix_rule(")
		for i, p := range parts {
			text, err := strictjson.Encode(p.value)
			if err != nil {
				return "", err
			}
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(p.name + "=" + string(text)) // JSON texts and lists are Starlark's
		}
		b.WriteString(")\n")
	}
	if _, err := execpolicy.Parse(execpolicy.File{Name: "rules", Text: b.String()}); err != nil {
		return "", fmt.Errorf("the rules that were written are refused: %w", err)
	}
	return b.String(), nil
}
