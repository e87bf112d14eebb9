package server

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/modegate/modegate/evaluator"
)

// agentSession is a session of a coding agent. It is never changed, only
// replaced.
type agentSession struct {
	ID          string                `json:"id"`
	Provider    evaluator.Provider    `json:"provider"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	Workspace   string                `json:"workspace"`
	Parent      string                `json:"parent,omitempty"`
	Native      string                `json:"nativeSession,omitempty"` // the provider's id of it; learned from its first request when not given
	Env         evaluator.Env         `json:"env"`
	Ruleset     string                `json:"ruleset"`        // digest of its current RuleSet
	Revision    int64                 `json:"revision"`       // counts the RuleSets that it has had
	Turn        string                `json:"turn,omitempty"` // that runs
	ModeChange  string                `json:"modeChange"`     // how a mode change reaches the provider while a turn runs
	Created     time.Time             `json:"createdAt"`
	Updated     time.Time             `json:"updatedAt"`
}

func (a *agentSession) cell() evaluator.Cell {
	return evaluator.Cell{Provider: a.Provider, Mode: a.Mode, Interaction: a.Interaction}
}

// How a change reaches a provider.
const (
	appliesInSession = "in-session" // at once: the session stays, its rules are written anew
	appliesByRestart = "restart"    // the live session is started anew, with what it can resume
	appliesNextTurn  = "next-turn"  // when the next turn starts
)

// turnRow is a run of a session. Its modes are the session's when it started.
type turnRow struct {
	ID          string                `json:"turn"`
	Session     string                `json:"session"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	Ruleset     string                `json:"ruleset"`
	State       string                `json:"state"`            // running or ended
	Status      string                `json:"status,omitempty"` // how it ended
	Started     time.Time             `json:"startedAt"`
	Ended       time.Time             `json:"endedAt,omitzero"`
	Closed      []string              `json:"closed,omitempty"` // the requests that its end closed
}

const (
	turnRunning = "running"
	turnEnded   = "ended"
)

var (
	sessionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~:@-]{0,127}$`)
	statusWord  = regexp.MustCompile(`^[a-z][a-z-]{0,31}$`)
)

// holder is whoever holds grants: a session, or a child that only the provider
// knows, by the provider's id.
type holder struct{ session, child string }

// looser says in which way a child would be held less than its parent, "" when
// it isn't.
func looser(parent, child *agentSession) string {
	order := evaluator.Modes()
	switch {
	case slices.Index(order, child.Mode) > slices.Index(order, parent.Mode):
		return fmt.Sprintf("mode %s is looser than %s of its parent", child.Mode, parent.Mode)
	case parent.Interaction == evaluator.Plan && child.Interaction != evaluator.Plan:
		return "its parent only plans"
	}
	return ""
}
