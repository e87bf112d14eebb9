package server

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/modegate/modegate/adapters/broker"
)

// A reader of events is a place in the log, so that none has a buffer that could
// grow. One that doesn't take what is written to it in time is dropped; it comes
// back with Last-Event-ID and misses nothing.
const (
	eventBatch   = 100
	maxReaders   = 1000
	keepAlive    = 15 * time.Second
	readerWrites = 10 * time.Second // that one write may take
)

// number reads a query parameter that counts.
func (c *call) number(name string) (int64, *problem) {
	text, ok := c.GetQuery(name)
	if !ok {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, invalid(place{Message: fmt.Sprintf("query parameter %q: %q isn't a number of an event", name, text)})
	}
	return n, nil
}

// from is the event after which a reader goes on: the one that its last answer
// ended with, the one that it names in the address (a browser can't send the
// header at first), or the last there is.
func (d *desk) from(c *call) (int64, *problem) {
	if given := c.Request.Header["Last-Event-Id"]; len(given) > 0 {
		seq, err := strconv.ParseInt(given[0], 10, 64)
		if err != nil || seq < 0 || len(given) > 1 {
			return 0, invalid(place{Message: "Last-Event-ID isn't a number of an event: 0 starts with the first"})
		}
		return seq, nil
	}
	if _, named := c.GetQuery("after"); named {
		return c.number("after")
	}
	last, err := d.store.Last(c.Request.Context())
	if err != nil {
		return 0, d.unreadable(err)
	}
	return last, nil
}

// pulseOf is a comment, or an event where the reader asks for one, because a
// browser's page sees no comments.
func (d *desk) pulseOf(c *call) (pulse, *problem) {
	given, ok := c.GetQuery("heartbeat")
	if !ok {
		return pulse{every: d.keepAlive, text: []byte(": alive\n\n")}, nil
	}
	every, err := time.ParseDuration(given)
	if err != nil || every < time.Second || every > maxWait {
		return pulse{}, invalid(place{Message: fmt.Sprintf("query parameter \"heartbeat\": %q isn't a duration from 1s to %s, as in 10s", given, maxWait)})
	}
	return pulse{every: every, text: []byte("event: heartbeat\ndata: {}\n\n"), first: true}, nil
}

// getEvents sends what happens, as it happens.
func getEvents(d *desk, c *call) {
	seq, p := d.from(c)
	beat, bad := d.pulseOf(c)
	if p == nil {
		p = bad
	}
	if p == nil && d.readers.Add(1) > maxReaders {
		p = tooMany()
		d.readers.Add(-1)
	}
	if p != nil {
		c.refuse(p)
		return
	}
	defer d.readers.Add(-1)
	out := http.NewResponseController(c.Writer)
	_ = out.SetReadDeadline(time.Time{}) // the request is read: only the client's leaving is still heard
	h := c.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	c.Writer.WriteHeader(http.StatusOK)
	send := func(text []byte) bool {
		_ = out.SetWriteDeadline(time.Now().Add(d.readerWrites))
		_, err := c.Writer.Write(text)
		if err == nil {
			err = out.Flush()
		}
		if errors.Is(err, os.ErrDeadlineExceeded) { // another error: the reader has left
			d.s.metrics.dropped.Inc()
			d.s.Log.Warn("a reader of events was too slow and is dropped", "request", c.id, "who", c.who.Name, "last", seq)
		}
		return err == nil
	}
	if !send([]byte(": the log is followed\n\n")) {
		return
	}
	f := follower{desk: d, ctx: c.Request.Context(), who: c.who, session: c.Query("session"), seq: seq, known: seq, pulse: beat}
	f.run(func(text []byte, last int64) bool {
		ok := send(text)
		if ok && last > 0 {
			seq = last
		}
		return ok
	})
}

// fresh takes the steps out of an answer that isn't on its way any more: what a
// reader is told late is nothing to be done.
func (d *desk) fresh(e event) event {
	if e.Type != evApprovalAnswer && e.Type != evQuestionAnswer {
		return e
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := d.open[e.Request.ID]; now == nil || now.life.State != broker.StateResponding {
		e.Operations, e.Stale = nil, true
	}
	return e
}
