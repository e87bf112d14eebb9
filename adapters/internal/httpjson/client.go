// Package httpjson owns JSON over HTTP with a provider's server: requests whose
// answers are checked for their content type, too, and streams of server-sent
// events that are opened again when they break.
package httpjson

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

// A Client speaks to one server. It is safe for concurrent use.
type Client struct {
	name     string // begins every error
	base     string
	user     string
	password string
	http     *http.Client
}

// RequestTimeout bounds one request, streams excepted. The slowest that was
// measured, the first of a fresh directory of OpenCode 1.18.33, takes about seven
// seconds under load.
const RequestTimeout = 60 * time.Second

// maxAnswer bounds one answer, in bytes: a session's messages carry the output
// of its tools.
const maxAnswer = 64 << 20

// New returns a client for the server at base. name begins the errors. An empty
// password sends no credentials.
func New(name, base, user, password string, via *http.Transport) *Client {
	return &Client{name: name, base: strings.TrimRight(base, "/"), user: user, password: password, http: &http.Client{
		Transport: via,
		// No server that is spoken to here redirects.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Transport returns a transport that never goes through a proxy.
func Transport() *http.Transport {
	return &http.Transport{
		Proxy:                 nil,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       30 * time.Second,
		ResponseHeaderTimeout: RequestTimeout,
	}
}

// ErrNotJSON is wrapped when an answer isn't JSON, which on OpenCode is how a
// route that doesn't exist looks: 200 with the web application's HTML.
var ErrNotJSON = errors.New("the answer is not JSON (no such route?)")

// A StatusError is an answer with a status other than the one expected.
type StatusError struct {
	Name         string // of the client
	Method, Path string
	Status       int
	Tag          string // "_tag" of an error in JSON, "" where there is none
	Body         string // the beginning of the answer
}

// Error names the request, the status and the beginning of the answer.
func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: %s %s: status %d: %s", e.Name, e.Method, e.Path, e.Status, e.Body)
}

// IsNotFound reports whether err is a 404 answer.
func IsNotFound(err error) bool {
	var se *StatusError
	return errors.As(err, &se) && se.Status == http.StatusNotFound
}

// Do sends one request. A nil body sends none. A nil into means that the answer
// must be 204 without content; otherwise it must be 200 and JSON.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, RequestTimeout)
	defer cancel()
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%s: %s %s: %w", c.name, method, path, err)
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
		return fmt.Errorf("%s: %w", c.name, err)
	}
	defer resp.Body.Close()
	return c.check(req, resp, into)
}

func (c *Client) request(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Request, error) {
	target := c.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	if c.password != "" {
		req.SetBasicAuth(c.user, c.password)
	}
	return req, nil
}

// check reads an answer as Do describes.
func (c *Client) check(req *http.Request, resp *http.Response, into any) error {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return fmt.Errorf("%s: %s %s: %w", c.name, req.Method, req.URL.Path, err)
	}
	if len(raw) > maxAnswer {
		return fmt.Errorf("%s: %s %s: the answer is larger than %d bytes", c.name, req.Method, req.URL.Path, maxAnswer)
	}
	want := http.StatusOK
	if into == nil {
		want = http.StatusNoContent
	}
	isJSON := mediaType(resp) == "application/json"
	if resp.StatusCode != want {
		err := &StatusError{Name: c.name, Method: req.Method, Path: req.URL.Path, Status: resp.StatusCode, Body: beginning(raw)}
		if resp.StatusCode == http.StatusOK && !isJSON {
			return fmt.Errorf("%w: %w", ErrNotJSON, err)
		}
		if isJSON {
			err.Tag = tag(raw)
		}
		return err
	}
	if into == nil {
		return nil
	}
	if !isJSON {
		return fmt.Errorf("%s: %s %s: %w: content type %q", c.name, req.Method, req.URL.Path, ErrNotJSON, resp.Header.Get("Content-Type"))
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %s %s: %w", c.name, req.Method, req.URL.Path, err)
	}
	return nil
}

func tag(raw []byte) string {
	var e struct {
		Tag string `json:"_tag"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return ""
	}
	return e.Tag
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
