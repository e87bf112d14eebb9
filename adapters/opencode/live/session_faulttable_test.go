package live_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/evaluator"
)

// The steps of a request's life that a fault can befall.
const (
	asking    = "asking"    // the agent is about to ask
	waiting   = "waiting"   // somebody is shown the request
	answering = "answering" // the answer has come to the server, and isn't done
	answered  = "answered"  // the answer is known to have arrived
)

var lifeSteps = []string{asking, waiting, answering, answered}

// outcome is how a run ended, how its request was closed, whether what it was
// about has run, and what the server was told: what allows something, or ends it.
type outcome struct {
	end    broker.End
	closed string
	ran    bool
	told   string
}

// providerFault is something that befalls the server or the way to it.
type providerFault struct {
	name   string
	befall func(f *livetest.Fake, gone func(), step string)
	mute   bool // somebody who is shown the request can't answer any more
	want   map[string]outcome
}

// providerFaults is the table that is held. What was allowed before a fault may
// have run; nothing else has.
func providerFaults() []providerFault {
	const accepted = "per_1 accept person"
	fine := outcome{broker.Ended, accepted, true, "once per_1"}
	dead := map[string]outcome{
		asking:    {broker.Failed, "", false, ""},
		waiting:   {broker.Failed, "per_1 stop", false, ""},
		answering: {broker.Failed, "per_1 stop", false, "once per_1"},
		answered:  {broker.Failed, accepted, true, "once per_1"},
	}
	return []providerFault{
		{name: "killed, started here", mute: true, befall: func(f *livetest.Fake, gone func(), _ string) { f.Kill(); gone() }, want: dead},
		{name: "killed, somebody else's", mute: true, befall: func(f *livetest.Fake, _ func(), _ string) { f.Kill() }, want: dead},
		{name: "restarted", mute: true, befall: func(f *livetest.Fake, _ func(), _ string) { f.Restart() }, want: map[string]outcome{
			asking:    {broker.Failed, "", false, "abort ses_1"},
			waiting:   {broker.Failed, "per_1 loss", false, "abort ses_1"},
			answering: {broker.Failed, "per_1 loss", false, "once per_1, abort ses_1"},
			answered:  {broker.Failed, accepted, true, "once per_1, abort ses_1"},
		}},
		{name: "stream cut", befall: func(f *livetest.Fake, _ func(), _ string) { f.Cut() }, want: map[string]outcome{asking: fine, waiting: fine, answering: fine, answered: fine}},
		{name: "stream away until the next step", befall: func(f *livetest.Fake, _ func(), _ string) { f.Deafen(true); f.Cut() }, want: map[string]outcome{asking: fine, waiting: fine, answering: fine, answered: fine}},
		{name: "answer of a call lost", befall: func(f *livetest.Fake, _ func(), step string) {
			switch step {
			case waiting:
				f.Lose("GET /permission") // which follows on the cut
				f.Cut()
			case answering:
				f.Lose("POST /permission/per_1/reply")
			case answered:
				f.Lose("GET /session/ses_1/message")
			}
		}, want: map[string]outcome{
			asking:    {broker.Failed, "", false, "abort ses_1"}, // a prompt is never sent twice
			waiting:   fine,
			answering: fine,
			answered:  fine,
		}},
	}
}

// witness accepts what it is shown, and lets the fault befall.
type witness struct {
	someone
	befall func(step string)
	step   string
	mute   bool
	done   chan struct{} // closed with the request, or with the run
	once   sync.Once
}

func (w *witness) Opened(r broker.Request) {
	if w.step == waiting {
		w.befall(waiting)
		if w.mute {
			return
		}
	}
	if err := w.d.Answer(r, decide(broker.Accept)); err != nil {
		panic(err)
	}
}

func (w *witness) Closed(c broker.Closing) {
	w.someone.Closed(c)
	if w.step == answered {
		w.befall(answered)
	}
	w.once.Do(func() { close(w.done) })
}

// TestFaultTable lets every fault befall every step of a request's life. The
// request comes to one end, nothing runs that wasn't allowed, nothing is answered
// twice, and no run says that it went well when its server was lost.
func TestFaultTable(t *testing.T) {
	var table strings.Builder
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "fault\tbefalls\tthe server is told\trequest\tran\trun\treason")
	for _, fault := range providerFaults() {
		for _, step := range lifeSteps {
			t.Run(fault.name+"/"+step, func(t *testing.T) {
				got, reason := befallen(t, fault, step)
				if want := fault.want[step]; got != want {
					t.Errorf("%+v, want %+v (%s)", got, want, reason)
				}
				fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%v\t%s\t%s\n", fault.name, step, got.told, got.closed, got.ran, got.end, reason)
			})
		}
	}
	_ = out.Flush()
	t.Log("\n" + table.String())
}

func befallen(t *testing.T, fault providerFault, step string) (outcome, string) {
	t.Helper()
	f := livetest.NewFake(t)
	gone := make(chan struct{})
	befall := func(string) { fault.befall(f, func() { close(gone) }, step) }
	w := &witness{befall: befall, step: step, mute: fault.mute, done: make(chan struct{})}
	lostPrompt := fault.name == "answer of a call lost" && step == asking
	f.Agent = func(f *livetest.Fake) string {
		if lostPrompt {
			f.Await("nobody asks")
			return "stop"
		}
		if step == asking {
			befall(asking)
			if fault.mute {
				return "" // it is dead
			}
		}
		f.Put(true, shellAsk("per_1", "ls"))
		f.Deafen(false) // the next step is done
		if f.Await("per_1").Reply == livetest.Gone {
			return ""
		}
		if step != answered {
			f.Deafen(false)
			return "stop"
		}
		<-w.done
		f.Go(func() { f.AwaitIdle(); f.Deafen(false) })
		return "stop"
	}
	if step == answering && !strings.Contains(fault.name, "lost") {
		f.OnReply(func(string) { f.OnReply(nil); befall(answering) })
	}
	o := live.DriverOptions{Times: live.Times{Reply: 5 * time.Second, Stop: 10 * time.Second, Lost: 300 * time.Millisecond, Again: 20 * time.Millisecond, Gather: time.Millisecond}}
	if strings.HasSuffix(fault.name, "started here") {
		o.Gone = gone
	}
	o.Cell = evaluator.Cell{Provider: evaluator.OpenCode, Mode: evaluator.ApprovalRequired, Interaction: evaluator.Default}
	d, err := open(t, f, o)
	if err != nil {
		t.Fatal(err)
	}
	w.d = d
	if lostPrompt {
		f.Lose("POST /session/ses_1/prompt_async")
	} else if step == answering && strings.Contains(fault.name, "lost") {
		befall(answering)
	}
	end := d.Run(t.Context(), "go", w)
	w.once.Do(func() { close(w.done) })
	told := slices.DeleteFunc(f.Log(), func(l string) bool { return l == "create" || l == "prompt" || strings.HasPrefix(l, "reject") })
	told = slices.Compact(told) // a call whose answer is lost is tried again, if the server is back by then
	return outcome{end.End, strings.Join(w.closed, ", "), len(f.Ran()) > 0, strings.Join(told, ", ")}, end.Reason
}
