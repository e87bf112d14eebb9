package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// field is the id of something in a question's form.
func field(r asked, question int, part string) string {
	return fmt.Sprintf("#q-%s-%d-%s", r.ID, question, part)
}

// answers are those that the agent gets, in OpenCode's form.
func (p *page) answers(session string) string {
	p.t.Helper()
	text := string(p.call("GET", "/v1/sessions/"+session+"/activities", ""))
	at := strings.LastIndex(text, `"answers":`)
	if at < 0 {
		return ""
	}
	text = text[at+len(`"answers":`):]
	return text[:strings.Index(text, "]]")+2]
}

// One option, several options and a text, and texts of one's own are answered in
// one go; what is missing is told beside its question, and nothing is sent.
func TestQuestionsAreAnswered(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	r := p.opens("s1", questions("que_1", "s1"))
	p.inbox(r)
	p.press(r, "answer")
	if got := get[string](p, `[...document.querySelectorAll(".wrong")].map((w) => w.textContent).join("|")`); got != "Answer this first.|Answer this first.|Answer this first." {
		t.Errorf("it says %q", got)
	}
	if got := get[string](p, "document.activeElement.id"); "#"+got != field(r, 0, "0") {
		t.Errorf("the focus is on %s", got)
	}
	if now := p.now(r); now.State != "pending" {
		t.Fatalf("%+v", now)
	}
	for _, part := range []string{field(r, 0, "0"), field(r, 0, "1"), field(r, 1, "0"), field(r, 1, "2")} {
		p.do(chromedp.Click(chromedp.CSS(part)))
	}
	p.do(chromedp.SendKeys(chromedp.CSS(field(r, 1, "own")), "tests, too"))
	if !get[bool](p, fmt.Sprintf(`document.querySelector(%q).checked`, field(r, 1, "other"))) {
		t.Error("a text that is written isn't chosen")
	}
	p.do(chromedp.SendKeys(chromedp.CSS(field(r, 2, "own")), "first line\nsecond"))
	p.press(r, "answer")
	p.holds("answered", p.state(r, "responding"), "Responding: answered by a reviewer")
	if got := p.answers("s1"); got != `[["SQLite"],["api","docs","tests, too"],["first line\nsecond"]]` {
		t.Errorf("the agent gets %s", got)
	}
	p.resolves(r, `{"status":"delivered"}`)
	p.holds("arrived", p.state(r, "resolved"), "Answered by a reviewer.")
	if got := get[string](p, fmt.Sprintf(`document.querySelector(%q).value`, field(r, 2, "own"))); got != "first line\nsecond" {
		t.Errorf("what was written is gone: %q", got)
	}
}

// A question is dismissed; one that the service refuses an answer to says why,
// beside it, and goes on waiting.
func TestQuestionsAreDismissed(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	r := p.opens("s1", questions("que_1", "s1"))
	p.inbox(r)
	p.expect("status of 400")
	p.do(chromedp.Click(chromedp.CSS(field(r, 0, "0"))), chromedp.Click(chromedp.CSS(field(r, 1, "0"))))
	p.run(fmt.Sprintf(`document.querySelector(%q).value = "x".repeat(9000)`, field(r, 2, "own")))
	p.press(r, "answer")
	p.until(fmt.Sprintf(`document.querySelector("%s").textContent === "longer than 8192 bytes"`, field(r, 2, "wrong")))
	p.holds("refused", p.says(r), "Not taken: /answers/question-2: longer than 8192 bytes.")
	if now := p.now(r); now.State != "pending" {
		t.Fatalf("%+v", now)
	}
	p.press(r, "cancel")
	p.holds("dismissed", p.state(r, "responding"), "Responding: dismissed by a reviewer")
	p.resolves(r, `{"status":"delivered"}`)
	p.holds("dismissed", p.state(r, "cancelled"), "Dismissed by a reviewer.")
}

// What somebody has begun to write stays, with the focus in it, whatever else
// happens; when the question is settled elsewhere nothing more is taken.
func TestWritingIsntDisturbed(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	before := p.bash("s1", "ls")
	r := p.opens("s1", questions("que_1", "s1"))
	p.inbox(before, r)
	own := field(r, 2, "own")
	p.do(chromedp.SendKeys(chromedp.CSS(own), "half a sen"))
	p.resolves(before, `{"status":"settled"}`)
	p.state(before, "resolved")
	p.shows(p.bash("s1", "pwd"))
	p.do(chromedp.KeyEvent("tence"))
	if got := get[string](p, fmt.Sprintf(`document.activeElement.value + (document.activeElement === document.querySelector(%q))`, own)); got != "half a sentencetrue" {
		t.Errorf("the field has %q", got)
	}
	p.resolves(r, `{"status":"settled","reason":"answered in the terminal"}`)
	p.holds("settled", p.state(r, "resolved"), "another client, at the provider: answered in the terminal.")
	p.do(chromedp.KeyEvent("x"))
	if got := get[string](p, fmt.Sprintf(`document.activeElement.value + (document.activeElement === document.querySelector(%q))`, own)); got != "half a sentencetrue" {
		t.Errorf("the field has %q", got)
	}
}
