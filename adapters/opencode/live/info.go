package live

import (
	"context"
	"encoding/json"
)

// An Agent is an agent of the 1.x surface with its rules: defaults, then the
// configuration's.
type Agent struct {
	Name       string `json:"name"`
	Mode       string `json:"mode"`   // "primary", "subagent" or "all"
	Native     bool   `json:"native"` // built in
	Hidden     bool   `json:"hidden"`
	Permission []Rule `json:"permission"`
}

// Agents lists the agents of the client's directory. It fails with 400 when the
// directory's configuration can't be read by the 1.x surface.
func (c *Client) Agents(ctx context.Context) ([]Agent, error) {
	var a []Agent
	err := c.v1(ctx, "GET", "/agent", nil, &a)
	return a, err
}

// Paths are the places the server uses for the client's directory.
type Paths struct {
	Home   string `json:"home"`
	State  string `json:"state"`
	Config string `json:"config"`
	// Worktree is the root of the git work tree, or "/" outside of one. Texts of
	// the edit and read permissions are relative to it.
	Worktree  string `json:"worktree"`
	Directory string `json:"directory"`
}

// Paths reads the server's paths.
func (c *Client) Paths(ctx context.Context) (Paths, error) {
	var p Paths
	err := c.v1(ctx, "GET", "/path", nil, &p)
	return p, err
}

// Config reads the merged configuration of the client's directory as it is.
func (c *Client) Config(ctx context.Context) (json.RawMessage, error) {
	var raw json.RawMessage
	err := c.v1(ctx, "GET", "/config", nil, &raw)
	return raw, err
}

// Version reads the server's version, such as "1.18.33".
func (c *Client) Version(ctx context.Context) (string, error) {
	var h struct {
		Version string `json:"version"`
	}
	err := c.v1(ctx, "GET", "/global/health", nil, &h)
	return h.Version, err
}
