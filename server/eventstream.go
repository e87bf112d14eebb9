package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/internal/strictjson"
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

// from is the event after which a reader goes on: the one that it names, or the
// last there is.
func (d *desk) from(c *call) (int64, *problem) {
	given := c.Request.Header["Last-Event-Id"]
	if len(given) == 0 {
		last, err := d.store.Last(c.Request.Context())
		if err != nil {
			return 0, d.unreadable(err)
		}
		return last, nil
	}
	seq, err := strconv.ParseInt(given[0], 10, 64)
	if err != nil || seq < 0 || len(given) > 1 {
		return 0, invalid(place{Message: "Last-Event-ID isn't a number of an event: 0 starts with the first"})
	}
	return seq, nil
}

// getEvents sends what happens, as it happens.
func getEvents(d *desk, c *call) {
	seq, p := d.from(c)
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
	d.follow(c, seq, func(text []byte, last int64) bool {
		ok := send(text)
		if ok && last > 0 {
			seq = last
		}
		return ok
	})
}

// follow sends the events after seq, and then those that come, until send says
// no or the reader leaves.
func (d *desk) follow(c *call, seq int64, send func(text []byte, last int64) bool) {
	alive := time.NewTicker(d.keepAlive)
	defer alive.Stop()
	for {
		changed := d.changes()
		text, last, more, err := d.batch(c.Request.Context(), seq, c.Query("session"))
		if err != nil {
			if c.Request.Context().Err() == nil {
				d.unreadable(err)
			}
			return
		}
		if seq = last; len(text) > 0 && !send(text, last) {
			return
		}
		if more {
			continue
		}
		select {
		case <-changed:
		case <-alive.C:
			if !send([]byte(": alive\n\n"), 0) {
				return
			}
		case <-d.s.stopping:
			send([]byte(": the service is stopping\n\n"), 0)
			return
		case <-c.Request.Context().Done():
			return
		}
	}
}

// batch reads the next events as they are sent.
func (d *desk) batch(ctx context.Context, seq int64, session string) (text []byte, last int64, more bool, err error) {
	rows, err := d.store.After(ctx, seq, session, eventBatch)
	if err != nil {
		return nil, seq, false, err
	}
	var b bytes.Buffer
	for _, row := range rows {
		e, err := readEvent(row)
		if err != nil {
			return nil, seq, false, err
		}
		data, err := strictjson.Encode(d.fresh(e))
		if err != nil {
			return nil, seq, false, err
		}
		fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: %s\n\n", row.Seq, row.Type, data)
		seq = row.Seq
	}
	return b.Bytes(), seq, len(rows) == eventBatch, nil
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
