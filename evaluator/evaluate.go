package evaluator

import "errors"

// Meaning is native settings, read back: what one provider, in one version and
// environment, does under them. A dialect makes it from the native bytes alone;
// it can't see the Intent that they were written from.
type Meaning interface {
	// Judge answers one checked Action. With explain it fills the trace. The
	// error is about a native request that isn't in the provider's form.
	Judge(a Action, explain bool) (Verdict, error)
}

// Evaluate answers what the provider does with one Action. The error is about
// the Action: a missing or foreign field, or a malformed native request.
func Evaluate(m Meaning, a Action, explain bool) (Verdict, error) {
	if m == nil {
		return Verdict{}, errors.New("no settings to evaluate")
	}
	if err := a.Check(); err != nil {
		return Verdict{}, err
	}
	v, err := m.Judge(a, explain)
	if err != nil {
		return Verdict{}, err
	}
	if v.Effect == Unknown && v.Reason == "" {
		return Verdict{}, errors.New("the dialect gave no verdict and no reason")
	}
	if !explain {
		v.Trace = nil
	}
	return v, nil
}
