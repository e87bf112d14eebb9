package live

// A Rule is one permission rule of the 1.x surface: session rules, agent rules.
// Both fields are wildcard patterns; the last rule that matches decides.
type Rule struct {
	Permission string `json:"permission"` // tool permission, such as "bash" or "*"
	Pattern    string `json:"pattern"`    // text that the tool asks for
	Action     string `json:"action"`     // ActionAllow, ActionAsk or ActionDeny
}

// A NativeRule is one permission rule of the native surface.
type NativeRule struct {
	Action   string `json:"action"`
	Resource string `json:"resource"`
	Effect   string `json:"effect"` // ActionAllow, ActionAsk or ActionDeny
}

// The words of a rule's action or effect. Any other word is answered with 400.
const (
	ActionAllow = "allow"
	ActionAsk   = "ask"
	ActionDeny  = "deny"
)

// The words of a permission reply.
const (
	ReplyOnce = "once" // this request
	// ReplyAlways approves the request's "always" patterns for every session of
	// the directory until the server ends. On the 1.x surface such an approval
	// beats every deny rule.
	ReplyAlways = "always"
	// ReplyReject fails the call. Without a message it also ends the run; with
	// one the model sees the message and goes on. Either way every other
	// pending request of the same session is rejected with it.
	ReplyReject = "reject"
)
