package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/strictjson"
)

// A Client speaks to one service. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	times Times
	http  *http.Client
}

// Times are how long a run waits for a service.
type Times struct {
	Call time.Duration // for one answer; 0 means ten seconds
	Lost time.Duration // for a service that is away to come back; 0 means twenty seconds
	Stop time.Duration // at the end, for everything that the service is still told; 0 means ten seconds
}

func (t Times) withDefaults() Times {
	for d, standard := range map[*time.Duration]time.Duration{&t.Call: 10 * time.Second, &t.Lost: 20 * time.Second, &t.Stop: 10 * time.Second} {
		if *d <= 0 {
			*d = standard
		}
	}
	return t
}

// maxAnswer bounds one answer and one event, in bytes.
const maxAnswer = 16 << 20

// NewClient returns a client for the service at base, http://HOST:PORT or with
// https, that signs in with a token.
func NewClient(base, token string, t Times) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("%q isn't a service's address: use http://HOST:PORT", base)
	}
	if token = strings.TrimSpace(token); token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the token is empty, or no token: a token is one line of printable characters")
	}
	return &Client{base: strings.TrimRight(base, "/"), token: token, times: t.withDefaults(), http: &http.Client{
		// The token isn't for whoever a redirect names.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second},
	}}, nil
}

// Close ends the connections that are kept.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Base is the service's address.
func (c *Client) Base() string { return c.base }

// A Refusal is an answer of the service that says no.
type Refusal struct {
	Status int
	Kind   string // of the problem, such as "conflict"; "" when it isn't said
	Detail string
	later  bool // it may be tried again
}

func (e *Refusal) Error() string {
	return fmt.Sprintf("the modegate service says no (%d): %s", e.Status, e.Detail)
}

// problem is a refusal as RFC 9457 has it.
type problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	RequestID string `json:"requestId"`
	Errors    []any  `json:"errors"`
	State     string `json:"state"`
}

// A Lost service can't be reached, or doesn't answer as one does.
type Lost struct{ Err error }

func (e *Lost) Error() string { return "the modegate service can't be reached: " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *Lost) Unwrap() error { return e.Err }

// A Misunderstanding is an answer that isn't one of the service's interface.
type Misunderstanding struct{ Err error }

func (e *Misunderstanding) Error() string {
	return "the modegate service answers what this modegate doesn't know: " + e.Err.Error()
}

// Unwrap returns what isn't known.
func (e *Misunderstanding) Unwrap() error { return e.Err }

// call makes one call. A nil body sends none, a nil into takes any answer that
// says yes.
func (c *Client) call(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, c.times.Call)
	defer cancel()
	var payload io.Reader
	if body != nil {
		data, err := strictjson.Encode(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(data)
	}
	resp, err := c.send(ctx, method, path, payload, nil)
	if err != nil {
		return &Lost{err}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return &Lost{err}
	case len(data) > maxAnswer:
		return &Misunderstanding{fmt.Errorf("an answer of more than %d bytes", maxAnswer)}
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return refusal(resp, data)
	case into == nil:
		return nil
	case mediaType(resp) != "application/json":
		return &Misunderstanding{fmt.Errorf("content of type %q", resp.Header.Get("Content-Type"))}
	}
	if err := strictjson.Decode(data, into); err != nil {
		return &Misunderstanding{fmt.Errorf("%s %s: %w", method, path, err)}
	}
	return nil
}

func (c *Client) send(ctx context.Context, method, path string, payload io.Reader, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, payload)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if payload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.http.Do(req)
}

func mediaType(resp *http.Response) string {
	t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return t
}

// refusal reads an answer that says no.
func refusal(resp *http.Response, data []byte) error {
	r := &Refusal{Status: resp.StatusCode, Detail: resp.Status}
	var p problem
	if mediaType(resp) == "application/problem+json" && strictjson.Decode(data, &p) == nil {
		r.Kind, r.Detail = strings.TrimPrefix(p.Type, "urn:modegate:problem:"), p.Detail
	} else if resp.StatusCode < 500 {
		return &Misunderstanding{fmt.Errorf("status %s without a reason: is this a modegate service?", resp.Status)}
	}
	r.later = resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented || resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get("Retry-After") != ""
	return r
}

// How long a call that failed waits before it is tried again.
const (
	firstRetry   = 50 * time.Millisecond
	longestRetry = 2 * time.Second
)

// until makes a call that changes nothing when it is made twice, again and again
// while the service is away.
func (c *Client) until(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, c.times.Lost)
	defer cancel()
	for pause := firstRetry; ; pause = min(2*pause, longestRetry) {
		err := c.call(ctx, method, path, body, into)
		if !passing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// passing reports whether the same call may succeed later.
func passing(err error) bool {
	var lost *Lost
	var no *Refusal
	return errors.As(err, &lost) || errors.As(err, &no) && no.later
}

// Service reports whether an error is the service's: it can't be reached, it says
// no, or it isn't understood.
func Service(err error) bool {
	var lost *Lost
	var no *Refusal
	var strange *Misunderstanding
	return errors.As(err, &lost) || errors.As(err, &no) || errors.As(err, &strange)
}

// Ready looks whether the service is there and knows the token. A service whose
// policy on disk is broken goes on with the last good one; degraded says why.
func (c *Client) Ready(ctx context.Context) (degraded string, err error) {
	var h struct {
		Status string             `json:"status"`
		Policy compiler.PolicyRef `json:"policy"`
	}
	err = c.call(ctx, "GET", "/readyz", nil, &h)
	var no *Refusal
	if errors.As(err, &no) && no.Status == http.StatusServiceUnavailable && no.Kind == "degraded" {
		return no.Detail, nil
	}
	return "", err
}
