package broker

import (
	"fmt"
	"strings"
)

// Check holds an answer against what a request takes: one offered decision, or
// an answer to each of its questions. An empty or partial set of answers is
// none; a question that isn't answered is dismissed with [Cancel].
func Check(r Request, a Answer) error {
	if len(a.Answers) > 0 && (a.Decision != "" || r.Shape != Questioned) {
		return fmt.Errorf("request %s takes a decision, not answers", r.ID)
	}
	if a.Decision != "" {
		if r.Shape == Questioned && a.Decision != Cancel {
			return fmt.Errorf("request %s takes answers or cancel, not %q", r.ID, a.Decision)
		}
		if _, ok := r.Offers(a.Decision); !ok {
			return fmt.Errorf("request %s doesn't offer %q", r.ID, a.Decision)
		}
		return nil
	}
	if r.Shape != Questioned || len(r.Questions) == 0 {
		return fmt.Errorf("request %s takes a decision", r.ID)
	}
	known := map[string]bool{}
	for _, q := range r.Questions {
		known[q.ID] = true
		if err := q.Check(a.Answers[q.ID]); err != nil {
			return fmt.Errorf("request %s: %w", r.ID, err)
		}
	}
	for id := range a.Answers {
		if !known[id] {
			return fmt.Errorf("request %s has no question %q", r.ID, id)
		}
	}
	return nil
}

// Check holds the answer to one question against what it takes.
func (q Question) Check(given []string) error {
	if len(given) == 0 {
		return fmt.Errorf("no answer to %q", q.ID)
	}
	if len(given) > 1 && !q.Multiple {
		return fmt.Errorf("%q takes one answer, not %d", q.ID, len(given))
	}
	seen := map[string]bool{}
	for _, text := range given {
		switch {
		case strings.TrimSpace(text) == "":
			return fmt.Errorf("an answer to %q is empty", q.ID)
		case seen[text]:
			return fmt.Errorf("%q is answered with %q twice", q.ID, text)
		case !q.Custom && !q.Offers(text):
			return fmt.Errorf("%q doesn't offer %q", q.ID, text)
		}
		seen[text] = true
	}
	return nil
}

// Offers reports whether a value is one of the question's options.
func (q Question) Offers(value string) bool {
	for _, o := range q.Options {
		if o.Value == value {
			return true
		}
	}
	return false
}
