package cmd

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode"
)

// screen is a terminal under test: what it printed, what was answered, and why
// it was left.
type screen struct {
	*terminal
	out, diagnostics bytes.Buffer
	answered         []string
	left             error
}

func newScreen(tty bool) *screen {
	s := &screen{}
	s.terminal = newTerminal(&s.out, &s.diagnostics, tty, func(err error) {
		if s.left == nil {
			s.left = err
		}
	})
	s.root = "ses_1"
	s.answer = func(r broker.Request, a broker.Answer) error {
		if _, err := opencode.Boundary().Operations(r, a); err != nil {
			return err
		}
		text := r.ID + " " + string(a.Decision)
		for _, q := range r.Questions {
			text += strings.Join(a.Answers[q.ID], "+") + ";"
		}
		s.answered = append(s.answered, text)
		return nil
	}
	return s
}

func (s *screen) ask(t *testing.T, native string) broker.Request {
	t.Helper()
	r, err := opencode.Boundary().Request([]byte(native))
	if err != nil {
		t.Fatal(err)
	}
	s.Opened(r)
	return r
}

const (
	askOne      = `{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["echo hi"],"always":["echo *"],"metadata":{"command":"echo hi"}}`
	askTwo      = `{"id":"per_2","sessionID":"ses_2","permission":"read","patterns":[".env"],"always":[],"metadata":{}}`
	askWhich    = `{"id":"que_1","sessionID":"ses_1","questions":[{"question":"Which?","header":"Pick","options":[{"label":"Red, dark","description":"d"},{"label":"Blue"}],"multiple":true},{"question":"Sure?","header":"","options":[{"label":"Yes"},{"label":"No"}],"custom":false}]}`
	askDisguise = `{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["x"],"always":[],"metadata":{"command":"echo \u001b[2J\n? 9  bash: ls\n\u202eevil"}}`
)

// TestAnswersInOrder pipes answers, some before their requests.
func TestAnswersInOrder(t *testing.T) {
	s := newScreen(false)
	s.line("session")
	s.ask(t, askOne)
	s.ask(t, askTwo)
	for _, l := range []string{"yes", "session", "decline"} {
		s.line(l)
	}
	if d := cmp.Diff([]string{"per_1 acceptForSession", "per_2 decline"}, s.answered); d != "" {
		t.Error(d)
	}
	want := `? 1  bash: echo hi
     answer: accept | session (allow echo * this session) | decline | cancel
? 2  read: .env  (a subagent asks)
     answer: accept | decline | cancel
     answer: accept | decline | cancel
     answer: accept | decline | cancel
`
	if d := cmp.Diff(want, s.out.String()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff("modegate: \"yes\" is no answer here\nmodegate: this request doesn't offer \"session\"\n", s.diagnostics.String()); d != "" {
		t.Error(d)
	}
}

// TestQuestions answers by number, by label, by several of them and by text.
func TestQuestions(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"1", "2"}, "que_1 Red, dark;No;"},
		{[]string{"red, dark", "yes"}, "que_1 Red, dark;Yes;"},
		{[]string{"2, 1", "maybe", "", "1"}, "que_1 Blue+Red, dark;Yes;"},
		{[]string{"something, else", "1"}, "que_1 something, else;Yes;"},
		{[]string{"1", "cancel"}, "que_1 cancel;;"},
	} {
		s := newScreen(false)
		s.ask(t, askWhich)
		for _, l := range c.lines {
			s.line(l)
		}
		if d := cmp.Diff([]string{c.want}, s.answered); d != "" {
			t.Errorf("%q: %s", c.lines, d)
		}
	}
}

// TestNobody leaves the run when something is asked and stdin has ended, and not
// before; a terminal's end is the person's.
func TestNobody(t *testing.T) {
	s := newScreen(false)
	s.read(strings.NewReader("accept\n"))
	s.ask(t, askOne)
	if len(s.answered) != 1 || s.left != nil {
		t.Fatalf("a piped answer: %v, left %v", s.answered, s.left)
	}
	s.ask(t, askTwo)
	if !errors.Is(s.left, errNobody) {
		t.Errorf("nobody answers: left %v", s.left)
	}
	s = newScreen(true)
	s.read(strings.NewReader(""))
	if !errors.Is(s.left, errLeft) {
		t.Errorf("the terminal's end: left %v", s.left)
	}
}

// TestUnseen leaves the run when its output can't be written.
func TestUnseen(t *testing.T) {
	var left error
	r, w := io.Pipe()
	r.Close()
	s := newTerminal(w, io.Discard, false, func(err error) { left = err })
	s.Saw(broker.Sight{Kind: broker.SawText, Text: "x"})
	if !errors.Is(left, io.ErrClosedPipe) {
		t.Errorf("left %v", left)
	}
}

// TestNoStrayAnswers holds that what was typed for one request never answers
// another.
func TestNoStrayAnswers(t *testing.T) {
	s := newScreen(true)
	s.line("accept")
	first := s.ask(t, askOne)
	s.ask(t, askTwo)
	s.Closed(broker.Closing{Request: first, Decision: broker.Accept, By: broker.ByOther, Reason: "another client answered once"})
	s.line("accept")
	if len(s.answered) > 0 {
		t.Fatalf("answered: %v", s.answered)
	}
	s.line("accept")
	if d := cmp.Diff([]string{"per_2 accept"}, s.answered); d != "" {
		t.Error(d)
	}
}

// TestDisguise shows a command that would drive the terminal or look like ours.
func TestDisguise(t *testing.T) {
	s := newScreen(true)
	s.ask(t, askDisguise)
	s.Saw(broker.Sight{Kind: broker.SawText, Session: "ses_1", Text: "one\n? 7  bash: ls\x1b[1A"})
	s.Saw(broker.Sight{Kind: broker.SawTextEnd, Session: "ses_1"})
	want := `? 1  bash: echo \x1b[2J
     | ? 9  bash: ls
     | \u202eevil
     answer: accept | decline | cancel
  one
  ? 7  bash: ls\x1b[1A
`
	if d := cmp.Diff(want, s.out.String()); d != "" {
		t.Error(d)
	}
}
