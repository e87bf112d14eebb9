package live

import (
	"context"

	"github.com/modegate/modegate/adapters/broker"
)

// relist reads what waits after the stream was away: new requests are taken in,
// and those that no longer wait are closed.
func (r *run) relist() {
	var before []string
	for _, id := range r.requests.order {
		if e := r.requests.open[id]; e != nil && e.state != sending {
			before = append(before, id)
		}
	}
	r.async(func(ctx context.Context) func() {
		list, err := r.d.c.pending(ctx)
		if err != nil {
			return func() {
				r.note("the waiting requests can't be listed: " + err.Error())
				r.resting()
			}
		}
		return func() {
			if r.outcome != nil {
				return
			}
			there := map[string]bool{}
			for _, native := range list {
				if q, err := r.d.o.Translator.Request(native); err == nil {
					there[q.ID] = true
				}
				r.asked(native)
			}
			for _, id := range before {
				if e := r.requests.open[id]; e != nil && e.state != sending && !there[id] {
					r.closed(e, "", broker.ByOther, "it was answered while the event stream was away")
					r.release(e.req.Session)
				}
			}
			r.resting()
		}
	})
}

// descends reports whether a session is a child of another, at any depth.
func (c *Client) descends(ctx context.Context, id, from string) (bool, error) {
	for range 32 {
		if id == from {
			return true, nil
		}
		if id == "" {
			return false, nil
		}
		s, err := c.Session(ctx, id)
		if err != nil {
			return false, err
		}
		id = s.ParentID
	}
	return false, nil
}

// waiting lists the requests of the session and its children that wait.
func (r *run) waiting(ctx context.Context) ([]broker.Request, error) {
	list, err := r.d.c.pending(ctx)
	if err != nil {
		return nil, err
	}
	var out []broker.Request
	for _, native := range list {
		q, err := r.d.o.Translator.Request(native)
		if err != nil {
			continue
		}
		ours, err := r.d.c.descends(ctx, q.Session, r.root)
		if err == nil && ours {
			out = append(out, q)
		}
	}
	return out, nil
}
