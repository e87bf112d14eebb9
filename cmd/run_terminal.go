package cmd

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/modegate/modegate/adapters/broker"
)

// terminal is the person of a run: it shows what happens, and takes one answer a
// line. One request is shown at a time.
type terminal struct {
	answer func(broker.Request, broker.Answer) error
	leave  func(error)
	tty    bool

	mu     sync.Mutex
	out    printer
	root   string
	queue  []*asking // the first is shown
	lines  []string  // read and not yet used
	over   bool      // stdin has ended
	stale  bool      // the next line may be for a request that others answered
	count  int
	number map[string]int // of requests, by id
}

func newTerminal(out, diagnostics io.Writer, tty bool, leave func(error)) *terminal {
	return &terminal{leave: leave, tty: tty, out: printer{out: seen{out, leave}, diagnostics: diagnostics}, number: map[string]int{}}
}

// seen is the output of a run; when nobody reads it any more, the run is left.
type seen struct {
	out   io.Writer
	leave func(error)
}

func (s seen) Write(p []byte) (int, error) {
	n, err := s.out.Write(p)
	if err != nil {
		s.leave(fmt.Errorf("nobody sees what is asked: %w", err))
	}
	return n, err
}

// maxLine bounds one answer, in bytes.
const maxLine = 1 << 20

// read takes the lines of stdin until its end.
func (t *terminal) read(in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		t.line(lines.Text())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.tty {
		t.leave(errLeft)
	}
	t.step()
}

// line takes one line. Piped answers may come before their requests; what a
// person types while nothing is asked is no answer to what is asked later.
func (t *terminal) line(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.tty && len(t.queue) == 0:
		t.out.info("nothing is asked now")
		return
	case t.tty && t.stale:
		t.stale = false
		t.out.info("the request before this one was answered elsewhere: answer once more, for the one that is shown")
		return
	}
	t.lines = append(t.lines, text)
	t.step()
}

// step uses lines for what is asked.
func (t *terminal) step() {
	for len(t.queue) > 0 {
		if len(t.lines) == 0 {
			if t.over {
				t.leave(errNobody)
			}
			return
		}
		line := t.lines[0]
		t.lines = t.lines[1:]
		t.use(line)
	}
}

// use takes one line for the request that is shown.
func (t *terminal) use(line string) {
	a := t.queue[0]
	answer, done, hint := a.take(line)
	switch {
	case hint != "":
		t.out.info(hint)
		t.out.choices(a)
		return
	case !done:
		t.out.asking(a, t.root)
		return
	}
	if err := t.answer(a.req, answer); err != nil {
		a.at, a.answers = 0, nil
		t.out.info(err.Error())
		t.out.choices(a)
		return
	}
	t.next()
}

// next shows the request after the first.
func (t *terminal) next() {
	t.queue = t.queue[1:]
	if len(t.queue) > 0 {
		t.out.asking(t.queue[0], t.root)
	}
}

// Opened shows a request, or keeps it until those before it are answered.
func (t *terminal) Opened(r broker.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count++
	t.number[r.ID] = t.count
	t.queue = append(t.queue, &asking{req: r, number: t.count})
	if len(t.queue) == 1 {
		t.stale = false
		t.out.asking(t.queue[0], t.root)
	}
	t.step()
}

// Closed says how a request ended.
func (t *terminal) Closed(c broker.Closing) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.closed(c, t.number[c.Request.ID])
	at := slices.IndexFunc(t.queue, func(a *asking) bool { return a.req.ID == c.Request.ID })
	switch {
	case c.By == broker.ByStop:
		t.queue = nil // nothing more is asked
	case at == 0:
		t.next()
		t.stale = len(t.queue) > 0
		t.step()
	case at > 0:
		t.queue = slices.Delete(t.queue, at, at+1)
	}
}

// Saw shows what happened.
func (t *terminal) Saw(s broker.Sight) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.saw(s, t.root)
}

func (t *terminal) note(text string) {
	t.Saw(broker.Sight{Kind: broker.SawNote, Text: text})
}

// end says how the run ended and how to go on.
func (t *terminal) end(session string, out broker.Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.line(fmt.Sprintf("session %s %s; --session %s continues it", session, out.End, session))
}
