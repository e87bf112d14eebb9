package evaluator

// Effect is the end of the matter for one Action. The zero value is Unknown:
// an answer that was never given is never an allow.
type Effect uint8

// The effects. Unknown means that the provider's behaviour can't be predicted;
// a live gate treats it as Ask.
const (
	Unknown Effect = iota
	Allow          // runs without asking
	Ask            // a person decides
	Review         // an AI reviewer of the provider decides
	Deny           // doesn't run
)

var effectWords = []string{"unknown", "allow", "ask", "review", "deny"}

// String returns the effect's word.
func (e Effect) String() string {
	if int(e) < len(effectWords) {
		return effectWords[e]
	}
	return effectWords[Unknown]
}

// MarshalText writes the effect's word.
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText accepts the five words only; "unknown" among them, because
// Verdicts are read back.
func (e *Effect) UnmarshalText(b []byte) error {
	for i, w := range effectWords {
		if w == string(b) {
			*e = Effect(i)
			return nil
		}
	}
	return unknownWord("effect", string(b), effectWords)
}

// rank orders effects from loose to strict. Unknown ranks with Ask's neighbours
// only where a caller has already decided that it can't be compared.
func (e Effect) rank() int {
	switch e {
	case Allow:
		return 1
	case Review:
		return 2
	case Ask:
		return 3
	case Deny:
		return 4
	}
	return 0
}

// Strictest combines effects of which all must pass. A deny decides whatever
// else is there; short of that, one unknown makes the whole unknown. No effect
// at all is Unknown.
func Strictest(effects ...Effect) Effect {
	return fold(effects, Deny, func(a, b Effect) bool { return a.rank() > b.rank() })
}

// Loosest combines effects of which the agent may choose one. An allow decides
// whatever else is there; short of that, one unknown makes the whole unknown.
func Loosest(effects ...Effect) Effect {
	return fold(effects, Allow, func(a, b Effect) bool { return a.rank() < b.rank() })
}

func fold(effects []Effect, decides Effect, better func(a, b Effect) bool) Effect {
	var out Effect
	unknown := len(effects) == 0
	for _, e := range effects {
		switch {
		case e == decides:
			return e
		case e == Unknown:
			unknown = true
		case out == Unknown || better(e, out):
			out = e
		}
	}
	if unknown {
		return Unknown
	}
	return out
}

// Confinement qualifies an Allow: the operating-system sandbox it runs in.
// "Allowed in a sandbox" is not "allowed".
type Confinement uint8

// The confinements. The zero value is Unconfined: no sandbox is assumed.
const (
	Unconfined     Confinement = iota // no sandbox
	WorkspaceWrite                    // may write the workspace only
	ReadOnly                          // may write nothing
)

var confinementWords = []string{"none", "workspace-write", "read-only"}

// String returns the confinement's word.
func (c Confinement) String() string {
	if int(c) < len(confinementWords) {
		return confinementWords[c]
	}
	return confinementWords[Unconfined]
}

// MarshalText writes the confinement's word.
func (c Confinement) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText accepts the three words only.
func (c *Confinement) UnmarshalText(b []byte) error {
	for i, w := range confinementWords {
		if w == string(b) {
			*c = Confinement(i)
			return nil
		}
	}
	return unknownWord("confinement", string(b), confinementWords)
}

// Strictness places an outcome on the scale of the design, from loose to
// strict: allow, allow workspace-write, allow read-only, review, ask, deny.
// Unknown has no place and returns false.
func Strictness(e Effect, c Confinement) (int, bool) {
	if e == Unknown {
		return 0, false
	}
	if e == Allow {
		return int(c), true
	}
	return int(ReadOnly) + e.rank(), true
}

// Decider says who decides an Action.
type Decider string

// The deciders.
const (
	ByPerson    Decider = "person"            // a person is asked
	ByRule      Decider = "provider-rule"     // a rule of the native settings
	ByMode      Decider = "provider-mode"     // the provider's mode or default
	ByReviewer  Decider = "provider-reviewer" // the provider's AI reviewer
	BySandbox   Decider = "provider-sandbox"  // the operating-system sandbox
	ByAdapter   Decider = "adapter"           // our callback answers
	ByNobody    Decider = "nobody"            // nothing looks at it
	deciderWord         = "decider"
)

// Enforcer says what holds the agent to the decision.
type Enforcer string

// The enforcers. EnforcedByInstruction means that the model is only told.
const (
	EnforcedByRule        Enforcer = "provider-rule"
	EnforcedByMode        Enforcer = "provider-mode"
	EnforcedBySandbox     Enforcer = "provider-sandbox"
	EnforcedByAdapter     Enforcer = "adapter"
	EnforcedByInstruction Enforcer = "instruction"
	EnforcedByNobody      Enforcer = "nobody" // nothing looks at it
	enforcerWord                   = "enforcer"
)

// UnmarshalText accepts the known deciders only.
func (d *Decider) UnmarshalText(b []byte) error {
	return setWord(d, b, deciderWord, []Decider{ByPerson, ByRule, ByMode, ByReviewer, BySandbox, ByAdapter, ByNobody})
}

// UnmarshalText accepts the known enforcers only.
func (e *Enforcer) UnmarshalText(b []byte) error {
	return setWord(e, b, enforcerWord, []Enforcer{EnforcedByRule, EnforcedByMode, EnforcedBySandbox, EnforcedByAdapter, EnforcedByInstruction, EnforcedByNobody})
}
