package live

import (
	"context"
	"net/url"
)

// A NativeAgent is an agent of the native surface with its rules.
type NativeAgent struct {
	ID          string       `json:"id"`
	Mode        string       `json:"mode"`
	Hidden      bool         `json:"hidden"`
	Permissions []NativeRule `json:"permissions"`
}

// NativeAgents lists the agents of the client's directory. For the first
// seconds after a directory is touched the list is empty, and until it isn't
// every evaluation is answered with deny.
func (c *Client) NativeAgents(ctx context.Context) ([]NativeAgent, error) {
	var out struct {
		Data []NativeAgent `json:"data"`
	}
	err := c.native(ctx, "GET", "/api/agent", nil, &out)
	return out.Data, err
}

// CreateNativeSession creates a session in the client's directory and returns
// its id. Session rules don't exist here: they are ignored by the server.
func (c *Client) CreateNativeSession(ctx context.Context) (string, error) {
	var out struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	body := map[string]any{"location": map[string]string{"directory": c.dir}}
	err := c.native(ctx, "POST", "/api/session", body, &out)
	return out.Data.ID, err
}

// An Evaluation is a request to the native evaluator.
type Evaluation struct {
	Action    string   `json:"action"`
	Resources []string `json:"resources"` // an empty list is allowed by every rule list
	Save      []string `json:"save,omitempty"`
	Agent     string   `json:"agent,omitempty"` // whose rules; an unknown agent denies
}

// An Evaluated is the evaluator's answer. With the effect ask there is now a
// real pending request under that id, which must be answered.
type Evaluated struct {
	ID     string `json:"id"`
	Effect string `json:"effect"`
}

// Evaluate asks the native evaluator.
func (c *Client) Evaluate(ctx context.Context, session string, e Evaluation) (Evaluated, error) {
	if e.Resources == nil {
		e.Resources = []string{}
	}
	var out struct {
		Data Evaluated `json:"data"`
	}
	err := c.native(ctx, "POST", nativeSession(session)+"/permission", e, &out)
	return out.Data, err
}

// A NativeRequest is a pending request of the native surface.
type NativeRequest struct {
	ID        string   `json:"id"`
	SessionID string   `json:"sessionID"`
	Action    string   `json:"action"`
	Resources []string `json:"resources"`
	Save      []string `json:"save"`
}

// NativePending lists a session's pending requests. 1.18.33 answers 400 while
// one of them has metadata with an undefined value.
func (c *Client) NativePending(ctx context.Context, session string) ([]NativeRequest, error) {
	var out struct {
		Data []NativeRequest `json:"data"`
	}
	err := c.native(ctx, "GET", nativeSession(session)+"/permission", nil, &out)
	return out.Data, err
}

// ReplyNative answers a pending request of the native surface.
func (c *Client) ReplyNative(ctx context.Context, session, id string, r Reply) error {
	return c.native(ctx, "POST", nativeSession(session)+"/permission/"+url.PathEscape(id)+"/reply", r, nil)
}

// A Grant is an approval that the native surface keeps for a project.
type Grant struct {
	ID        string `json:"id"`
	ProjectID string `json:"projectID"`
	Action    string `json:"action"`
	Resource  string `json:"resource"`
}

// Grants lists the approvals of the project of the client's directory. All
// directories outside of git share the project "global".
func (c *Client) Grants(ctx context.Context) ([]Grant, error) {
	var out struct {
		Data []Grant `json:"data"`
	}
	err := c.native(ctx, "GET", "/api/permission/saved", nil, &out)
	return out.Data, err
}

// DeleteGrant removes an approval.
func (c *Client) DeleteGrant(ctx context.Context, id string) error {
	return c.native(ctx, "DELETE", "/api/permission/saved/"+url.PathEscape(id), nil, nil)
}

func nativeSession(id string) string { return "/api/session/" + url.PathEscape(id) }
