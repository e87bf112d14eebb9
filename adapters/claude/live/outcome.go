package live

import (
	"encoding/json"
	"regexp"
	"strings"
)

// did is what the binary did with one tool call.
type did struct {
	asked      bool   // can_use_tool reached the host
	classified bool   // auto mode's classifier was asked (2.1.197)
	result     bool   // there is a tool result
	failed     bool   // the tool result is an error
	text       string // of the tool result
	meta       *resultMeta
	hooks      string // the session's hooks: 2.1.197 gives their reason to deny, and nothing else
}

// resultMeta says how a call came to its result; 2.1.197 doesn't have it.
type resultMeta struct {
	ToolUseID    string    `json:"tool_use_id"`
	NotExecuted  string    `json:"non_execution_kind"`
	PermissionOf *decision `json:"permission_decision"`
}

type decision struct {
	Decision string `json:"decision"` // accept or reject
}

// toolResult is the block of a user message that carries a tool's result.
type toolResult struct {
	Type      string          `json:"type"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	Error     bool            `json:"is_error"`
}

// take looks for the call's result in a line.
func (d *did) take(l line, id string) {
	if l.Type != "user" || d.result {
		return
	}
	var m struct {
		Content []toolResult `json:"content"`
	}
	if json.Unmarshal(l.Message, &m) != nil { // plain text
		return
	}
	for _, b := range m.Content {
		if b.Type != "tool_result" || b.ToolUseID != id {
			continue
		}
		d.result, d.failed = true, b.Error
		if json.Unmarshal(b.Content, &d.text) != nil {
			d.text = string(b.Content)
		}
		for i, meta := range l.Meta {
			if meta.ToolUseID == id || meta.ToolUseID == "" && len(l.Meta) == 1 {
				d.meta = &l.Meta[i]
			}
		}
	}
}

var (
	absentText = regexp.MustCompile(`(?i)No such tool available|not enabled in this context`)
	errorText  = regexp.MustCompile(`<tool_use_error>`)
	deniedText = regexp.MustCompile(`(?i)denied|permission to use|requires approval|haven't granted|was blocked|blocked by permission rules|for security`)
	ownDenial  = regexp.MustCompile(`^Agent type '.*' has been denied by permission rule `)
)

// word is the outcome in a case file's words: ask, review, allow, deny or absent;
// "" when the call didn't get as far as a decision.
//
// 2.1.332's auto mode has its check on a server that isn't there offline: a call
// that would go to it is refused as automode-unavailable.
func (d did) word() string {
	switch {
	case d.asked:
		return "ask"
	case d.classified, d.meta != nil && d.meta.NotExecuted == "automode-unavailable":
		return "review"
	case !d.result:
		return ""
	case d.failed && ownDenial.MatchString(d.text): // by the tool itself, behind the decision
		return "deny"
	case d.meta != nil && d.meta.PermissionOf != nil:
		if d.meta.PermissionOf.Decision == "accept" {
			return "allow"
		}
		return "deny"
	case !d.failed:
		return "allow"
	case absentText.MatchString(d.text):
		return "absent"
	case deniedText.MatchString(d.text), d.text != "" && strings.Contains(d.hooks, d.text):
		return "deny"
	case errorText.MatchString(d.text): // the tool's own check of its input comes before permissions
		return ""
	}
	return "allow" // it ran, and failed
}
