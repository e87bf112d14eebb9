package evaluator

// Status says how well a claim about a provider is proven.
type Status string

// The statuses, from weak to strong. Nothing is Verified because our own code
// agrees with itself.
const (
	Unverified Status = "unverified" // nobody has checked
	Documented Status = "documented" // somebody's text says so
	Recorded   Status = "recorded"   // a recording of the real wire
	Verified   Status = "verified"   // the named real binary gave this answer
)

// UnmarshalText accepts the four statuses only.
func (s *Status) UnmarshalText(b []byte) error {
	return setWord(s, b, "status", []Status{Unverified, Documented, Recorded, Verified})
}

// Proof is what stands behind one claim.
type Proof struct {
	Claim  string `json:"claim"`
	Status Status `json:"status"`
	By     string `json:"by,omitempty"`   // program and version, or document
	Date   string `json:"date,omitempty"` // yyyy-mm-dd on which it was taken
}
