package live

import (
	"context"
	"encoding/json"
	"net/url"
)

// A Session is what the server says about a session of the 1.x surface.
type Session struct {
	ID         string `json:"id"`
	ProjectID  string `json:"projectID"`
	Directory  string `json:"directory"`
	ParentID   string `json:"parentID"` // of a task child
	Title      string `json:"title"`
	Version    string `json:"version"`
	Permission []Rule `json:"permission"` // empty when none were ever given
}

// NewSession says how to create a session.
type NewSession struct {
	Title      string `json:"title,omitempty"`
	Agent      string `json:"agent,omitempty"`
	ParentID   string `json:"parentID,omitempty"` // inherits no rules
	Permission []Rule `json:"permission,omitempty"`
}

// CreateSession creates a session in the client's directory.
func (c *Client) CreateSession(ctx context.Context, n NewSession) (Session, error) {
	var s Session
	err := c.v1(ctx, "POST", "/session", n, &s)
	return s, err
}

// Session reads a session.
func (c *Client) Session(ctx context.Context, id string) (Session, error) {
	var s Session
	err := c.v1(ctx, "GET", sessionPath(id), nil, &s)
	return s, err
}

// Children lists the sessions that a session's tasks have made.
func (c *Client) Children(ctx context.Context, id string) ([]Session, error) {
	var s []Session
	err := c.v1(ctx, "GET", sessionPath(id)+"/children", nil, &s)
	return s, err
}

// AddRules appends rules to a session's rules and returns the session with the
// whole list. The server never removes or merges a rule, and a run that is under
// way sees the change only at its next prompt.
func (c *Client) AddRules(ctx context.Context, id string, rules []Rule) (Session, error) {
	var s Session
	err := c.v1(ctx, "PATCH", sessionPath(id), map[string]any{"permission": rules}, &s)
	return s, err
}

// resetTool is a tool that doesn't exist.
const resetTool = "modegate"

// ResetRules replaces a session's rules by one that says nothing: an allow for a
// tool that doesn't exist. It adds an empty message, which the model isn't shown,
// and starts no run. Of the prompt the agent and the model count, so that the
// session keeps them.
//
// This is the one way to take rules away. A deny in its place, such as for every
// tool, would stay below what is sent next, and every subagent would inherit it
// (both measured on 1.18.33, 2026-11-30).
func (c *Client) ResetRules(ctx context.Context, id string, p Prompt) error {
	body := p.about(map[string]any{"noReply": true, "tools": map[string]bool{resetTool: true}, "parts": []any{}})
	var m Message
	return c.v1(ctx, "POST", sessionPath(id)+"/message", body, &m)
}

// DeleteSession deletes a session. Requests of it that are pending stay so.
func (c *Client) DeleteSession(ctx context.Context, id string) error {
	var ok bool
	return c.v1(ctx, "DELETE", sessionPath(id), nil, &ok)
}

// A Prompt is a user message. The server's "tools" field is left out on
// purpose: it replaces the whole list of session rules.
type Prompt struct {
	Text       string
	Agent      string // empty means the default agent
	ProviderID string // with ModelID; empty means the default model
	ModelID    string
}

// PromptAsync adds a user message and starts a run without waiting for it.
func (c *Client) PromptAsync(ctx context.Context, id string, p Prompt) error {
	body := p.about(map[string]any{"parts": []any{map[string]string{"type": "text", "text": p.Text}}})
	return c.v1(ctx, "POST", sessionPath(id)+"/prompt_async", body, nil)
}

// about names the prompt's agent and model in a body.
func (p Prompt) about(body map[string]any) map[string]any {
	if p.Agent != "" {
		body["agent"] = p.Agent
	}
	if p.ModelID != "" {
		body["model"] = map[string]string{"providerID": p.ProviderID, "modelID": p.ModelID}
	}
	return body
}

// Abort ends a session's run. Requests that are pending stay answerable: a
// late reply may still run a command, so reject them before the abort.
func (c *Client) Abort(ctx context.Context, id string) error {
	var ok bool
	return c.v1(ctx, "POST", sessionPath(id)+"/abort", nil, &ok)
}

// A Message is one message of a session with its parts.
type Message struct {
	Info  MessageInfo `json:"info"`
	Parts []Part      `json:"parts"`
}

// MessageInfo is a message without its parts.
type MessageInfo struct {
	ID        string          `json:"id"`
	SessionID string          `json:"sessionID"`
	Role      string          `json:"role"`  // "user" or "assistant"
	Error     json.RawMessage `json:"error"` // of an assistant message that failed
	Agent     string          `json:"agent"`
	Finish    string          `json:"finish"` // why an assistant message ended, such as "stop" or "tool-calls"
}

// A Part is one part of a message. CallID, Tool and State belong to parts of
// type "tool".
type Part struct {
	ID        string    `json:"id"`
	MessageID string    `json:"messageID"`
	SessionID string    `json:"sessionID"`
	Type      string    `json:"type"`
	Text      string    `json:"text"`
	CallID    string    `json:"callID"`
	Tool      string    `json:"tool"`
	State     ToolState `json:"state"`
}

// A ToolState is how far a tool call has come.
type ToolState struct {
	Status   string          `json:"status"` // one of the Call words
	Input    json.RawMessage `json:"input"`
	Output   string          `json:"output"`
	Error    string          `json:"error"`
	Metadata json.RawMessage `json:"metadata"`
}

// The words of a tool call's status. A call of a tool that is hidden from the
// model completes as the tool "invalid".
const (
	CallPending   = "pending"
	CallRunning   = "running"
	CallCompleted = "completed"
	CallFailed    = "error"
)

// Over reports whether the call has ended, well or not.
func (s ToolState) Over() bool { return s.Status == CallCompleted || s.Status == CallFailed }

// Messages reads all messages of a session, oldest first.
func (c *Client) Messages(ctx context.Context, id string) ([]Message, error) {
	var m []Message
	err := c.v1(ctx, "GET", sessionPath(id)+"/message", nil, &m)
	return m, err
}

func sessionPath(id string) string { return "/session/" + url.PathEscape(id) }
