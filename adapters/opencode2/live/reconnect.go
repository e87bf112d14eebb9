package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/modegate/modegate/adapters/broker"
)

// streamOpen begins the run that waits for the event stream. When it was open
// before, it finds out what happened meanwhile: the server keeps no events about
// requests.
func (d *Driver) streamOpen() {
	if d.lost != nil {
		d.lost.Stop()
		d.lost = nil
		if d.seen {
			d.note("the event stream is back")
		}
	}
	again := d.seen
	d.open, d.seen = true, true
	if d.run != nil {
		d.run.begin()
	}
	if again && (d.run != nil || d.behind) {
		d.relist()
	}
}

func (d *Driver) streamLost(err error) {
	d.open = false
	if d.lost == nil && d.run != nil {
		d.note(fmt.Sprintf("the event stream is lost (%v); trying again", err))
	}
	d.giveUpLater()
}

// giveUpLater ends the run unless the event stream comes back in time.
func (d *Driver) giveUpLater() {
	if d.lost != nil {
		return
	}
	d.lost = time.AfterFunc(lostLimit, func() {
		d.box.Post(func() {
			if d.lost = nil; d.run != nil && !d.open {
				d.run.end(broker.Failed, "the OpenCode server can't be reached")
			}
		})
	})
}

// relist reads what waits after the stream was away: new requests are taken in,
// those that no longer wait are closed, and a run that is over has ended.
func (d *Driver) relist() {
	root := d.ID()
	var sessions, before []string
	for id, ours := range d.family {
		if ours {
			sessions = append(sessions, id)
		}
	}
	slices.Sort(sessions)
	if d.run != nil {
		for _, e := range d.run.inOrder() {
			if e.state != sending {
				before = append(before, e.req.ID)
			}
		}
	}
	d.async(func(ctx context.Context) func() {
		active, err := d.c.Active(ctx)
		var list []json.RawMessage
		for _, id := range sessions {
			if err != nil {
				break
			}
			var some []json.RawMessage
			if some, err = d.c.waiting(ctx, id); isGone(err) && id != root {
				err = nil
			}
			list = append(list, some...)
		}
		return func() {
			if isGone(err) {
				if d.behind = false; d.run != nil {
					d.run.gone()
				}
				return
			}
			if err != nil {
				d.note("the waiting requests can't be listed: " + err.Error())
				d.relistLater()
				return
			}
			d.relisted(active[root], list, before)
		}
	})
}

// relistLater tries again while the stream is open; once it breaks, the next one
// does.
func (d *Driver) relistLater() {
	d.async(func(ctx context.Context) func() {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookAgain):
			return func() {
				if d.open && (d.run != nil || d.behind) {
					d.relist()
				}
			}
		}
	})
}

func (d *Driver) relisted(active bool, list []json.RawMessage, before []string) {
	if r := d.run; r != nil && r.prompted && active {
		r.started = true // none was, before the prompt
	}
	there := map[string]bool{}
	for _, native := range list {
		if q, err := d.o.Translator.Request(native); err == nil {
			there[q.ID] = true
		}
		d.asked(native)
	}
	r := d.run
	if r == nil {
		d.leftBehind(active)
		return
	}
	reason := "it was settled while the event stream was away"
	if !active {
		reason += ", or the server was restarted and has lost it"
	}
	for _, id := range before {
		if e := r.requests.open[id]; e != nil && e.state != sending && !there[id] {
			r.closed(e, "", broker.ByOther, reason)
			r.release(e.req.Session)
		}
	}
	if r.inbox != "" && !active {
		r.missed()
	}
}

// leftBehind interrupts a run that couldn't be while the server was away.
func (d *Driver) leftBehind(active bool) {
	d.behind = d.behind && active
	if !d.behind {
		return
	}
	id := d.ID()
	d.async(func(ctx context.Context) func() {
		if err := d.interrupt(ctx, id); err != nil {
			return func() { d.note("an earlier run can't be interrupted: " + err.Error()) }
		}
		return nil
	})
}

// missed ends a run that is over though its end wasn't seen, unless the end comes
// yet. Whether it did what was asked isn't known.
func (r *run) missed() {
	r.d.async(func(ctx context.Context) func() {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookAgain):
		}
		active, err := r.d.c.Active(ctx)
		return func() {
			if err == nil && !active[r.d.ID()] && !r.ended {
				r.ended = true
				r.rest(broker.Failed, "the run is over, and how it ended wasn't seen: the event stream was away")
			}
		}
	})
}
