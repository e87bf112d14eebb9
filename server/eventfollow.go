package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modegate/modegate/internal/strictjson"
)

// follower is a reader's place in the log.
type follower struct {
	*desk
	ctx     context.Context
	who     *Identity
	session string // "": every one
	seq     int64  // the last event that was sent
	known   int64  // up to where it has every event that concerns it
	told    int64  // up to where it knows of holes
	pulse   pulse
}

// pulse is how a reader is shown that the connection holds.
type pulse struct {
	every time.Duration
	text  []byte
	first bool // also when the reader has caught up
}

// run sends the events after the place, and then those that come, until send
// says no, the reader leaves, or its token is revoked.
func (f *follower) run(send func(text []byte, last int64) bool) {
	alive := time.NewTicker(f.pulse.every)
	defer alive.Stop()
	caughtUp := false
	for {
		changed := f.changes()
		text, more, err := f.batch()
		if err != nil {
			if f.ctx.Err() == nil {
				f.unreadable(err)
			}
			return
		}
		if len(text) > 0 && !send(text, f.seq) {
			return
		}
		if more {
			continue
		}
		if f.pulse.first && !caughtUp && !send(f.pulse.text, 0) {
			return
		}
		caughtUp = true
		select {
		case <-changed:
		case <-alive.C:
			if !send(f.pulse.text, 0) {
				return
			}
		case <-f.who.revoked:
			send([]byte(": the token was revoked\n\n"), 0)
			return
		case <-f.s.stopping:
			send([]byte(": the service is stopping\n\n"), 0)
			return
		case <-f.ctx.Done():
			return
		}
	}
}

// batch reads the next events as they are sent, and goes on to the last of them.
func (f *follower) batch() (text []byte, more bool, err error) {
	var b bytes.Buffer
	last, err := f.store.Last(f.ctx)
	if err == nil && f.seq > last {
		f.seq, f.known = last, last
		err = f.gap(&b, last, "this is another log, and it is shorter: load the lists anew")
	}
	if err != nil {
		return nil, false, err
	}
	rows, err1 := f.store.After(f.ctx, f.seq, f.session, eventBatch)
	pruned, err2 := f.store.Pruned(f.ctx) // after the events were read: none is pruned unseen
	err = errors.Join(err1, err2)
	if err == nil && pruned > max(f.known, f.told) {
		f.told = pruned
		err = f.gap(&b, pruned, "the history of sessions up to this event is no longer kept: load the lists anew")
	}
	if err != nil {
		return nil, false, err
	}
	for _, row := range rows {
		e, err := readEvent(row)
		if err == nil {
			err = write(&b, row.Seq, f.fresh(e))
		}
		if err != nil {
			return nil, false, err
		}
		f.seq = row.Seq
	}
	if more = len(rows) == eventBatch; !more {
		f.known = max(f.known, last)
	}
	f.known = max(f.known, f.seq)
	return b.Bytes(), more, nil
}

// gap tells the reader that events up to one are missing. Its place stays.
func (f *follower) gap(b *bytes.Buffer, upTo int64, reason string) error {
	return write(b, f.seq, event{
		Seq: upTo, Type: evGap, At: f.now().UTC().Truncate(time.Millisecond), Session: f.session, Policy: f.s.Policy().Digest, By: byRetention, Reason: reason,
	})
}

// write writes an event as it is sent.
func write(b *bytes.Buffer, id int64, e event) error {
	data, err := strictjson.Encode(e)
	if err == nil {
		fmt.Fprintf(b, "id: %d\nevent: %s\ndata: %s\n\n", id, e.Type, data)
	}
	return err
}
