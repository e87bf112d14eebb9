package web_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/server"
)

// buttons are a request's, as they are read.
func (p *page) buttons(r asked) string {
	p.t.Helper()
	return get[string](p, fmt.Sprintf(`[...document.querySelectorAll("#request-%s .decision")].map((b) => [...b.children].map((c) => c.textContent).join(" / ") || b.textContent).join(" | ")`, r.ID))
}

// A request comes by itself, is shown with all that it takes to decide it, and
// says what becomes of the decision until it has arrived.
func TestInbox(t *testing.T) {
	p := open(t)
	p.inbox()
	p.until(`document.querySelector(".empty").textContent === "Nothing waits for anybody."`)
	p.session("s1", "opencode", "approval-required")
	r := p.bash("s1", "go test ./...", "go test *")
	p.shows(r)
	text := get[string](p, fmt.Sprintf(`document.querySelector("#request-%s").innerText.replace(/\s+/g, " ")`, r.ID))
	p.holds("the request", text, "bash: go test ./...", "provider OpenCode 1.x", "session s1", "mode Supervised", "kind command", "ago", "expires", "in 1 h 0 min")
	if got, want := p.buttons(r), "allow this once / this request | allow go test * this session | refuse this; the agent goes on / this request | refuse this and end the run / this run"; got != want {
		t.Errorf("the buttons are %q, want %q", got, want)
	}
	if title, tab := get[string](p, "document.title"), get[string](p, `document.querySelector("#tabs a[href='#/inbox']").textContent`); title != "(1) Inbox · modegate" || tab != "Inbox1 waiting" {
		t.Errorf("the count is shown as %q and %q", title, tab)
	}
	p.press(r, "accept")
	p.holds("on its way", p.state(r, "responding"), "Responding: allowed by a reviewer", "not there yet")
	if now := p.now(r); now.State != "responding" || now.Decision != "accept" || now.DecidedBy != "a reviewer" {
		t.Errorf("the service has %+v", now)
	}
	if title := get[string](p, "document.title"); title != "Inbox · modegate" {
		t.Errorf("the title is %q", title)
	}
	p.resolves(r, `{"status":"delivered"}`)
	p.holds("arrived", p.state(r, "resolved"), "Allowed by a reviewer.")
	if got := get[string](p, fmt.Sprintf(`[...document.querySelectorAll("#request-%s .decision")].map((b) => b.ariaDisabled + b.classList.contains("chosen")).join(" ")`, r.ID)); got != "truetrue truefalse truefalse truefalse" {
		t.Errorf("its buttons are %s", got)
	}
	// Settled ones go when they are cleared, and don't come back with the view.
	p.turn("#/sessions", "Sessions")
	p.turn("#/inbox", "Inbox")
	p.until(`document.querySelectorAll(".request").length === 1`)
	p.do(chromedp.Click(chromedp.CSS("#clear")))
	p.until(`document.querySelectorAll(".request").length === 0`)
	p.turn("#/sessions", "Sessions")
	p.turn("#/inbox", "Inbox")
	if n := get[int](p, `document.querySelectorAll(".request").length`); n != 0 {
		t.Errorf("%d come back", n)
	}
}

// Every decision that is offered, and what follows; nothing else has a button.
func TestEveryDecision(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	p.inbox()
	for _, c := range []struct{ button, decision, says string }{
		{"accept", "accept", "Allowed by a reviewer."}, {"acceptForSession", "acceptForSession", "Allowed for this session by a reviewer."},
		{"decline", "decline", "Refused by a reviewer."}, {"cancel", "cancel", "Refused by a reviewer, and the run ended."},
	} {
		r := p.bash("s1", "make "+c.button, "make "+c.button)
		p.press(r, c.button)
		p.state(r, "responding")
		if now := p.now(r); now.Decision != c.decision {
			t.Errorf("%s: the service has %+v", c.button, now)
		}
		p.resolves(r, `{"status":"delivered"}`)
		p.holds(c.button, p.state(r, "resolved"), c.says)
	}
	plain := p.bash("s1", "mkdir x") // nothing is offered to be kept
	p.shows(plain)
	if got := p.buttons(plain); strings.Contains(got, "session") || !strings.HasPrefix(got, "allow this once") {
		t.Errorf("the buttons are %q", got)
	}
	// A pattern that the label doesn't name is on the button all the same.
	p.session("s2", "opencode2", "approval-required")
	every := p.opens("s2", `{"id":"evt_1","type":"permission.asked","data":{"id":"per_e","sessionID":"ses_2","action":"edit","resources":["src/a.go"],"save":["*"]}}`)
	p.shows(every)
	p.holds("the button", p.buttons(every), "Allow every edit this session / edit *")
}

// What else can become of a request is told, with by whom and why.
func TestHowRequestsEnd(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	p.session("s2", "opencode", "approval-required")
	failed, settled, covered, closed := p.bash("s1", "a"), p.bash("s1", "b"), p.bash("s1", "git log -1", "git log *"), p.bash("s2", "d")
	first := p.bash("s1", "git log", "git log *")
	p.inbox(failed, settled, covered, closed, first)
	p.press(failed, "accept")
	p.state(failed, "responding")
	p.resolves(failed, `{"status":"failed","reason":"the provider has gone"}`)
	p.holds("failed", p.state(failed, "failed"), "Failed, after allowed by a reviewer: the provider has gone.")
	p.resolves(settled, `{"status":"settled","decision":"decline"}`)
	p.holds("settled", p.state(settled, "resolved"), "Refused by another client, at the provider: answered at the provider, not here.")
	p.press(first, "acceptForSession")
	p.holds("covered", p.state(covered, "responding"), "by what was allowed for this session")
	p.call("DELETE", "/v1/sessions/s2", "")
	p.holds("closed", p.state(closed, "cancelled"), "Closed without an answer by the end of its turn: its turn ended: unloaded.")
	p.resolves(closed, `{"status":"failed","reason":"too late"}`)
	p.until(fmt.Sprintf(`document.querySelector("#outcome-%s").textContent.endsWith("Reported afterwards by a reviewer: not delivered, too late.")`, closed.ID))
	// What the session's mode answers by itself is never shown.
	p.session("s3", "claude", "full-access")
	p.call("POST", "/v1/sessions/s3/requests", claudeBash("1", "rm -rf build"))
	last := p.bash("s1", "z")
	p.shows(last)
	if text := get[string](p, `document.querySelector("#requests").innerText`); strings.Contains(text, "rm -rf build") {
		t.Error("what nobody is asked about is shown")
	}
}

// guards is one guardrail, which wants something of every command that begins so.
type guards struct{}

func (guards) Digest() string { return "sha256:" + strings.Repeat("0", 64) }

func (guards) List() []evaluator.Guardrail {
	return []evaluator.Guardrail{{Name: "push", Title: "No push unattended <b>", File: "push.rego", Line: 1}}
}

func (g guards) Ask(_ context.Context, in evaluator.GuardrailInput) []evaluator.Said {
	s := evaluator.Said{Guardrail: g.List()[0], Effect: evaluator.Allow}
	if strings.HasPrefix(in.Action.Command, "git push") {
		s.Effect, s.Reason = evaluator.Ask, "pushes are \u202eseen"
	}
	return []evaluator.Said{s}
}

// What a guardrail has against a request is said where it is decided, and nothing
// is offered to be kept that it wants decided each time.
func TestGuardrailsInTheInbox(t *testing.T) {
	s, err := build(func(cfg *server.Config) {
		cfg.Guardrails.Load = func() (server.GuardrailSet, error) { return guards{}, nil }
	}, "builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	browser(t)
	p := tabOn(t, s)
	p.signIn(token)
	p.session("s1", "opencode", "approval-required")
	r, free := p.bash("s1", "git push", "git push *"), p.bash("s1", "git status", "git status *")
	p.inbox(r, free)
	const said = `document.querySelector("#request-%s .guardrails")?.textContent ?? ""`
	if got, want := get[string](p, fmt.Sprintf(said, r.ID)), "No push unattended <b>: a person decides each time: pushes are ⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩seen"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got := get[string](p, fmt.Sprintf(said, free.ID)); got != "" {
		t.Errorf("of another request it says %q", got)
	}
	if a, b := p.buttons(r), p.buttons(free); strings.Contains(a, "session") || !strings.Contains(b, "session") {
		t.Errorf("the buttons are %q and %q", a, b)
	}
	p.press(r, "accept")
	p.state(r, "responding")
}

// claudeBash is what Claude asks its host before it runs a command.
func claudeBash(id, command string) string {
	return fmt.Sprintf(`{"type":"control_request","request_id":%q,"request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":%q,"description":"d"},"tool_use_id":"t"}}`, id, command)
}

// Whoever may only look sees everything but no way to answer; whoever may only
// answer has the inbox, and nothing that is for readers.
func TestScopesOfTheInbox(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	r, q := p.bash("s1", "go test ./...", "go test *"), p.opens("s1", questions("que_1", "s1"))
	reader := p.beside(tokenOf(server.ReadScope))
	reader.inbox(r, q)
	if n := get[int](reader, `document.querySelectorAll(".decision, .request input, .request textarea, .request select").length`); n != 0 {
		t.Errorf("a reader sees %d controls", n)
	}
	text := get[string](reader, `document.querySelector("main").innerText`)
	reader.holds("the reader's inbox", text, "You may look, and not answer", "bash: go test ./...", "Which database?", "SQLite", "What is it called?", "Supervised")
	reader.turn("#/sessions/s1", "Session s1")
	if get[bool](reader, `Boolean(document.querySelector("form.mode"))`) {
		t.Error("a reader may change the mode")
	}
	approver := p.beside(tokenOf(server.ApproveScope))
	approver.heading("Inbox") // there is no matrix for them
	approver.press(r, "decline")
	approver.holds("decided", approver.state(r, "responding"), "refused by the approve")
	if tabs := get[string](approver, `[...document.querySelectorAll("#tabs a")].map((a) => a.firstChild.textContent).join(" ")`); tabs != "Inbox Sessions" {
		t.Errorf("the tabs are %s", tabs)
	}
	approver.turn("#/sessions", "Sessions")
	approver.until(`document.querySelectorAll("#sessions tbody tr").length === 1`)
	approver.turn("#/sessions/s1", "Session s1")
	approver.until(`document.querySelectorAll("#history li").length > 4`)
}
