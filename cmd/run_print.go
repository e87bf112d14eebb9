package cmd

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// printer writes a run's transcript. What a failed write means is its writer's.
//
// Everything that comes from the agent is made printable and indented, so that
// it can neither drive the terminal nor look like a line of ours.
type printer struct {
	out, diagnostics io.Writer
	open             bool   // the line isn't finished
	inbox            string // where requests are answered, "" for here
}

// The most lines of a call's output and of a request's detail that are shown.
const (
	outputLines = 12
	detailLines = 60
)

// begin says what runs, and where it is wider than its policy.
func (t *terminal) begin(session, version string, set compiler.RuleSet) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.root = session
	cell := string(set.Mode)
	if set.Interaction == evaluator.Plan {
		cell += " + plan"
	}
	t.out.line(fmt.Sprintf("session %s: opencode %s, %s, policy %s", session, version, cell, set.Policy.Name))
	for _, g := range set.Gaps {
		if g.Direction == evaluator.Wider {
			t.out.info(fmt.Sprintf("wider than the policy (%s): %s", g.ID, g.Reason))
		}
	}
}

// line writes a line of ours.
func (p *printer) line(text string) {
	p.finish()
	fmt.Fprintln(p.out, text)
}

// info writes a line of ours to the diagnostics.
func (p *printer) info(text string) {
	p.finish()
	fmt.Fprintln(p.diagnostics, "modegate: "+printable(text, "  "))
}

// finish ends the line that text was written to.
func (p *printer) finish() {
	if p.open {
		fmt.Fprintln(p.out)
		p.open = false
	}
}

func (p *printer) asking(a *asking, root string) {
	from := ""
	if a.req.Session != root {
		from = "  (a subagent asks)"
	}
	if a.req.Shape == broker.Questioned {
		q := a.req.Questions[a.at]
		head := q.Question
		if q.Header != "" {
			head = q.Header + ": " + q.Question
		}
		p.line(fmt.Sprintf("? %d  %s%s", a.number, printable(head, "     | "), from))
		for i, o := range q.Options {
			text := fmt.Sprintf("     %d  %s", i+1, printable(o.Label, "        "))
			if o.Description != "" {
				text += " - " + printable(o.Description, "        ")
			}
			p.line(text)
		}
	} else {
		p.line(fmt.Sprintf("? %d  %s%s", a.number, printable(a.req.Title, "     | "), from))
		p.block(a.req.Detail, detailLines)
	}
	p.choices(a)
}

// choices says what can be answered, and where.
func (p *printer) choices(a *asking) {
	if p.inbox != "" {
		p.line("     waits in the inbox of " + p.inbox)
		return
	}
	var words []string
	if a.req.Shape == broker.Questioned {
		q := a.req.Questions[a.at]
		if len(q.Options) > 0 {
			words = append(words, "a number or label")
		}
		if q.Multiple {
			words = append(words, "several with commas")
		}
		if q.Custom {
			words = append(words, "your own text")
		}
		words = append(words, "cancel")
	}
	for _, w := range decisionWords {
		o, ok := a.req.Offers(w.decision)
		switch {
		case !ok || a.req.Shape == broker.Questioned:
		case w.decision == broker.AcceptForSession:
			words = append(words, w.word+" ("+printable(o.Label, "")+")")
		default:
			words = append(words, w.word)
		}
	}
	p.line("     answer: " + strings.Join(words, " | "))
}

var decisionPast = map[broker.Decision]string{
	broker.Accept:           "accepted",
	broker.AcceptForSession: "accepted for this session",
	broker.Decline:          "declined",
	broker.Cancel:           "cancelled",
}

func (p *printer) closed(c broker.Closing, number int) {
	text := decisionPast[c.Decision]
	if text == "" {
		text = "closed"
		if c.Request.Shape == broker.Questioned && c.By == broker.ByPerson {
			text = "answered"
		}
	}
	if o, ok := c.Request.Offers(c.Decision); ok && c.Decision == broker.AcceptForSession {
		text += " (" + printable(o.Label, "") + ")"
	}
	if c.Reason != "" {
		text += ": " + printable(c.Reason, "     | ")
	}
	if number == 0 {
		p.line("= " + printable(c.Request.Title, "     | ") + "\n     " + text)
		return
	}
	p.line(fmt.Sprintf("= %d  %s", number, text))
}

func (p *printer) saw(s broker.Sight, root string) {
	child := ""
	if s.Session != "" && s.Session != root {
		child = "(subagent) "
	}
	switch s.Kind {
	case broker.SawText:
		if !p.open && s.Text != "" {
			fmt.Fprint(p.out, "  ")
			p.open = true
		}
		fmt.Fprint(p.out, printable(s.Text, "  "))
	case broker.SawTextEnd:
		p.finish()
	case broker.SawToolStart:
		p.line("* " + child + printable(s.Tool+"  "+s.Text, "     | "))
	case broker.SawToolEnd:
		p.block(s.Detail, outputLines)
	case broker.SawToolFailed:
		p.line("  ! " + child + printable(s.Tool+": "+s.Detail, "     | "))
	case broker.SawNote:
		p.info(s.Text)
	}
}

// block writes a text of the agent's, indented.
func (p *printer) block(text string, most int) {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	more := len(lines) - most
	if more > 0 {
		lines = lines[:most]
	}
	for _, l := range lines {
		p.line("     | " + printable(l, ""))
	}
	if more > 0 {
		p.line(fmt.Sprintf("     | (%d more lines)", more))
	}
}

// printable writes control characters and other characters without a shape as
// escapes, and puts indent at the start of every line but the first.
func printable(text, indent string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteString("\n" + indent)
		case r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
