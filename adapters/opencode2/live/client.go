package live

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/modegate/modegate/adapters/internal/httpjson"
)

// A Client speaks to a server about one directory. It is safe for concurrent
// use.
type Client struct {
	base     string
	password string
	dir      string
	via      *http.Transport
	wire     *httpjson.Client
}

// NewClient returns a client for a running server. An empty password sends no
// credentials. A nil transport makes a new one, which never goes through a proxy.
func NewClient(base, password, dir string, via *http.Transport) *Client {
	if via == nil {
		via = httpjson.Transport()
	}
	return &Client{base: base, password: password, dir: dir, via: via, wire: httpjson.New("opencode 2", base, "opencode", password, via)}
}

// in returns a client that speaks about another directory.
func (c *Client) in(dir string) *Client { return NewClient(c.base, c.password, dir, c.via) }

// Directory is the directory this client speaks about.
func (c *Client) Directory() string { return c.dir }

// Close closes the connections that nobody uses.
func (c *Client) Close() { c.via.CloseIdleConnections() }

// IsUnauthorized reports whether the server wants another password.
func IsUnauthorized(err error) bool {
	var se *httpjson.StatusError
	return errors.As(err, &se) && se.Status == http.StatusUnauthorized
}

// The tags of errors, as the founding description of 2.0.18 has them.
const (
	tagNoPermission = "PermissionNotFoundError"
	tagNoForm       = "FormNotFoundError"
	tagSettledForm  = "FormAlreadySettledError"
	tagNoSession    = "SessionNotFoundError"
)

func tagOf(err error) string {
	var se *httpjson.StatusError
	if !errors.As(err, &se) {
		return ""
	}
	return se.Tag
}

// isSettled reports whether a reply came to nothing because its request isn't
// there any more. A 404 without one of these tags is a route that doesn't exist,
// which says nothing about the request.
func isSettled(err error) bool {
	switch tagOf(err) {
	case tagNoPermission, tagNoForm, tagSettledForm, tagNoSession:
		return true
	}
	return false
}

// isGone reports whether the session itself isn't there any more.
func isGone(err error) bool { return tagOf(err) == tagNoSession }

// hasNoRoute reports whether the server doesn't have the route that was called.
func hasNoRoute(err error) bool {
	var se *httpjson.StatusError
	if !errors.As(err, &se) {
		return errors.Is(err, httpjson.ErrNotJSON)
	}
	return errors.Is(err, httpjson.ErrNotJSON) || se.Status == http.StatusMethodNotAllowed || se.Status == http.StatusNotFound && se.Tag == ""
}

func (c *Client) location() url.Values { return url.Values{"location[directory]": {c.dir}} }

func sessionPath(id string) string { return "/api/session/" + url.PathEscape(id) }
