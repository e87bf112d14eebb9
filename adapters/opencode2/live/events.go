package live

import (
	"time"

	"github.com/modegate/modegate/adapters/internal/httpjson"
	"github.com/modegate/modegate/internal/loosejson"
)

// silence is how long the stream may be without a line: the server sends a
// comment every fifteen seconds (source read 2026-11-30).
const silence = 35 * time.Second

// The events that a run rests on, as recorded from 2.0.18. The server keeps none
// of those about requests for whoever wasn't there.
const (
	eventConnected     = "server.connected"
	eventAsked         = "permission.asked"
	eventReplied       = "permission.replied"
	eventFormCreated   = "form.created"
	eventFormReplied   = "form.replied"
	eventFormCancelled = "form.cancelled"
	eventCreated       = "session.created"
	eventDeleted       = "session.deleted"     // (source read 2026-11-30)
	eventRules         = "session.permissions" // since 2.0.5 (source read 2026-11-30)
	eventDelivered     = "session.inbox.delivered"
	eventStarted       = "session.execution.started"
	eventSucceeded     = "session.execution.succeeded"
	eventFailed        = "session.execution.failed"
	eventInterrupted   = "session.execution.interrupted"
)

// event is one event of the stream. What it doesn't say is empty.
type event struct {
	kind string
	data loosejson.Value
	raw  []byte
}

func readEvent(raw []byte) (event, error) {
	v, err := loosejson.Parse(raw)
	if err != nil {
		return event{}, err
	}
	return event{kind: v.Get("type").Text(), data: v.Get("data"), raw: raw}, nil
}

func (e event) text(path ...string) string { return e.data.Get(path...).Text() }

// follow keeps the event stream, for all of the server's sessions. It only puts
// into the mailbox what it reads: who doesn't read in time is cut off by the
// server (source read 2026-11-30).
func (d *Driver) follow() {
	_ = d.c.wire.Follow(d.ctx, httpjson.Stream{
		Path: "/api/event", Silence: silence,
		Open: func() { d.first.Do(func() { close(d.answered) }) },
		Event: func(data []byte) error {
			e, err := readEvent(data)
			if err != nil {
				return err
			}
			d.box.Post(func() { d.event(e) })
			return nil
		},
		Lost: func(err error) {
			d.first.Do(func() { close(d.answered) })
			d.box.Post(func() { d.streamLost(err) })
		},
	})
}

// event takes one event, of whatever session.
func (d *Driver) event(e event) {
	session := e.text("sessionID")
	root := session != "" && session == d.ID()
	switch e.kind {
	case eventConnected:
		d.streamOpen()
	case eventAsked, eventFormCreated:
		d.asked(e.raw)
	case eventReplied:
		d.heard(e.text("requestID"), e.text("reply"))
		if e.text("reply") == "always" && d.family[session] {
			d.note(allowedAlways)
		}
	case eventFormReplied:
		d.heard(e.text("id"), answeredForm)
	case eventFormCancelled:
		d.heard(e.text("id"), cancelledForm)
	case eventCreated:
		if parent := e.text("parentID"); d.family[parent] {
			d.family[session] = true
		}
	case eventDeleted:
		if root && d.run != nil {
			d.run.gone()
		}
	case eventRules:
		if root && d.run != nil {
			d.run.rulesChanged()
		}
	case eventDelivered:
		if root && d.run != nil {
			d.run.promptDelivered(e.text("inboxID"))
		}
	case eventStarted:
		if root && d.run != nil && d.run.prompted {
			d.run.started = true
		}
	case eventSucceeded, eventFailed, eventInterrupted:
		if root {
			d.executionEnded(e)
		}
	default:
		if d.run != nil && d.family[session] {
			d.run.progress(e)
		}
	}
}
