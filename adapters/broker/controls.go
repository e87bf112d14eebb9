package broker

// Controlled is a Translator that says what a client needs to answer the
// requests that it reads.
type Controlled interface {
	Controls() Controls
}

// Controls are what a client needs for a provider's requests. Each request
// offers its own: what isn't named here none does, what is named not every one.
type Controls struct {
	Decisions     []Decision  `json:"decisions"`     // that an approval may take
	SessionGrant  GrantKeeper `json:"sessionGrant"`  // who keeps what acceptForSession grants
	Questions     bool        `json:"questions"`     // are carried
	MultiSelect   bool        `json:"multiSelect"`   // a question may take several options
	CustomAnswers bool        `json:"customAnswers"` // a question may take a text of one's own
}

// GrantKeeper says who keeps what is granted for a session.
type GrantKeeper string

// The keepers. The service's grants are in the session's rules, can be seen
// there, and end with it.
const (
	NoGrants       GrantKeeper = "none"
	ServiceGrants  GrantKeeper = "service"
	ProviderGrants GrantKeeper = "provider"
)
