package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/modegate/modegate/adapters/internal/httpjson"
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

// eventSilence is how long a stream may be silent: the server sends a heartbeat
// every ten seconds.
const eventSilence = 35 * time.Second

// Events follows the directory's events until ctx ends, whose error it returns.
// A stream that breaks is opened again, after a pause that grows.
func (c *Client) Events(ctx context.Context, h Hooks) error {
	opened := false
	return c.wire.Follow(ctx, httpjson.Stream{
		Path: "/event", Query: url.Values{"directory": {c.dir}}, Silence: eventSilence, Lost: h.Lost,
		Event: func(data []byte) error {
			var e Event
			if err := json.Unmarshal(data, &e); err != nil {
				return err
			}
			if e.Type == EventConnected {
				if h.Connected != nil {
					h.Connected(ctx, opened)
				}
				opened = true
			}
			if h.Event != nil {
				h.Event(e)
			}
			return nil
		},
	})
}
