package evaluator

import (
	"errors"
	"fmt"
)

// Guardrail is one of an admin's: a rule that may hold an Action tighter than
// the policy does, and never looser.
type Guardrail struct {
	Name  string `json:"name"` // its package, below modegate.guardrails
	Title string `json:"title,omitempty"`
	File  string `json:"file"`
	Line  int    `json:"line"` // where its decision begins
}

// GuardrailInput is what guardrails see: the Verdict's JSON, and beside its
// fields the Action and the session that it is about.
type GuardrailInput struct {
	Verdict `json:",inline"`
	Action  Action           `json:"action"`
	Session GuardrailSession `json:"session"`

	// Unaskable is why it can't be put to guardrails, nil when it can: then none
	// has an answer.
	Unaskable error `json:"-"`
}

// GuardrailSession is the session that an Action belongs to, as far as it is
// known: of a plain evaluation only the Env's workspace is.
type GuardrailSession struct {
	ID        string `json:"id,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	Parent    string `json:"parent,omitempty"`
	Turn      string `json:"turn,omitempty"`
}

// Said is what one guardrail said about one input. Allow: it has nothing against
// the Action. Ask, Deny: it wants that much at least. Unknown: it gave no answer,
// and Err says why.
type Said struct {
	Guardrail
	Effect Effect
	Reason string
	Err    error
}

// GuardrailAnswer is what a guardrail wants that has something against an Action.
type GuardrailAnswer struct {
	Guardrail `json:",inline"`
	Effect    Effect `json:"effect"` // ask or deny
	Reason    string `json:"reason"`
	Failed    bool   `json:"failed,omitzero"` // it gave no answer, and asking stands in for one

	// Enforced: the provider asks us about the Action, so that what the guardrail
	// wants happens. Otherwise the provider does what the Verdict says, and
	// Unenforced says why nothing here can hold it.
	Enforced   bool   `json:"enforced"`
	Unenforced string `json:"unenforced,omitempty"`
}

// Settle says what stands in for guardrails that gave no answer, or none of the
// three: asking a person, or, when ask is false, an error. Never an allow.
func Settle(said []Said, ask bool) ([]Said, error) {
	var failed []error
	for i := range said {
		s := &said[i]
		if s.Err == nil && s.Effect != Allow && s.Effect != Ask && s.Effect != Deny {
			s.Err = fmt.Errorf("guardrail %s said %s, which no guardrail can", s.Name, s.Effect)
		}
		if s.Err != nil {
			failed = append(failed, s.Err)
			s.Effect, s.Reason = Ask, s.Err.Error()
		}
	}
	if ask {
		return said, nil
	}
	return said, errors.Join(failed...)
}
