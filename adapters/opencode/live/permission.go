package live

import (
	"context"
	"net/url"
)

// A PermissionRequest is a tool call that waits for an answer.
type PermissionRequest struct {
	ID         string         `json:"id"`
	SessionID  string         `json:"sessionID"`
	Permission string         `json:"permission"` // "bash", "edit", ...
	Patterns   []string       `json:"patterns"`   // the texts that rules were compared with
	Always     []string       `json:"always"`     // patterns that ReplyAlways would approve
	Metadata   map[string]any `json:"metadata"`
	Tool       *CallRef       `json:"tool"` // nil when no tool call asked
}

// A CallRef names the tool call behind a request.
type CallRef struct {
	MessageID string `json:"messageID"`
	CallID    string `json:"callID"`
}

// A Reply answers a permission request. Message is for rejections only.
type Reply struct {
	Reply   string `json:"reply"` // ReplyOnce, ReplyAlways or ReplyReject
	Message string `json:"message,omitempty"`
}

// PendingPermissions lists the requests that wait, of all sessions of the
// client's directory.
func (c *Client) PendingPermissions(ctx context.Context) ([]PermissionRequest, error) {
	var p []PermissionRequest
	err := c.v1(ctx, "GET", "/permission", nil, &p)
	return p, err
}

// ReplyPermission answers a request. A request that is unknown, already
// answered, or of another directory gives an error that [IsNotFound] knows.
func (c *Client) ReplyPermission(ctx context.Context, id string, r Reply) error {
	var ok bool
	return c.v1(ctx, "POST", "/permission/"+url.PathEscape(id)+"/reply", r, &ok)
}

// A QuestionRequest is the question tool waiting for answers.
type QuestionRequest struct {
	ID        string     `json:"id"`
	SessionID string     `json:"sessionID"`
	Questions []Question `json:"questions"`
	Tool      *CallRef   `json:"tool"`
}

// A Question is one of a request's questions.
type Question struct {
	Question string           `json:"question"`
	Header   string           `json:"header"`
	Options  []QuestionOption `json:"options"`
	Multiple bool             `json:"multiple"` // more than one option may be chosen
	Custom   bool             `json:"custom"`   // free text may be answered
}

// A QuestionOption is one of a question's options; its label is the answer.
type QuestionOption struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// PendingQuestions lists the questions that wait in the client's directory.
func (c *Client) PendingQuestions(ctx context.Context) ([]QuestionRequest, error) {
	var q []QuestionRequest
	err := c.v1(ctx, "GET", "/question", nil, &q)
	return q, err
}

// ReplyQuestion answers a request: for each question, in order, its answers.
func (c *Client) ReplyQuestion(ctx context.Context, id string, answers [][]string) error {
	var ok bool
	return c.v1(ctx, "POST", "/question/"+url.PathEscape(id)+"/reply", map[string]any{"answers": answers}, &ok)
}

// RejectQuestion dismisses a request.
func (c *Client) RejectQuestion(ctx context.Context, id string) error {
	var ok bool
	return c.v1(ctx, "POST", "/question/"+url.PathEscape(id)+"/reject", nil, &ok)
}
