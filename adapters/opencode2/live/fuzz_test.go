package live

import (
	"context"
	"testing"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/mailbox"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
)

// counter counts how often a request is opened and closed.
type counter struct{ opened, closed map[string]int }

func (c counter) Opened(r broker.Request) { c.opened[r.ID]++ }
func (c counter) Closed(e broker.Closing) { c.closed[e.Request.ID]++ }
func (c counter) Saw(broker.Sight)        {}

func twice(ids map[string]int) bool {
	for _, n := range ids {
		if n > 1 {
			return true
		}
	}
	return false
}

// FuzzEvent takes any event in the middle of a run, twice, as streams may repeat
// theirs: no request is opened or closed a second time.
func FuzzEvent(f *testing.F) {
	files, err := livetest.Recordings("../../../testdata/opencode2")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		rec, err := livetest.ReadRecording(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, frame := range rec.Frames {
			if frame.Kind == livetest.Event {
				f.Add([]byte(frame.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := readEvent(raw)
		if err != nil {
			return
		}
		c := counter{map[string]int{}, map[string]int{}}
		d := &Driver{
			box: mailbox.New(), c: NewClient("http://127.0.0.1:1", "", "/w", nil), id: e.text("sessionID"),
			o:      Options{Translator: opencode2.Boundary()},
			family: map[string]bool{e.text("sessionID"): true, e.text("form", "sessionID"): true}, done: map[string]bool{},
		}
		d.ctx, d.cancel = context.WithCancel(t.Context())
		d.cancel() // nothing is called
		d.run = &run{d: d, person: c, over: make(chan broker.Outcome, 1), prompted: true, started: true, delivered: map[string]bool{}, requests: newRequests(), shown: map[string]string{}, tools: map[string]string{}}
		d.run.ctx, d.run.cancel = context.WithCancel(d.ctx)
		d.event(e)
		d.event(e)
		d.work.Wait()
		for _, then := range d.box.Take() {
			then()
		}
		d.work.Wait()
		if d.lost != nil {
			d.lost.Stop()
		}
		if twice(c.opened) || twice(c.closed) {
			t.Errorf("opened %v, closed %v", c.opened, c.closed)
		}
	})
}
