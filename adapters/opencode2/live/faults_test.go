package live_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/httpjson/httpjsontest"
	"github.com/modegate/modegate/adapters/opencode2/live"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
)

// The steps of a request's life at which a fault comes.
var steps = []string{"before it is asked", "pending", "responding", "delivered, unconfirmed", "after"}

// world is a session, its person and its server, which a fault befalls once.
type world struct {
	t       *testing.T
	s       *livetest.Server
	network *httpjsontest.Network // of the first service
	d       *live.Driver
	person  *person
	step    string
	hurt    bool // the fault has come
	crashed chan struct{}
}

// A fault happens at a step. It reports whether a call that is under way goes on.
type fault struct {
	name  string
	comes func(*world) (callGoesOn bool)
	want  []string // by step: how the run ended; how the request was closed; how often its command ran
}

func afterwards(d time.Duration, do func()) { time.AfterFunc(d, do) }

// faults is the table, with what comes of each, typed by hand.
var faults = []fault{
	{"none", func(*world) bool { return true }, []string{
		"ended; accept person; 1",
		"ended; accept person; 1",
		"ended; accept person; 1",
		"ended; accept person; 1",
		"ended; accept person; 1",
	}},
	{"the provider is killed", func(w *world) bool { w.s.Kill(); return false }, []string{
		"failed; -; 0",
		"failed; stop; 0",
		"failed; stop; 0",
		"failed; stop; 1",
		"failed; accept person; 1",
	}},
	{"the provider is killed and comes back", func(w *world) bool {
		w.s.Kill()
		afterwards(3*time.Second, w.s.Restart)
		return false
	}, []string{
		"failed; -; 0",
		"failed; stop; 0",
		"failed; stop; 0",
		"failed; stop; 1",
		"failed; accept person; 1",
	}},
	{"the network is cut", func(w *world) bool { w.network.Cut(); return false }, []string{
		"failed; -; 0",
		"failed; stop; 0",
		"failed; stop; 0",
		"failed; stop; 1",
		"failed; accept person; 1",
	}},
	{"the network is cut for a while", func(w *world) bool {
		w.network.Cut()
		afterwards(3*time.Second, w.network.Mend)
		return false
	}, []string{
		"ended; accept person; 1",
		"failed; stop; 0",
		"failed; stop; 0",
		"failed; stop; 1",
		"ended; accept person; 1",
	}},
	{"the event stream breaks", func(w *world) bool {
		w.s.DropStreams(true)
		afterwards(3*time.Second, func() { w.s.DropStreams(false) })
		return true
	}, []string{
		"ended; accept person; 1",
		"ended; accept person; 1",
		"ended; accept person; 1",
		"ended; accept person; 1",
		"ended; accept person; 1",
	}},
	{"the event stream stalls", func(w *world) bool { w.s.Stall(); return true }, []string{
		"ended; accept person; 1",
		"ended; accept person; 1",
		"ended; accept person; 1",
		"ended; accept person; 1",
		"ended; accept person; 1",
	}},
	{"the reply's answer is lost", func(*world) bool { return false }, []string{
		"ended; accept person; 1",
		"ended; accept person; 1",
		"ended; accept person; 1",
		"ended; accept person; 1",
		"ended; accept person; 1",
	}},
	{"the service is restarted", func(w *world) bool {
		w.network.Cut()
		close(w.crashed)
		return false
	}, []string{
		"gone; -; 0",
		"gone; rejected when the session was loaded; 0",
		"gone; rejected when the session was loaded; 0",
		"gone; -; 1",
		"gone; -; 1",
	}},
}

// at lets the fault come when its step is there.
func (w *world) at(step string, f fault) bool {
	if w.step != step || w.hurt {
		return true
	}
	w.hurt = true
	return f.comes(w)
}

// befall runs one prompt whose one command is asked about and accepted, and lets a
// fault come at a step.
func befall(t *testing.T, f fault, step string) string {
	w := &world{t: t, step: step, crashed: make(chan struct{})}
	w.s = livetest.Start(t, livetest.Options{})
	w.s.SetAgent(func(turn *livetest.Turn) {
		turn.Pause(time.Second)
		w.at("before it is asked", f)
		turn.Pause(time.Second)
		shell(turn, "per_a", "echo 1")
		turn.Pause(time.Second) // the answer's delivery is confirmed by then
		w.at("after", f)
		turn.Pause(2 * time.Minute)
	})
	w.s.On("session.permission.reply", false, func() bool { return w.at("responding", f) })
	w.s.On("session.permission.reply", true, func() bool { return w.at("delivered, unconfirmed", f) })
	w.network = w.s.Listen(t)
	d, err := live.Open(t.Context(), live.NewClient("http://opencode", "", "/w", w.network.Transport()), options(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.d, w.person = d, &person{d: d}
	w.person.opened = func(q broker.Request) {
		w.at("pending", f)
		time.AfterFunc(time.Second, func() {
			if err := d.Answer(q, decide(broker.Accept)); err != nil {
				t.Error(err)
			}
		})
	}
	said := w.run(d)
	w.leaves(step)
	return said
}

func options(t *testing.T) live.Options {
	return live.Options{Cell: supervised, Translator: boundary, NeedsAgents: needsAgents, Compile: compiling(t, supervised)}
}

// run is how the run ended, how its request was closed, and how often its command
// ran.
func (w *world) run(d *live.Driver) string {
	ctx, cancel := context.WithTimeout(w.t.Context(), long)
	defer cancel()
	over := make(chan broker.Outcome, 1)
	go func() { over <- d.Run(ctx, "go", w.person) }()
	end := "gone"
	select {
	case out := <-over:
		end = string(out.End)
		d.Close()
	case <-w.crashed:
		// Nobody hears any more what the first service says.
		notes := w.again(d.ID())
		d.Close()
		<-over
		w.person = &person{}
		if slices.Contains(notes, "rejected what an earlier run left waiting: shell: echo 1") {
			return fmt.Sprintf("%s; rejected when the session was loaded; %d", end, len(w.s.Ran()))
		}
	}
	if ctx.Err() != nil {
		w.t.Error("the run hangs")
	}
	var closed []string
	for _, c := range w.person.closings {
		closed = append(closed, strings.TrimSpace(string(c.Decision)+" "+string(c.By)))
	}
	if len(closed) == 0 {
		closed = []string{"-"}
	}
	if len(closed) > 1 || len(w.person.requests) > 0 && closed[0] == "-" {
		w.t.Errorf("the request was closed %d times: %v", len(closed), closed)
	}
	return fmt.Sprintf("%s; %s; %d", end, strings.Join(closed, ", "), len(w.s.Ran()))
}

// again is the service after its restart, which continues the session. It returns
// what it has noted.
func (w *world) again(session string) []string {
	o := options(w.t)
	o.Session = session
	d, err := live.Open(w.t.Context(), live.NewClient("http://opencode", "", "/w", w.s.Network.Transport()), o)
	if err != nil {
		w.t.Fatal(err)
	}
	defer d.Close()
	w.s.SetAgent(nil)
	p := &person{}
	if out := d.Run(w.t.Context(), "and now", p); out.End != broker.Ended {
		w.t.Errorf("after the restart: %v", out)
	}
	if len(p.requests) > 0 {
		w.t.Errorf("after the restart somebody is asked: %v", p.requests)
	}
	return p.saw(broker.SawNote)
}

// leaves holds what must be true of the provider afterwards, once it can be
// reached: nothing waits, and the command didn't run twice.
func (w *world) leaves(step string) {
	if n := len(w.s.Ran()); n > 1 {
		w.t.Errorf("%s: the command ran %d times", step, n)
	}
	if n := len(w.s.Saved()); n > 0 {
		w.t.Errorf("%s: saved %v", step, w.s.Saved())
	}
	w.network.Mend()
	w.s.Restart()
	if len(w.s.Waiting()) == 0 && !w.s.Running() {
		return
	}
	// What a cut network left is stopped when the session is loaded again.
	w.again(w.d.ID())
	if len(w.s.Waiting()) > 0 || w.s.Running() {
		w.t.Errorf("%s: left waiting %v, running %v", step, w.s.Waiting(), w.s.Running())
	}
}

// TestFaults lets every fault come at every step of a request's life. Nothing
// hangs, nothing runs twice, and every request that somebody saw is closed once.
func TestFaults(t *testing.T) {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "fault\tstep\tthe run\tthe request\tcommands run")
	for _, f := range faults {
		for i, step := range steps {
			t.Run(f.name+"/"+step, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					got := befall(t, f, step)
					if d := cmp.Diff(f.want[i], got); d != "" {
						t.Error(d)
					}
					fmt.Fprintf(table, "%s\t%s\t%s\n", f.name, step, strings.ReplaceAll(got, "; ", "\t"))
				})
			})
		}
	}
	table.Flush()
	t.Logf("\n%s", b.String())
}
