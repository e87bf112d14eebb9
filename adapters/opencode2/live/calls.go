package live

import (
	"context"
	"encoding/json"
	"net/url"
)

// A Rule is one permission rule of a session or an agent.
type Rule struct {
	Action   string `json:"action"`
	Resource string `json:"resource"`
	Effect   string `json:"effect"`
}

// A Session is what the server says about a session.
type Session struct {
	ID          string   `json:"id"`
	ParentID    string   `json:"parentID"` // of a subagent's session
	Agent       string   `json:"agent"`
	Location    Location `json:"location"`
	Permissions []Rule   `json:"permissions"`
}

// A Location is where a session runs.
type Location struct {
	Directory string `json:"directory"`
}

// A Model names a model.
type Model struct {
	ProviderID string `json:"providerID"`
	ID         string `json:"id"`
}

// An Agent is one of the server's agents with its rules.
type Agent struct {
	ID          string `json:"id"`
	Permissions []Rule `json:"permissions"`
}

// Models lists the models of the client's directory.
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	var out struct {
		Data []Model `json:"data"`
	}
	err := c.wire.Do(ctx, "GET", "/api/model", c.location(), nil, &out)
	return out.Data, err
}

// Agents lists the agents of the client's directory. For a while after a
// directory is touched the list is empty.
func (c *Client) Agents(ctx context.Context) ([]Agent, error) {
	var out struct {
		Data []Agent `json:"data"`
	}
	err := c.wire.Do(ctx, "GET", "/api/agent", c.location(), nil, &out)
	return out.Data, err
}

// Create creates a session with its rules. A nil model leaves it to the server.
func (c *Client) Create(ctx context.Context, rules []Rule, m *Model) (Session, error) {
	body := struct {
		Location    Location `json:"location"`
		Model       *Model   `json:"model,omitempty"`
		Permissions []Rule   `json:"permissions"`
	}{Location{c.dir}, m, rules}
	var out struct {
		Data Session `json:"data"`
	}
	err := c.wire.Do(ctx, "POST", "/api/session", nil, body, &out)
	return out.Data, err
}

// Session reads a session.
func (c *Client) Session(ctx context.Context, id string) (Session, error) {
	var out struct {
		Data Session `json:"data"`
	}
	err := c.wire.Do(ctx, "GET", sessionPath(id), nil, nil, &out)
	return out.Data, err
}

// Update replaces a session's rules. Requests that the session asks from then on
// are compared with them, also in a run that is under way.
func (c *Client) Update(ctx context.Context, id string, rules []Rule) error {
	body := map[string]any{"permissions": rules}
	return c.wire.Do(ctx, "PATCH", sessionPath(id), nil, body, nil)
}

// Active are the sessions that run something.
func (c *Client) Active(ctx context.Context) (map[string]bool, error) {
	var out struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	if err := c.wire.Do(ctx, "GET", "/api/session/active", nil, nil, &out); err != nil {
		return nil, err
	}
	active := map[string]bool{}
	for id := range out.Data {
		active[id] = true
	}
	return active, nil
}

// Prompt sends a user message, which starts a run, and returns its id.
func (c *Client) Prompt(ctx context.Context, id, text string) (string, error) {
	var out struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err := c.wire.Do(ctx, "POST", sessionPath(id)+"/prompt", nil, map[string]any{"text": text}, &out)
	return out.Data.ID, err
}

// Interrupt ends what a session runs. What waits in it is dropped.
func (c *Client) Interrupt(ctx context.Context, id string) error {
	var out struct {
		Interrupted bool `json:"interrupted"`
	}
	return c.wire.Do(ctx, "POST", sessionPath(id)+"/interrupt", nil, nil, &out)
}

// Synthetic puts a note for the model into a session.
func (c *Client) Synthetic(ctx context.Context, id string, body any) error {
	var out struct {
		Data json.RawMessage `json:"data"`
	}
	return c.wire.Do(ctx, "POST", sessionPath(id)+"/synthetic", nil, body, &out)
}

// waiting lists the requests of both shapes that wait in a session, as the server
// sends them.
func (c *Client) waiting(ctx context.Context, id string) ([]json.RawMessage, error) {
	var all []json.RawMessage
	for _, kind := range []string{"/permission", "/form"} {
		var out struct {
			Data []json.RawMessage `json:"data"`
		}
		if err := c.wire.Do(ctx, "GET", sessionPath(id)+kind, nil, nil, &out); err != nil {
			return nil, err
		}
		all = append(all, out.Data...)
	}
	return all, nil
}

// ReplyPermission answers a permission request.
func (c *Client) ReplyPermission(ctx context.Context, session, id string, body any) error {
	return c.wire.Do(ctx, "POST", sessionPath(session)+"/permission/"+url.PathEscape(id)+"/reply", nil, body, nil)
}

// ReplyForm answers a form.
func (c *Client) ReplyForm(ctx context.Context, session, id string, body any) error {
	return c.wire.Do(ctx, "POST", formPath(session, id)+"/reply", nil, body, nil)
}

// CancelForm cancels a form. Its route isn't certain, and only this function
// knows of it: 2.0.18 takes DELETE (T3 Code's adapter for it, source read
// 2026-11-30), other sources of 2.x have POST …/cancel.
func (c *Client) CancelForm(ctx context.Context, session, id string) error {
	err := c.wire.Do(ctx, "DELETE", formPath(session, id), nil, nil, nil)
	if hasNoRoute(err) {
		err = c.wire.Do(ctx, "POST", formPath(session, id)+"/cancel", nil, nil, nil)
	}
	return err
}

func formPath(session, id string) string {
	return sessionPath(session) + "/form/" + url.PathEscape(id)
}
