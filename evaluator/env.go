package evaluator

import "github.com/go-json-experiment/json/jsontext"

// Env is what a session knows and a policy doesn't: where it runs, the rules
// that the provider has before ours, and what this session has granted. Every
// field may be missing; what is then taken instead is listed as assumed.
type Env struct {
	Workspace string            `json:"workspace,omitempty"` // absolute folder of the session
	Home      string            `json:"home,omitempty"`      // absolute home folder of the user
	Platform  string            `json:"platform,omitempty"`  // linux (when empty), darwin or windows
	Agent     string            `json:"agent,omitempty"`     // the session's agent, where the provider has agents
	Agents    []Agent           `json:"agents,omitempty"`    // the provider's own agents, whose rules precede ours; nil: not known
	Grants    []Grant           `json:"grants,omitempty"`    // what this session has allowed, oldest first
	Saved     []Grant           `json:"saved,omitempty"`     // the provider's own persistent grants
	Resolved  map[string]string `json:"resolved,omitempty"`  // what links point to, by path as an Action writes it
	Facts     jsontext.Value    `json:"facts,omitempty"`     // what only one dialect understands, typed there
}

// Agent is one of the provider's own agents and its rules, in order.
type Agent struct {
	ID          string      `json:"id"`
	Permissions []AgentRule `json:"permissions"`
}

// AgentRule is one rule of a provider's agent, in the words of OpenCode 2.
type AgentRule struct {
	Action   string `json:"action"`
	Resource string `json:"resource"`
	Effect   Effect `json:"effect"`
}

// Grant is one allow that was given while a session ran: patterns on both fields.
type Grant struct {
	Action   string `json:"action"`
	Resource string `json:"resource"`
}
