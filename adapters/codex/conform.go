package codex

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// Case is one observed row: the inputs, then what Codex did. What else a row
// holds was seen, and isn't an input.
type Case struct {
	ID                string
	Approval          jsontext.Value
	SandboxPolicy     jsontext.Value
	Reviewer          string
	CollaborationMode string
	Rules             string
	Action            jsontext.Value
	SandboxDenied     *bool

	Outcome, OnDenial, AfterApproval string
}

// caseWorkspace is where the rows were observed.
const caseWorkspace = "/srv/ws"

// Answer is what we say about a row, in its words.
type Answer struct {
	Outcome, OnDenial, AfterApproval string
	Verdict                          evaluator.Verdict
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
	q, err := readRequest(c.Action)
	if err != nil {
		return Answer{}, err
	}
	q.denied = c.SandboxDenied
	m := read.(*meaning)
	v, err := m.verdict([]request{q}, []outcome{m.request(q, 0, false)})
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Verdict: v, Outcome: caseWord(v.Effect, v.Confinement), OnDenial: v.OnDenial}
	if v.Then != nil {
		a.AfterApproval = v.Then.Runs
	}
	return a, nil
}

// native writes a row's settings as an adapter would send them.
func (c Case) native() ([]byte, error) {
	var policy sandboxPolicy
	if err := strictjson.Decode(c.SandboxPolicy, &policy); err != nil {
		return nil, fmt.Errorf("sandboxPolicy: %w", err)
	}
	var approval approvalPolicy
	if err := strictjson.Decode(c.Approval, &approval); err != nil {
		return nil, fmt.Errorf("approvalPolicy: %w", err)
	}
	s := settings{Approval: approval, SandboxPolicy: policy, Reviewer: c.Reviewer, Collaboration: collaborationMode{c.CollaborationMode}, Rules: c.Rules, Sandbox: "danger-full-access"}
	for word, kind := range sandboxTypes {
		if kind == policy.Type {
			s.Sandbox = word
		}
	}
	return strictjson.Encode(s)
}

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
	return "unknown"
}

// Check compares an Answer with what Codex did, and says where they part, "" when
// they don't. Where a command runs after an approval is certain only when it is
// known whether the sandbox denied the first attempt.
func (c Case) Check(a Answer) string {
	var wrong []string
	say := func(what, we, they string) {
		wrong = append(wrong, fmt.Sprintf("%s: we say %s, codex did %s", what, we, they))
	}
	if a.Outcome != c.Outcome {
		say("outcome", a.Outcome, c.Outcome)
	}
	if c.OnDenial != "" {
		want := map[string]string{"asks-user": thenAsks, "auto-reviewer": thenReview, "runs-unsandboxed": thenUnsandboxed}[c.OnDenial]
		if want == "" {
			want = thenFails
		}
		if a.OnDenial != want {
			say("onDenial", a.OnDenial, want)
		}
	}
	if c.AfterApproval != "" && a.AfterApproval != c.AfterApproval && !(c.SandboxDenied == nil && a.AfterApproval == runsTwice) {
		say("afterApproval", a.AfterApproval, c.AfterApproval)
	}
	return strings.Join(wrong, "; ")
}

// Unsafe reports whether an Answer says stricter than Codex is.
func (c Case) Unsafe(a Answer) bool {
	order := []string{"runs-unsandboxed", "runs-sandboxed", "auto-reviewer", "asks-user", "rejected"}
	we, they := -1, -1
	for i, w := range order {
		if w == a.Outcome {
			we = i
		}
		if w == c.Outcome {
			they = i
		}
	}
	return we > they && they >= 0
}
