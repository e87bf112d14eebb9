package server

import (
	"context"
	"time"
)

// pruneEvery is how often what is no longer kept is looked for.
const pruneEvery = time.Hour

// retain prunes the log of what is no longer kept, at once and then from time to
// time, until the context ends.
func (d *desk) retain(ctx context.Context) {
	tick := time.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		d.prune(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// prune removes the histories of unloaded sessions that are too old or too many.
// Nothing of a session that is loaded is ever removed.
func (d *desk) prune(ctx context.Context) {
	var before time.Time
	if d.s.KeepFor > 0 {
		before = d.now().Add(-d.s.KeepFor)
	}
	most := d.s.KeepSessions
	if most <= 0 {
		most = -1
	}
	n, err := d.store.Prune(ctx, before, most)
	if err != nil {
		d.s.Log.Error("histories can't be pruned", "error", err.Error())
	}
	if n > 0 {
		d.s.Log.Info("histories of unloaded sessions are no longer kept", "sessions", n)
	}
}
