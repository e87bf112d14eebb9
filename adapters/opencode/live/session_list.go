package live

import (
	"context"
	"encoding/json"

	"github.com/modegate/modegate/adapters/broker"
)

// relist reads what waits after the stream was away: new requests are taken in,
// and those that no longer wait are closed.
func (r *run) relist() {
	var before []broker.Request
	for _, id := range r.requests.order {
		if e := r.requests.open[id]; e != nil && e.state != sending {
			before = append(before, e.req)
		}
	}
	r.async(func(ctx context.Context) func() {
		list, err := r.d.c.pending(ctx)
		there := map[string]bool{}
		for _, native := range list {
			if q, err := r.d.o.Translator.Request(native); err == nil {
				there[q.ID] = true
			}
		}
		lost := map[string]bool{}
		for _, q := range before {
			if err == nil && !there[q.ID] {
				lost[q.ID], err = r.d.c.lost(ctx, q)
			}
		}
		if err != nil {
			return func() {
				r.note("the waiting requests can't be listed: " + err.Error())
				r.resting()
			}
		}
		return func() { r.relisted(list, before, there, lost) }
	})
}

func (r *run) relisted(list []json.RawMessage, before []broker.Request, there, lost map[string]bool) {
	if r.outcome != nil {
		return
	}
	for _, native := range list {
		r.asked(native)
	}
	for _, q := range before {
		e := r.requests.open[q.ID]
		switch {
		case e == nil || e.state == sending || there[q.ID]:
			continue
		case lost[q.ID]:
			r.closed(e, "", broker.ByLoss, lostReason)
		default:
			r.closed(e, "", broker.ByOther, "it was answered while the event stream was away")
		}
		r.release(q.Session)
	}
	r.resting()
}

const lostReason = "the OpenCode server was restarted, and knows nothing of it"

// lost reports whether a request that no longer waits was never answered: its
// session does nothing, and the call that asked has no end. So a server that was
// restarted leaves it (measured on 1.18.33, 2026-11-30).
func (c *Client) lost(ctx context.Context, q broker.Request) (bool, error) {
	var native PermissionRequest
	if err := json.Unmarshal(q.Native, &native); err != nil || native.Tool == nil {
		return false, nil
	}
	status, err := c.Statuses(ctx)
	if is := status[q.Session].Type; err != nil || is != "" && is != StatusIdle {
		return false, err
	}
	messages, err := c.Messages(ctx, q.Session)
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.CallID == native.Tool.CallID && m.Info.ID == native.Tool.MessageID {
				return !p.State.Over(), nil
			}
		}
	}
	return false, err
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
