package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Client speaks to a server about one directory. It is safe for concurrent
// use and holds no connection that needs closing.
type Client struct {
	base     string
	password string
	dir      string
	http     *http.Client
}

// RequestTimeout bounds one request, the event stream excepted. The slowest
// that was measured, the first of a fresh directory, takes about seven seconds
// under load.
const RequestTimeout = 60 * time.Second

// maxAnswer bounds one answer, in bytes: a session's messages carry the output
// of its tools.
const maxAnswer = 64 << 20

// NewClient returns a client for a server at base that was started by anyone.
// An empty password sends no credentials.
func NewClient(base, password, dir string) *Client {
	return &Client{base: strings.TrimRight(base, "/"), password: password, dir: dir, http: loopbackHTTP}
}

// loopbackHTTP never goes through a proxy and follows no redirects: the server
// has none.
var loopbackHTTP = &http.Client{
	Transport: &http.Transport{
		Proxy:                 nil,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       30 * time.Second,
		ResponseHeaderTimeout: RequestTimeout,
	},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Directory is the directory this client speaks about.
func (c *Client) Directory() string { return c.dir }

// ErrNotJSON is wrapped when an answer isn't JSON, which on 1.18.33 is how a
// route that doesn't exist looks: 200 with the web application's HTML.
var ErrNotJSON = errors.New("the answer is not JSON (no such route?)")

// A StatusError is an answer with a status other than the one expected.
type StatusError struct {
	Method, Path string
	Status       int
	Body         string // the beginning of the answer
}

// Error names the request, the status and the beginning of the answer.
func (e *StatusError) Error() string {
	return fmt.Sprintf("opencode: %s %s: status %d: %s", e.Method, e.Path, e.Status, e.Body)
}

// IsNotFound reports whether err is a 404 answer, such as for a permission
// request that somebody has already answered.
func IsNotFound(err error) bool {
	var se *StatusError
	return errors.As(err, &se) && se.Status == http.StatusNotFound
}

// v1 sends a request of the 1.x surface, where the directory is a parameter.
func (c *Client) v1(ctx context.Context, method, path string, body, into any) error {
	return c.do(ctx, method, path, url.Values{"directory": {c.dir}}, body, into)
}

// native sends a request of the native surface, where the directory is part of
// a "location" and only asked for by routes that aren't about a session.
func (c *Client) native(ctx context.Context, method, path string, body, into any) error {
	return c.do(ctx, method, path, url.Values{"location[directory]": {c.dir}}, body, into)
}

// do sends one request. A nil body sends none. A nil into means that the answer
// must be 204 without content; otherwise it must be 200 and JSON.
func (c *Client) do(ctx context.Context, method, path string, query url.Values, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, RequestTimeout)
	defer cancel()
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("opencode: %s %s: %w", method, path, err)
		}
		payload = bytes.NewReader(b)
	}
	req, err := c.request(ctx, method, path, query, payload)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("opencode: %w", err)
	}
	defer resp.Body.Close()
	return check(req, resp, into)
}

func (c *Client) request(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path+"?"+query.Encode(), body)
	if err != nil {
		return nil, fmt.Errorf("opencode: %w", err)
	}
	if c.password != "" {
		req.SetBasicAuth("opencode", c.password)
	}
	return req, nil
}

// check reads an answer as do describes.
func check(req *http.Request, resp *http.Response, into any) error {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return fmt.Errorf("opencode: %s %s: %w", req.Method, req.URL.Path, err)
	}
	if len(raw) > maxAnswer {
		return fmt.Errorf("opencode: %s %s: the answer is larger than %d bytes", req.Method, req.URL.Path, maxAnswer)
	}
	want := http.StatusOK
	if into == nil {
		want = http.StatusNoContent
	}
	isJSON := mediaType(resp) == "application/json"
	if resp.StatusCode != want {
		err := &StatusError{Method: req.Method, Path: req.URL.Path, Status: resp.StatusCode, Body: beginning(raw)}
		if resp.StatusCode == http.StatusOK && !isJSON {
			return fmt.Errorf("%w: %w", ErrNotJSON, err)
		}
		return err
	}
	if into == nil {
		return nil
	}
	if !isJSON {
		return fmt.Errorf("opencode: %s %s: %w: content type %q", req.Method, req.URL.Path, ErrNotJSON, resp.Header.Get("Content-Type"))
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("opencode: %s %s: %w", req.Method, req.URL.Path, err)
	}
	return nil
}

func mediaType(resp *http.Response) string {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}

// beginning shortens an answer for an error message.
func beginning(raw []byte) string {
	const most = 400
	if len(raw) > most {
		return string(raw[:most]) + "..."
	}
	return string(raw)
}
