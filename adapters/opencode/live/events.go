package live

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// An Event is one event of the 1.x surface's stream.
type Event struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Properties json.RawMessage `json:"properties"`
}

// The event types that this package decodes.
const (
	EventConnected     = "server.connected"
	EventAsked         = "permission.asked"
	EventReplied       = "permission.replied"
	EventQuestionAsked = "question.asked"
	EventPartUpdated   = "message.part.updated"
	EventIdle          = "session.idle"
)

// Decode reads the event's properties into a value of the type that belongs to
// the event: [PermissionRequest], [QuestionRequest], [RepliedEvent],
// [PartEvent], [IdleEvent].
func (e Event) Decode(into any) error {
	if err := json.Unmarshal(e.Properties, into); err != nil {
		return fmt.Errorf("opencode event %s: %w", e.Type, err)
	}
	return nil
}

// A RepliedEvent says how a permission request was answered, by anyone.
type RepliedEvent struct {
	SessionID string `json:"sessionID"`
	RequestID string `json:"requestID"`
	Reply     string `json:"reply"`
}

// A PartEvent is a part that was added or changed.
type PartEvent struct {
	Part Part `json:"part"`
}

// An IdleEvent says that a session's run has ended.
type IdleEvent struct {
	SessionID string `json:"sessionID"`
}

// Hooks are the caller's ends of an event stream. They are called one at a time
// from the goroutine that runs [Client.Events]; a slow hook delays the stream.
type Hooks struct {
	// Event is called for every event of the directory.
	Event func(Event)
	// Connected is called each time the stream is open, before its events.
	// reconnect is false the first time. The server keeps no events for those
	// who weren't there, so whoever cares must list what is pending here.
	Connected func(ctx context.Context, reconnect bool)
	// Lost is called each time the stream has broken, before it is tried again.
	Lost func(error)
}

// The stream's times. The server sends a heartbeat every ten seconds, so a
// stream that is silent for longer is dead.
const (
	eventSilence  = 35 * time.Second
	firstRetry    = 100 * time.Millisecond
	longestRetry  = 5 * time.Second
	maxEventBytes = 32 << 20
)

// Events follows the directory's events until ctx ends, whose error it returns.
// A stream that breaks is opened again, after a pause that grows.
func (c *Client) Events(ctx context.Context, h Hooks) error {
	pause, opened := firstRetry, false
	for {
		err := c.stream(ctx, h, func() {
			if h.Connected != nil {
				h.Connected(ctx, opened)
			}
			opened, pause = true, firstRetry
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if h.Lost != nil {
			h.Lost(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, longestRetry)
	}
}

// stream reads one stream to its end. connected is called once the server has
// said that the subscription stands.
func (c *Client) stream(ctx context.Context, h Hooks, connected func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(eventSilence, func() { cancel(errSilent) })
	defer silence.Stop()
	req, err := c.request(ctx, "GET", "/event", url.Values{"directory": {c.dir}}, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("opencode events: %w", err)
	}
	defer resp.Body.Close()
	if t := mediaType(resp); resp.StatusCode != http.StatusOK || t != "text/event-stream" {
		return fmt.Errorf("opencode events: status %d with content type %q", resp.StatusCode, t)
	}
	in := bufio.NewReader(resp.Body)
	for {
		data, err := nextData(in)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return fmt.Errorf("opencode events: %w", err)
		}
		silence.Reset(eventSilence)
		var e Event
		if err := json.Unmarshal(data, &e); err != nil {
			return fmt.Errorf("opencode events: %w", err)
		}
		if e.Type == EventConnected {
			connected()
		}
		if h.Event != nil {
			h.Event(e)
		}
	}
}

var errSilent = errors.New("the stream has been silent for too long")

// nextData reads one server-sent event and joins its data lines. Comments and
// other fields are passed over.
func nextData(in *bufio.Reader) ([]byte, error) {
	var data []byte
	for {
		line, err := readLine(in, maxEventBytes-len(data))
		if err != nil {
			return nil, err
		}
		switch {
		case len(line) == 0 && data != nil:
			return data, nil
		case bytes.HasPrefix(line, []byte("data:")):
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(line[len("data:"):], []byte(" "))...)
		}
	}
}

// readLine reads one line of at most most bytes, without its end.
func readLine(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		if len(line) > most {
			return nil, fmt.Errorf("an event is larger than %d bytes", maxEventBytes)
		}
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}
