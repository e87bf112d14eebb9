package live

import (
	"context"
	"net/url"

	"github.com/modegate/modegate/adapters/internal/httpjson"
)

// A Client speaks to a server about one directory. It is safe for concurrent
// use and holds no connection that needs closing.
type Client struct {
	base     string
	password string
	dir      string
	wire     *httpjson.Client
}

// RequestTimeout bounds one request, the event stream excepted.
const RequestTimeout = httpjson.RequestTimeout

// transport is shared by all clients.
var transport = httpjson.Transport()

// NewClient returns a client for a server at base that was started by anyone.
// An empty password sends no credentials.
func NewClient(base, password, dir string) *Client {
	return &Client{base: base, password: password, dir: dir, wire: httpjson.New("opencode", base, "opencode", password, transport)}
}

// Directory is the directory this client speaks about.
func (c *Client) Directory() string { return c.dir }

// ErrNotJSON is wrapped when an answer isn't JSON, which on 1.18.33 is how a
// route that doesn't exist looks: 200 with the web application's HTML.
var ErrNotJSON = httpjson.ErrNotJSON

// A StatusError is an answer with a status other than the one expected.
type StatusError = httpjson.StatusError

// IsNotFound reports whether err is a 404 answer, such as for a permission
// request that somebody has already answered.
func IsNotFound(err error) bool { return httpjson.IsNotFound(err) }

// v1 sends a request of the 1.x surface, where the directory is a parameter.
func (c *Client) v1(ctx context.Context, method, path string, body, into any) error {
	return c.wire.Do(ctx, method, path, url.Values{"directory": {c.dir}}, body, into)
}

// native sends a request of the native surface, where the directory is part of
// a "location" and only asked for by routes that aren't about a session.
func (c *Client) native(ctx context.Context, method, path string, body, into any) error {
	return c.wire.Do(ctx, method, path, url.Values{"location[directory]": {c.dir}}, body, into)
}
