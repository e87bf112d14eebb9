package evaluator

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

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

// Check reports the first path of the Env that must be absolute and isn't, and
// the first effect of an agent's rule that no provider has.
func (e Env) Check() error {
	for _, p := range [][2]string{{"workspace", e.Workspace}, {"home", e.Home}} {
		if p[1] != "" && !strings.HasPrefix(p[1], "/") {
			return fmt.Errorf("%s %q must be an absolute path", p[0], p[1])
		}
	}
	if e.Platform != "" && e.Platform != "linux" && e.Platform != "darwin" && e.Platform != "windows" {
		return fmt.Errorf("unknown platform %q: use linux, darwin, windows", e.Platform)
	}
	if err := checkGrants("grants", e.Grants); err != nil {
		return err
	}
	if err := checkGrants("saved", e.Saved); err != nil {
		return err
	}
	ids := map[string]bool{}
	for i, a := range e.Agents {
		if a.ID == "" {
			return fmt.Errorf("agents/%d: an agent needs an id", i)
		}
		if ids[a.ID] {
			return fmt.Errorf("agents/%d: %q is listed twice", i, a.ID)
		}
		ids[a.ID] = true
		for j, r := range a.Permissions {
			if r.Action == "" {
				return fmt.Errorf("agents/%d/permissions/%d: a rule needs an action", i, j)
			}
			if r.Effect != Allow && r.Effect != Ask && r.Effect != Deny {
				return fmt.Errorf("agents/%d/permissions/%d: effect %q: use allow, ask, deny", i, j, r.Effect)
			}
		}
	}
	return nil
}

func checkGrants(name string, grants []Grant) error {
	for i, g := range grants {
		if g.Action == "" || g.Resource == "" {
			return fmt.Errorf("%s/%d: a grant needs action and resource", name, i)
		}
	}
	return nil
}
