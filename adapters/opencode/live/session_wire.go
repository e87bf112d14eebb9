package live

import (
	"context"
	"encoding/json"
	"time"
)

// Further event types of the 1.x surface, as GET /doc of 1.18.33 lists them.
const (
	EventQuestionReplied  = "question.replied"
	EventQuestionRejected = "question.rejected"
	EventSessionCreated   = "session.created"
	EventSessionUpdated   = "session.updated"
	EventSessionError     = "session.error"
	EventSessionStatus    = "session.status"
	EventMessageUpdated   = "message.updated"
	EventPartDelta        = "message.part.delta"
)

// A Status is what a session does.
type Status struct {
	Type    string `json:"type"` // StatusIdle, StatusBusy or StatusRetry
	Message string `json:"message"`
}

// The words of a Status.
const (
	StatusIdle  = "idle"
	StatusBusy  = "busy"
	StatusRetry = "retry"
)

// Statuses reads what the sessions of the client's directory do. Idle ones may
// be missing.
func (c *Client) Statuses(ctx context.Context) (map[string]Status, error) {
	var s map[string]Status
	err := c.v1(ctx, "GET", "/session/status", nil, &s)
	return s, err
}

// pending lists the requests of both shapes that wait in the client's
// directory, as the server sends them.
func (c *Client) pending(ctx context.Context) ([]json.RawMessage, error) {
	var permissions, questions []json.RawMessage
	if err := c.v1(ctx, "GET", "/permission", nil, &permissions); err != nil {
		return nil, err
	}
	if err := c.v1(ctx, "GET", "/question", nil, &questions); err != nil {
		return permissions, err
	}
	return append(permissions, questions...), nil
}

// Times are how long a Driver waits.
type Times struct {
	Reply  time.Duration // for one try to deliver an answer; 0 means ten seconds
	Stop   time.Duration // for everything that stopping does; 0 means fifteen seconds
	Lost   time.Duration // for a lost event stream to come back; 0 means a minute
	Gather time.Duration // for other requests before one is declined; 0 means a quarter of a second
	Again  time.Duration // before a run that seems over without an answer is looked at again; 0 means two seconds
}

func (t Times) withDefaults() Times {
	for d, standard := range map[*time.Duration]time.Duration{
		&t.Reply: 10 * time.Second, &t.Stop: 15 * time.Second, &t.Lost: time.Minute, &t.Again: 2 * time.Second, &t.Gather: 250 * time.Millisecond,
	} {
		if *d <= 0 {
			*d = standard
		}
	}
	return t
}
