package web_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/modegate/modegate/server"
)

// Two people look at the same requests: what one decides the other sees, and
// whoever comes too late is told so in plain words.
func TestTwoPeople(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	r, q, late := p.bash("s1", "ls"), p.opens("s1", questions("que_1", "s1")), p.bash("s1", "pwd")
	other := p.beside(tokenOf(server.ApproveScope))
	other.before(deafening)
	for _, tab := range []*page{p, other} {
		tab.inbox(r, q, late)
	}
	other.press(r, "decline")
	p.holds("the other's decision", p.state(r, "responding"), "Responding: refused by the approve")
	p.press(q, "cancel")
	other.holds("a dismissal", other.state(q, "responding"), "dismissed by a reviewer")
	p.resolves(r, `{"status":"delivered"}`)
	for _, tab := range []*page{p, other} {
		tab.holds("arrived", tab.state(r, "resolved"), "Refused by the approve.")
	}
	// One who hasn't heard of it yet presses all the same.
	other.run(`window.deaf = true`)
	p.press(late, "accept")
	p.state(late, "responding")
	if got := get[string](other, fmt.Sprintf(`document.querySelector("#request-%s").dataset.state`, late.ID)); got != "pending" {
		t.Fatalf("it has heard: %s", got)
	}
	other.expect("status of 409")
	other.press(late, "decline")
	other.holds("too late", other.state(late, "responding"), "Not taken: the request is responding: a reviewer answered it, and the answer is on its way.", "Responding: allowed by a reviewer")
	if now := p.now(late); now.Decision != "accept" || now.DecidedBy != "a reviewer" {
		t.Errorf("%+v", now)
	}
}

// deafening lets a test keep a tab from hearing what happens to requests, while
// the connection holds.
const deafening = `const add = EventSource.prototype.addEventListener;
EventSource.prototype.addEventListener = function (type, listener) {
	return add.call(this, type, (e) => { if (!window.deaf || !/approval|input/.test(type)) listener(e); });
};`

// While the connection is gone the page says so, dates what it shows, and sends
// nothing; when it is back, everything that was missed is there.
func TestReconnecting(t *testing.T) {
	p := open(t)
	p.expect("Failed to load resource")
	p.session("s1", "opencode", "approval-required")
	settled, kept := p.bash("s1", "ls"), p.bash("s1", "pwd")
	p.inbox(settled, kept)
	for n, shut := range []int{1, 503} { // cut off, then refused
		p.gate.set(shut)
		p.listening.CloseClientConnections()
		p.until(`document.querySelector("#live").textContent === "reconnecting"`)
		p.holds("the inbox", get[string](p, `document.querySelector("#following").textContent`), "Reconnecting: what you see is of ", "may be out of date")
		p.holds("a request", p.says(kept), "Last heard of at ", "this may be out of date")
		if got := get[string](p, fmt.Sprintf(`document.querySelector("#accept-%s").ariaDisabled`, kept.ID)); got != "true" {
			t.Error("a button is offered on what may be out of date")
		}
		p.run(fmt.Sprintf(`document.querySelector("#accept-%s").click()`, kept.ID))
		p.until(`document.querySelector("#said").textContent === "Nothing is sent while what you see may be out of date."`)
		if now := p.now(kept); now.State != "pending" {
			t.Fatalf("it is sent: %+v", now)
		}
		if n == 0 {
			p.call("POST", "/v1/requests/"+settled.ID+"/decision", `{"decision":"decline"}`)
			p.resolves(settled, `{"status":"delivered"}`)
		}
		missed := p.bash("s1", fmt.Sprint("echo missed ", n))
		p.gate.set(0)
		p.until(`document.querySelector("#live").textContent === "live"`)
		p.shows(missed)
		p.holds("what was missed", p.state(settled, "resolved"), "Refused by a reviewer.")
		if got := get[string](p, `document.querySelector("#following").textContent`); got != "Live: what you see is current." {
			t.Errorf("it says %q", got)
		}
		if got := p.says(kept); got != "" {
			t.Errorf("of what still waits it says %q", got)
		}
	}
	p.press(kept, "accept")
	p.state(kept, "responding")
}

// What was pruned while the page didn't look is told by the service, and the page
// loads its lists anew.
func TestTheLogHasAGap(t *testing.T) {
	p := open(t)
	p.expect("Failed to load resource")
	p.session("s1", "opencode", "approval-required")
	p.session("s2", "opencode", "approval-required")
	gone, kept := p.bash("s2", "ls"), p.bash("s1", "pwd")
	p.inbox(gone, kept)
	p.gate.set(1)
	p.listening.CloseClientConnections()
	p.until(`document.querySelector("#live").textContent === "reconnecting"`)
	p.call("DELETE", "/v1/sessions/s2", "")
	if n, err := p.kept.Prune(t.Context(), time.Now().Add(time.Hour), -1); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	p.gate.set(0)
	p.holds("what is gone", p.state(gone, "cancelled"), "the service no longer keeps it")
	p.until(`document.querySelector("#live").textContent === "live"`)
	p.shows(kept)
	if n := get[int](p, `document.querySelectorAll(".request[data-state=pending]").length`); n != 1 {
		t.Errorf("%d wait", n)
	}
}

// A request that nobody answers in time says so.
func TestARequestExpires(t *testing.T) {
	var later atomic.Int64
	s, err := build(func(cfg *server.Config) {
		cfg.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	}, "builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	browser(t)
	p := tabOn(t, s)
	p.signIn(token)
	p.session("s1", "opencode", "approval-required")
	r, answered := p.bash("s1", "ls"), p.bash("s1", "pwd")
	p.inbox(r, answered)
	p.press(answered, "accept")
	p.state(answered, "responding")
	later.Store(int64(2 * time.Hour))
	p.call("GET", "/v1/requests", "")
	p.holds("not answered", p.state(r, "expired"), "Expired by the time limit: nobody answered within 1h0m0s.")
	p.holds("not delivered", p.state(answered, "expired"), "Expired, after allowed by a reviewer: no adapter said within 1m0s that the answer arrived")
	if title := get[string](p, "document.title"); title != "Inbox · modegate" {
		t.Errorf("the title is %q", title)
	}
}

// A connection that says nothing any more doesn't count as live.
func TestASilentConnection(t *testing.T) {
	p := openOut(t)
	p.before(`const RealDate = Date.now; window.later = 0; Date.now = () => RealDate.call(Date) + window.later;`)
	p.signIn(token)
	p.session("s1", "opencode", "approval-required")
	p.inbox()
	p.run(`window.later = 60000;
		new MutationObserver(() => { window.saw = (window.saw ?? "") + document.querySelector("#live").textContent + " " }).observe(document.querySelector("#live"), { childList: true })`)
	p.until(`window.saw === "reconnecting live "`) // it asks anew
}

// Somebody whose session has ended is told to sign in, and sees nothing more.
func TestTheSessionEnds(t *testing.T) {
	p := open(t)
	p.expect("Failed to load resource")
	p.session("s1", "opencode", "approval-required")
	p.inbox(p.bash("s1", "ls"))
	p.run(`fetch("/sign-out", { method: "POST" })`) // as another tab of this browser would
	p.listening.CloseClientConnections()
	p.heading("Sign in")
	if got := get[string](p, `document.querySelector("#live").textContent + document.title`); got != "Sign in · modegate" {
		t.Errorf("it still says %q", got)
	}
	p.do(chromedp.SendKeys(chromedp.CSS("#token"), token+"\r"))
	p.heading("Inbox")
	p.until(`document.querySelectorAll(".request").length === 1`)
}

// An approval that was asked under another policy can only be refused, and says
// so before anybody presses.
func TestThePolicyHasChanged(t *testing.T) {
	dir := folder(t, rulesPolicy)
	p := open(t, dir)
	p.session("s1", "opencode", "approval-required")
	r := p.bash("s1", "ls")
	p.inbox(r)
	before := get[string](p, fmt.Sprintf(`JSON.stringify(document.querySelector("#accept-%s").getBoundingClientRect())`, r.ID))
	put(t, dir, strings.Replace(rulesPolicy, "effect: deny, providers: [codex]}\n  - {id: no-rm", "effect: ask, providers: [codex]}\n  - {id: no-rm", 1))
	p.reload()
	fresh := p.bash("s1", "pwd")
	p.shows(fresh)
	p.holds("the old one", p.says(r), "The policy has changed since this was asked: it can only be refused")
	if got := get[string](p, fmt.Sprintf(`[...document.querySelectorAll("#request-%s .decision")].map((b) => b.ariaDisabled).join()`, r.ID)); got != "true,false,false" {
		t.Errorf("its buttons are %s", got)
	}
	if got := p.says(fresh); got != "" {
		t.Errorf("the new one says %q", got)
	}
	// The notice lies over the page's end: it moves no button.
	p.until(`document.querySelector("#notices").innerText.includes("Another policy is in force now.")`)
	if after := get[string](p, fmt.Sprintf(`JSON.stringify(document.querySelector("#accept-%s").getBoundingClientRect())`, r.ID)); after != before {
		t.Errorf("the button was at %s and is at %s", before, after)
	}
	p.press(r, "decline")
	p.state(r, "responding")
}

// before runs a script in the tab before the page's own.
func (p *page) before(script string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
		p.t.Fatal(err)
	}
}
