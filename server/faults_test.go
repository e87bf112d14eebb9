package server_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/server"
)

// The steps of a request's life.
var lifeSteps = []string{"opened", "decided", "taken", "resolved"}

// world is a service, reached over HTTP, that faults befall.
type world struct {
	t       *testing.T
	url     string
	dir     string
	process *process // the service when it is a process
	desk    *desk    // the service when it is in this one
	turn    string
	request string
	cursor  int // the last event that the adapter has seen
	runs    int // how often the adapter was told to perform the answer
	told    []string
}

// call makes a call; "lost" is one that nobody answered.
func (w *world) call(scope server.Scope, method, path, body string) (status string, got []byte) {
	r, err := http.NewRequest(method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+tokens[scope])
	r.Close = true
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return "lost", nil
	}
	defer answer.Body.Close()
	got, err = io.ReadAll(answer.Body)
	if err != nil {
		return "lost", nil
	}
	return strconv.Itoa(answer.StatusCode), got
}

// step is one party's step. It returns what the party is told.
func (w *world) step(name string) string {
	switch name {
	case "opened":
		status, got := w.call(server.AdapterScope, "POST", "/v1/sessions/s1/requests", bash("per_1", "ses_1", "ls", "ls *"))
		var r struct{ ID, State string }
		if json.Unmarshal(got, &r, json.MatchCaseInsensitiveNames(true)) == nil && r.ID != "" {
			w.request = r.ID
			status += " " + r.State
		}
		return status
	case "decided":
		status, got := w.call(server.ApproveScope, "POST", "/v1/requests/"+w.request+"/decision", `{"decision":"acceptForSession"}`)
		return status + stateIn(got)
	case "taken":
		return w.take()
	}
	status, got := w.call(server.AdapterScope, "POST", "/v1/requests/"+w.request+"/resolution", `{"status":"delivered"}`)
	return status + stateIn(got)
}

func stateIn(body []byte) string {
	var r struct{ State string }
	if json.Unmarshal(body, &r, json.MatchCaseInsensitiveNames(true)) != nil || r.State == "" {
		return ""
	}
	return " " + r.State
}

func (w *world) history() []happened {
	status, got := w.call(server.ReadScope, "GET", "/v1/sessions/s1/activities", "")
	var h struct{ Activities []happened }
	if status != "200" {
		w.t.Fatalf("the history: %s %s", status, got)
	}
	if err := json.Unmarshal(got, &h, json.MatchCaseInsensitiveNames(true)); err != nil {
		w.t.Fatal(err)
	}
	return h.Activities
}

// take is the adapter: it goes on after the last event that it has seen, and
// performs what it is told.
func (w *world) take() string {
	h := w.history()
	last := h[len(h)-1].Seq
	if w.cursor >= last {
		return "nothing new"
	}
	r := follow(w.t, w.url+"/v1/events?session=s1", strconv.Itoa(w.cursor))
	defer r.leave()
	said := ""
	for w.cursor < last {
		e := r.next()
		w.cursor = e.Seq
		switch {
		case e.Type == "approval.response-requested" && len(e.Operations) > 0:
			w.runs++
			said = "performed"
		case e.Type == "approval.response-requested":
			said = "stale"
		case e.Type == "approval.resolved" && said == "":
			said = "told " + e.Request.State
		}
	}
	return said
}

// fault is something that happens after a step, or to it.
type fault struct {
	name   string
	during func(w *world, step string) string // in place of the step
	after  func(w *world)
	states map[string]string // how it ends, by the step that it befalls
	runs   map[string]int
}

func every(state string) map[string]string {
	out := map[string]string{}
	for _, s := range lifeSteps[:3] {
		out[s] = state
	}
	out["resolved"] = "resolved"
	return out
}

var (
	untilTaken = map[string]int{"opened": 0, "decided": 0, "taken": 1, "resolved": 1}
	once       = map[string]int{"opened": 1, "decided": 1, "taken": 1, "resolved": 1}
)

func faults() []fault {
	restart := func(w *world, s syscall.Signal) {
		w.process.end(s)
		w.process = startProcess(w.t, w.dir)
		w.url = w.process.url
	}
	return []fault{
		{name: "killed", after: func(w *world) { restart(w, syscall.SIGKILL) }, states: every("expired"), runs: untilTaken},
		{name: "stopped", after: func(w *world) { restart(w, syscall.SIGTERM) }, states: every("expired"), runs: untilTaken},
		{name: "disk fails", during: func(w *world, step string) string {
			w.desk.store.FailCommits(func() error { return errors.New("no space left") })
			first := w.step(step)
			w.desk.store.FailCommits(nil)
			return first + ", " + w.step(step)
		}, states: every("resolved"), runs: once},
		{name: "answer lost", during: func(w *world, step string) string { return w.step(step) + ", " + w.step(step) }, states: every("resolved"), runs: once},
		{name: "nobody goes on", after: func(w *world) { w.desk.clock.pass(2 * time.Hour) }, states: every("expired"), runs: untilTaken},
		{name: "turn ends", after: func(w *world) {
			w.call(server.AdapterScope, "POST", "/v1/sessions/s1/turns/"+w.turn+"/end", `{"status":"failed"}`)
		}, states: every("cancelled"), runs: untilTaken},
		{name: "unloaded", after: func(w *world) { w.call(server.AdapterScope, "DELETE", "/v1/sessions/s1", "") }, states: every("cancelled"), runs: untilTaken},
	}
}

// TestFaults lets every fault befall every step of a request's life. Whatever
// happens, nothing hangs, nothing runs twice, and nothing is lost: the request
// comes to one end, the answer is performed once at most, and the record says
// who decided and why it ended.
func TestFaults(t *testing.T) {
	var table strings.Builder
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "fault\tbefalls\topened\tdecided\ttaken\tresolved\tstate\tdecided by\tended by\tperformed\tanswers\tends")
	for _, f := range faults() {
		for _, at := range lifeSteps {
			w := newWorld(t, f.name == "killed" || f.name == "stopped")
			for _, step := range lifeSteps {
				said := ""
				if step == at && f.during != nil {
					said = f.during(w, step)
				} else {
					said = w.step(step)
				}
				w.told = append(w.told, said)
				if step == at && f.after != nil {
					f.after(w)
				}
			}
			line := w.check(f, at)
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", f.name, at, strings.Join(w.told, "\t"), line)
			w.end()
		}
	}
	_ = out.Flush()
	t.Log("\n" + table.String())
}

func newWorld(t *testing.T, process bool) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	if process {
		w.process = startProcess(t, w.dir)
		w.url = w.process.url
	} else {
		w.desk = &desk{t: t, dir: w.dir, clock: newClock()}
		w.desk.start()
		h := httptest.NewServer(w.desk.s.Handler())
		w.url = h.URL
		t.Cleanup(func() { h.Close(); w.desk.stop() })
	}
	w.call(server.AdapterScope, "PUT", "/v1/sessions/s1", `{"provider":"opencode","mode":"approval-required","workspace":"/w"}`)
	_, got := w.call(server.AdapterScope, "POST", "/v1/sessions/s1/turns", "")
	w.turn = into[struct{ Turn string }](t, reply{body: string(got)}).Turn
	h := w.history()
	w.cursor = h[len(h)-1].Seq
	return w
}

func (w *world) end() {
	if w.process != nil {
		w.process.end(syscall.SIGKILL)
	}
}

// check holds the end against what is right, and writes it down.
func (w *world) check(f fault, at string) string {
	w.t.Helper()
	w.take() // whatever the adapter hasn't seen
	status, got := w.call(server.ReadScope, "GET", "/v1/requests/"+w.request, "")
	r := into[pending](w.t, reply{body: string(got)})
	answers, ends, decided, closer := 0, 0, false, ""
	for _, e := range w.history() {
		switch e.Type {
		case "approval.response-requested":
			answers++
			decided = true
		case "approval.resolved":
			ends++
			if e.By == "" {
				w.t.Errorf("%s, %s: nobody ended it: %+v", f.name, at, e)
			}
			closer = e.By
		}
	}
	bad := func(format string, args ...any) {
		w.t.Errorf("%s, %s: %s (%v)", f.name, at, fmt.Sprintf(format, args...), w.told)
	}
	if status != "200" || r.State != f.states[at] {
		bad("it ends %s, want %s", r.State, f.states[at])
	}
	if w.runs != f.runs[at] {
		bad("performed %d times, want %d", w.runs, f.runs[at])
	}
	if answers > 1 || ends != 1 {
		bad("%d answers, %d ends", answers, ends)
	}
	if decided && (r.DecidedBy != "the approve" || r.Decision != "acceptForSession") {
		bad("who decided is lost: %+v", r)
	}
	if r.State != "resolved" && r.Reason == "" || r.DecidedBy == "" {
		bad("the record doesn't say by whom and why: %+v", r)
	}
	if _, box := w.call(server.ReadScope, "GET", "/v1/requests", ""); string(box) != `{"requests":[]}` {
		bad("it hangs: %s", box)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d", r.State, r.DecidedBy, closer, w.runs, answers, ends)
}

// TestKilledInTheMiddle kills the service while a step is under way. Either the
// whole step is on the record or nothing of it.
func TestKilledInTheMiddle(t *testing.T) {
	for _, at := range lifeSteps {
		for delay := range 3 {
			w := newWorld(t, true)
			for _, step := range lifeSteps {
				if step != at || step == "taken" {
					w.told = append(w.told, w.step(step))
					continue
				}
				said := make(chan string)
				go func() { said <- w.step(step) }()
				time.Sleep(time.Duration(delay) * 700 * time.Microsecond)
				w.process.end(syscall.SIGKILL)
				w.told = append(w.told, <-said)
				w.process = startProcess(t, w.dir)
				w.url = w.process.url
				if w.request == "" { // the adapter doesn't know: it opens the request again
					w.told = append(w.told, "again "+w.step("opened"))
				}
			}
			status, got := w.call(server.ReadScope, "GET", "/v1/requests/"+w.request, "")
			r := into[pending](t, reply{body: string(got)})
			ends := 0
			for _, e := range w.history() {
				if e.Type == "approval.resolved" {
					ends++
				}
			}
			if status != "200" || w.runs > 1 || ends != 1 || r.State != "expired" && r.State != "resolved" || r.State == "resolved" && w.runs != 1 {
				t.Errorf("%s: %s %s, performed %d times, %d ends (%v)", at, status, r.State, w.runs, ends, w.told)
			}
			w.end()
		}
	}
}
