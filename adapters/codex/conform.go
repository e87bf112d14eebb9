package codex

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// Case is one observed row: the inputs, then what Codex did. What else a row
// holds was seen, and isn't an input.
type Case struct {
	ID                string         `json:"id"`
	Approval          jsontext.Value `json:"approvalPolicy"`
	SandboxPolicy     jsontext.Value `json:"sandboxPolicy"`
	Reviewer          string         `json:"approvalsReviewer"`
	CollaborationMode string         `json:"collaborationMode"`
	Rules             *string        `json:"rules"` // null: none
	Action            jsontext.Value `json:"action"`
	SandboxDenied     *bool          `json:"sandboxDenied"` // whether the sandboxed attempt failed in a way that Codex takes for a denial

	Outcome       string `json:"outcome"`
	OnDenial      string `json:"onDenial"`
	AfterApproval string `json:"afterApproval"`
}

// caseWorkspace is where the rows were observed.
const caseWorkspace = "/srv/ws"

// Answer is what we say about a Case, in the words of its outcome, of a Verdict's
// onDenial and of a Verdict's then.
type Answer struct {
	Outcome, OnDenial, AfterApproval string
	Reason                           string
}

// Conform judges one row of the corpus.
func (dialect) Conform(row jsontext.Value, _ compiler.CaseFile) (compiler.Judged, error) {
	var c Case
	if err := json.Unmarshal(row, &c); err != nil {
		return compiler.Judged{}, err
	}
	a, err := c.Judge()
	if err != nil {
		return compiler.Judged{}, fmt.Errorf("%s: %w", c.ID, err)
	}
	j := compiler.Judged{
		Got: a.Outcome, Want: c.Outcome, Unsafe: c.unsafe(a),
		Case: fmt.Sprintf("%s: %s under %s, %s, %s", c.ID, c.Action, c.Approval, c.SandboxPolicy, c.Reviewer),
	}
	if a.Outcome == unknownWord {
		j.Skipped = a.Reason
		return j, nil
	}
	wrong := c.check(a)
	j.Passed = wrong == ""
	if a.Outcome == c.Outcome && !j.Passed {
		j.Got, j.Want = wrong, "otherwise"
	}
	return j, nil
}

// Judge answers a row from its inputs alone.
func (c Case) Judge() (Answer, error) {
	native, err := c.native()
	if err != nil {
		return Answer{}, err
	}
	read, err := New().Read(native, compiler.Setting{Env: evaluator.Env{Workspace: caseWorkspace}})
	if err != nil {
		return Answer{}, err
	}
	var q request
	if err := json.Unmarshal(c.Action, &q); err != nil {
		return Answer{}, fmt.Errorf("action: %w", err)
	}
	q.denied = c.SandboxDenied
	m := read.(*meaning)
	o := m.request(q, 0, false)
	return Answer{Outcome: caseWord(o.effect, o.confinement), OnDenial: o.onDenial, AfterApproval: o.then, Reason: o.reason}, nil
}

// native writes a row's settings as an adapter would send them.
func (c Case) native() ([]byte, error) {
	s := settings{Reviewer: c.Reviewer, Collaboration: collaborationMode{c.CollaborationMode}, Sandbox: "danger-full-access"}
	if err := strictjson.Decode(c.SandboxPolicy, &s.SandboxPolicy); err != nil {
		return nil, fmt.Errorf("sandboxPolicy: %w", err)
	}
	if err := strictjson.Decode(c.Approval, &s.Approval); err != nil {
		return nil, fmt.Errorf("approvalPolicy: %w", err)
	}
	if c.Rules != nil {
		s.Rules = *c.Rules
	}
	for word, kind := range sandboxTypes {
		if kind == s.SandboxPolicy.Type {
			s.Sandbox = word
		}
	}
	return strictjson.Encode(s)
}

const unknownWord = "unknown"

// caseWord is the word of the corpus for an effect.
func caseWord(e evaluator.Effect, c evaluator.Confinement) string {
	switch {
	case e == evaluator.Ask:
		return "asks-user"
	case e == evaluator.Review:
		return "auto-reviewer"
	case e == evaluator.Deny:
		return "rejected"
	case e == evaluator.Allow && c == evaluator.Unconfined:
		return "runs-unsandboxed"
	case e == evaluator.Allow:
		return "runs-sandboxed"
	}
	return unknownWord
}

// denialWords are the Verdict's words for what followed a denial.
var denialWords = map[string]string{"asks-user": thenAsks, "auto-reviewer": thenReview, "runs-unsandboxed": thenUnsandboxed, "rejected": thenFails, "fails": thenFails}

// check says where an Answer parts from what Codex did, "" when it doesn't. Where
// a command runs after an approval is certain only when it is known whether the
// sandbox denied the first attempt.
func (c Case) check(a Answer) string {
	var wrong []string
	say := func(what, we, they string) {
		wrong = append(wrong, fmt.Sprintf("%s: we say %q, codex did %q", what, we, they))
	}
	if a.Outcome != c.Outcome {
		say("outcome", a.Outcome, c.Outcome)
	}
	if want := denialWords[c.OnDenial]; c.OnDenial != "" && a.OnDenial != want {
		say("onDenial", a.OnDenial, want)
	}
	if c.AfterApproval != "" && a.AfterApproval != c.AfterApproval && !(c.SandboxDenied == nil && a.AfterApproval == runsTwice) {
		say("afterApproval", a.AfterApproval, c.AfterApproval)
	}
	return strings.Join(wrong, "; ")
}

// unsafe reports whether an Answer says stricter than Codex is.
func (c Case) unsafe(a Answer) bool {
	order := map[string]int{"runs-unsandboxed": 1, "runs-sandboxed": 2, "auto-reviewer": 3, "asks-user": 4, "rejected": 5}
	return order[c.Outcome] > 0 && order[a.Outcome] > order[c.Outcome]
}
