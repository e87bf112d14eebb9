package evaluator

// NotRead is the meaning of settings whose dialect can't be read yet: every
// answer is Unknown. It is never taken for a comparison that found nothing.
type NotRead struct {
	Provider ProviderVersion
}

// Judge answers Unknown.
func (n NotRead) Judge(Action, bool) (Verdict, error) {
	return Verdict{
		Effect: Unknown, Decider: ByNobody, Enforcer: EnforcedByNobody,
		Reason:   "modegate can't evaluate " + string(n.Provider.Name) + " settings yet",
		Provider: n.Provider,
	}, nil
}
