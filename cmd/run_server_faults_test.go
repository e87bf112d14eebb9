package cmd

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
)

// The steps of a request's life that a fault of the service can befall.
const (
	beforeAsked     = "before it is asked"
	whilePending    = "while it is pending"
	whileResponding = "while the answer is delivered"
	afterwards      = "afterwards"
)

// served is how a run ended whose service had a fault.
type served struct {
	code   int
	told   string // what the provider was told
	ran    bool
	record string // of the request
	turn   string
}

// serviceFault is something that befalls the service.
type serviceFault struct {
	name   string
	befall func(*service)
	lost   time.Duration // after which the run gives the service up
	want   map[string]served
}

func serviceFaults() []serviceFault {
	const (
		accepted = "bash: ls resolved accept alice"
		unknown  = "bash: ls expired accept alice" // whether the answer arrived isn't known
		expired  = "bash: ls expired modegate:restart"
		refused  = "reject per_1, abort ses_1"
	)
	fine := served{0, "once per_1", true, accepted, "completed"}
	return []serviceFault{
		{name: "killed", befall: func(s *service) { s.kill() }, lost: 500 * time.Millisecond, want: map[string]served{
			beforeAsked:     {exitNo, refused, false, "", ""},
			whilePending:    {exitNo, refused, false, expired, ""},
			whileResponding: {exitNo, "once per_1", true, unknown, ""},
			afterwards:      {exitNo, "once per_1", true, accepted, ""},
		}},
		{name: "killed and started anew", befall: func(s *service) { s.kill(); s.start() }, lost: 20 * time.Second, want: map[string]served{
			beforeAsked:     fine,
			whilePending:    {0, "reject per_1", false, expired, "completed"},
			whileResponding: {0, "once per_1", true, unknown, "completed"},
			afterwards:      fine,
		}},
		{name: "connections cut", befall: func(s *service) { s.l.cut() }, lost: 20 * time.Second, want: map[string]served{
			beforeAsked: fine, whilePending: fine, whileResponding: fine, afterwards: fine,
		}},
	}
}

// TestRunServerFaults lets every fault of the service befall every step of a
// request's life. Nothing hangs, and nothing runs that nobody allowed; a run whose
// service is lost says that it failed.
func TestRunServerFaults(t *testing.T) {
	var table strings.Builder
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "the service is\tbefalls\tthe provider is told\tran\ton record\tturn\texit\tthe run says")
	for _, fault := range serviceFaults() {
		for _, step := range []string{beforeAsked, whilePending, whileResponding, afterwards} {
			t.Run(fault.name+"/"+step, func(t *testing.T) {
				got, said := serve(t, fault, step)
				if want := fault.want[step]; got != want {
					t.Errorf("%+v, want %+v\n%s", got, want, said)
				}
				lines := strings.Split(strings.TrimSpace(said), "\n")
				fmt.Fprintf(out, "%s\t%s\t%s\t%v\t%s\t%s\t%d\t%s\n", fault.name, step, got.told, got.ran, got.record, got.turn, got.code, lines[len(lines)-1])
			})
		}
	}
	_ = out.Flush()
	t.Log("\n" + table.String())
}

func serve(t *testing.T, fault serviceFault, step string) (served, string) {
	t.Helper()
	lost := fault.lost
	if step == whileResponding || step == afterwards {
		lost = max(lost, 3*time.Second) // the run ends well before
	}
	shortTimes(t, lost)
	f := livetest.NewFake(t)
	s := startService(t)
	f.Agent = func(f *livetest.Fake) string {
		if step == beforeAsked {
			fault.befall(s)
		}
		f.Put(true, livetest.ShellAsk("per_1", "ls"))
		r := f.Await("per_1")
		if step == afterwards {
			s.await("approval.resolved")
			fault.befall(s)
		}
		if r.Reply == live.ReplyReject && r.Message == "" {
			return "tool-calls"
		}
		return "stop"
	}
	if step == whileResponding {
		f.OnReply(func(string) { f.OnReply(nil); fault.befall(s) })
	}
	out := &watched{}
	if step != beforeAsked || fault.name != "killed" {
		out.when(waitsInInbox, func() {
			if step == whilePending {
				fault.befall(s)
				if fault.name != "connections cut" {
					return
				}
			}
			// The fault may be faster than the answer to this call.
			s.call("POST", "/v1/requests/"+s.only().ID+"/decision", `{"decision":"accept"}`)
		})
	}
	code, session := runServed(t, s, out, "go", "-m", "approval-required", "--url", f.URL())
	told := slices.DeleteFunc(f.Log(), func(l string) bool { return l == "create" || l == "prompt" })
	return served{code, strings.Join(told, ", "), len(f.Ran()) > 0, strings.Join(s.ends(session), ", "), strings.Join(s.turns(session), ", ")}, out.String()
}
