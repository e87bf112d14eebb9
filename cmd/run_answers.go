package cmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
)

// decisionWords are the words that a person answers an approval with.
var decisionWords = []struct {
	word     string
	decision broker.Decision
}{
	{"accept", broker.Accept},
	{"session", broker.AcceptForSession},
	{"decline", broker.Decline},
	{"cancel", broker.Cancel},
}

// asking is a request that waits at the terminal, and the answers so far.
type asking struct {
	req     broker.Request
	number  int
	at      int // the question that is shown
	answers map[string][]string
}

// take reads one line. done says that the answer is whole; otherwise hint says
// what is still missing or wrong, "" when the next question follows.
func (a *asking) take(line string) (answer broker.Answer, done bool, hint string) {
	line = strings.TrimSpace(line)
	if a.req.Shape == broker.Questioned {
		return a.takeText(line)
	}
	for _, w := range decisionWords {
		if !strings.EqualFold(line, w.word) {
			continue
		}
		if _, ok := a.req.Offers(w.decision); !ok {
			return broker.Answer{}, false, fmt.Sprintf("this request doesn't offer %q", w.word)
		}
		return broker.Answer{Decision: w.decision}, true, ""
	}
	return broker.Answer{}, false, fmt.Sprintf("%q is no answer here", line)
}

func (a *asking) takeText(line string) (answer broker.Answer, done bool, hint string) {
	if strings.EqualFold(line, "cancel") {
		return broker.Answer{Decision: broker.Cancel}, true, ""
	}
	q := a.req.Questions[a.at]
	given, hint := choose1(q, line)
	if hint != "" {
		return broker.Answer{}, false, hint
	}
	if a.answers == nil {
		a.answers = map[string][]string{}
	}
	a.answers[q.ID] = given
	a.at++
	if a.at < len(a.req.Questions) {
		return broker.Answer{}, false, ""
	}
	return broker.Answer{Answers: a.answers}, true, ""
}

// choose1 reads the answer to one question: an option by its number or label,
// several of them with commas between, or a text of the person's own.
func choose1(q broker.Question, line string) (given []string, hint string) {
	if line == "" {
		return nil, "an answer can't be empty"
	}
	if value, ok := option(q, line); ok {
		return []string{value}, ""
	}
	if q.Multiple {
		for _, piece := range strings.Split(line, ",") {
			value, ok := option(q, strings.TrimSpace(piece))
			if !ok {
				given = nil
				break
			}
			given = append(given, value)
		}
		if given != nil {
			return given, ""
		}
	}
	if !q.Custom {
		return nil, fmt.Sprintf("%q is none of the options", line)
	}
	return []string{line}, ""
}

func option(q broker.Question, text string) (string, bool) {
	for _, o := range q.Options {
		if strings.EqualFold(o.Label, text) {
			return o.Value, true
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(q.Options) {
		return q.Options[n-1].Value, true
	}
	return "", false
}
