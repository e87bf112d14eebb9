package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// places are where the buttons of these requests are.
func (p *page) places(list ...asked) string {
	p.t.Helper()
	var at []string
	for _, r := range list {
		at = append(at, get[string](p, fmt.Sprintf(`[...document.querySelectorAll("#request-%s .decision")].map((b) => { const r = b.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].join(",") }).join(" ")`, r.ID)))
	}
	return strings.Join(at, "\n")
}

// Whatever happens to any request, no button moves: not of what comes, of what is
// settled with however long a reason, of what is reported late, of a connection
// that goes and comes, and not of the page's own notices.
func TestNoButtonMoves(t *testing.T) {
	for _, width := range []int64{1440, 360} {
		p := open(t)
		p.expect("Failed to load resource")
		p.screen(width, 900, "light")
		p.session("s1", "opencode", "approval-required")
		p.session("s2", "opencode", "approval-required")
		above, q, mine, gone := p.bash("s1", "above"), p.opens("s1", questions("que_1", "s1")), p.bash("s1", "mine", "mine *"), p.bash("s2", "gone")
		p.inbox(above, q, mine, gone)
		where := p.places(above, q, mine, gone)
		for _, c := range []struct {
			about string
			do    func()
		}{
			{"one comes", func() { p.shows(p.bash("s1", strings.Repeat("a long command ", 60))) }},
			{"many come", func() {
				var last asked
				for n := range 12 {
					last = p.bash("s1", fmt.Sprint("echo ", n))
				}
				p.shows(last)
			}},
			{"one is answered elsewhere", func() {
				p.call("POST", "/v1/requests/"+above.ID+"/decision", `{"decision":"accept"}`)
				p.state(above, "responding")
			}},
			{"it fails, for a long reason", func() {
				p.resolves(above, fmt.Sprintf(`{"status":"failed","reason":%q}`, strings.Repeat("a long reason, ", 200)))
				p.state(above, "failed")
			}},
			{"a question is settled", func() { p.resolves(q, `{"status":"settled"}`); p.state(q, "resolved") }},
			{"a session's mode changes", func() {
				p.call("PATCH", "/v1/sessions/s1", `{"mode":"auto-accept-edits","interaction":"plan"}`)
				p.until(fmt.Sprintf(`document.querySelector("#request-%s header").textContent.includes("Auto-accept edits, plan")`, mine.ID))
			}},
			{"a session ends", func() {
				p.call("DELETE", "/v1/sessions/s2", "")
				p.state(gone, "cancelled")
				p.resolves(gone, fmt.Sprintf(`{"status":"failed","reason":%q}`, strings.Repeat("late, ", 300)))
				p.until(fmt.Sprintf(`document.querySelector("#outcome-%s").textContent.includes("Reported afterwards")`, gone.ID))
			}},
			{"the connection goes and comes", func() {
				p.gate.set(1)
				p.listening.CloseClientConnections()
				p.until(`document.querySelector("#live").textContent === "reconnecting"`)
				if now := p.places(above, q, mine, gone); now != where {
					t.Errorf("%d wide: while the connection is gone, the buttons are at\n%s\nthey were at\n%s", width, now, where)
				}
				p.gate.set(0)
				p.until(`document.querySelector("#live").textContent === "live"`)
			}},
			{"a decision is pressed", func() {
				p.shows(mine)
				p.run(fmt.Sprintf(`document.querySelector("#acceptForSession-%s").click()`, mine.ID)) // without scrolling there
				p.state(mine, "responding")
			}},
			{"the page has a notice", func() {
				p.run(`document.querySelector("#notices").append(Object.assign(document.createElement("p"), { textContent: "x ".repeat(500), className: "notice" }))`)
			}},
		} {
			c.do()
			if now := p.places(above, q, mine, gone); now != where {
				t.Errorf("%d wide: when %s, the buttons are at\n%s\nthey were at\n%s", width, c.about, now, where)
			}
		}
	}
}

// A press on what has only just appeared, or on a list that has just moved, isn't
// meant for what is there now: it does nothing, and says so.
func TestAPressOnWhatJustAppeared(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	first := p.bash("s1", "first")
	p.inbox(first)
	p.run(`new MutationObserver((seen) => seen.forEach((s) => s.addedNodes.forEach((n) => { n.querySelector(".decision").click(); window.pressed = true })))
		.observe(document.querySelector("#requests"), { childList: true })`)
	second := p.bash("s1", "second")
	p.until(`window.pressed`)
	p.until(fmt.Sprintf(`document.querySelector("#outcome-%s").textContent.includes("has only just moved or appeared")`, second.ID))
	p.run(`document.querySelector("#said").textContent = ""`)
	p.shows(second)
	if now := p.now(second); now.State != "pending" {
		t.Errorf("it is taken: %+v", now)
	}
	// Something above grows: what is under the pointer is another button.
	p.run(fmt.Sprintf(`const list = document.querySelector("#requests");
		new MutationObserver(() => { if (list.classList.contains("unsteady")) document.querySelector("#accept-%s").click() }).observe(list, { attributes: true });
		document.querySelector("#request-%s article").prepend(Object.assign(document.createElement("p"), { textContent: "grown" }))`, second.ID, first.ID))
	p.until(`document.querySelector("#said").textContent.includes("has only just moved")`)
	p.shows(second)
	if now := p.now(second); now.State != "pending" {
		t.Errorf("it is taken: %+v", now)
	}
	p.press(second, "decline")
	p.state(second, "responding")
}

// The keyboard does everything; the focus stays where it is, whatever comes, and
// a button that is settled under it does nothing any more.
func TestTheInboxByKeyboard(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	first, second := p.bash("s1", "first"), p.bash("s1", "second")
	p.inbox(first, second)
	focus := func() string { t.Helper(); return get[string](p, "document.activeElement.id") }
	p.run(`document.querySelector("main h1").focus()`)
	var stops []string
	for len(stops) < 40 && focus() != "decline-"+second.ID {
		p.do(chromedp.KeyEvent(kb.Tab))
		stops = append(stops, focus())
	}
	for _, want := range []string{"clear", "accept-" + first.ID, "decline-" + first.ID, "cancel-" + first.ID, "accept-" + second.ID, "decline-" + second.ID} {
		if !strings.Contains(strings.Join(stops, " ")+" ", want+" ") {
			t.Errorf("the Tab key doesn't reach %s: %q", want, stops)
		}
	}
	if got := get[string](p, `getComputedStyle(document.activeElement).outlineStyle`); got == "none" {
		t.Error("the focus isn't shown")
	}
	p.resolves(first, `{"status":"settled"}`)
	p.state(first, "resolved")
	p.shows(p.bash("s1", "third"))
	if got := focus(); got != "decline-"+second.ID {
		t.Errorf("the focus went to %q", got)
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	p.state(second, "responding")
	if now := p.now(second); now.Decision != "decline" {
		t.Errorf("%+v", now)
	}
	if got := focus(); got != "decline-"+second.ID {
		t.Errorf("after the press the focus is on %q", got)
	}
	// Settled elsewhere under the focus: it stays, and Enter does nothing.
	fourth := p.bash("s1", "fourth")
	p.shows(fourth)
	p.run(fmt.Sprintf(`document.querySelector("#accept-%s").focus()`, fourth.ID))
	p.call("POST", "/v1/requests/"+fourth.ID+"/decision", `{"decision":"decline"}`)
	p.state(fourth, "responding")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(`document.querySelector("#said").textContent.startsWith("It is settled: Responding: refused by a reviewer")`)
	if got, now := focus(), p.now(fourth); got != "accept-"+fourth.ID || now.Decision != "decline" {
		t.Errorf("the focus is on %q, the service has %+v", got, now)
	}
}

// What a screen reader is told: what each button is for, what comes, and what
// becomes of it.
func TestTheInboxIsSaid(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	p.inbox()
	r, q := p.bash("s1", "go test ./...", "go test *"), p.opens("s1", questions("que_1", "s1"))
	p.shows(r)
	p.shows(q)
	p.until(`document.querySelector("#said").textContent === "New request: Which database?"`)
	for _, c := range []struct{ expression, want string }{
		{fmt.Sprintf(`document.querySelector("#acceptForSession-%s").getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id).textContent).join("|")`, r.ID), "bash: go test ./...|"},
		{fmt.Sprintf(`document.getElementById(document.querySelector("#request-%s article").getAttribute("aria-labelledby")).textContent`, r.ID), "bash: go test ./..."},
		{`document.querySelector("#requests").getAttribute("aria-label")`, "Requests, the oldest first"},
		{`[...document.querySelectorAll("main input, main select, main textarea")].filter((e) => !e.labels.length && !e.ariaLabel).length`, "0"},
		{`[...document.querySelectorAll("[id]")].filter((e, i, all) => all.some((o) => o !== e && o.id === e.id)).length`, "0"},
		{`[...document.querySelectorAll("main fieldset")].filter((f) => !f.querySelector("legend").textContent).length`, "0"},
		{`document.querySelector("#live").getAttribute("role")`, "status"},
		{`[...document.querySelectorAll("main h1, main h2, main h3")].map((h) => h.tagName).join(" ")`, "H1 H2 H3 H2"},
	} {
		if got := get[string](p, "String("+c.expression+")"); got != c.want {
			t.Errorf("%s: %s, want %s", c.expression, got, c.want)
		}
	}
	p.press(r, "decline")
	p.until(`document.querySelector("#said").textContent.startsWith("bash: go test ./...: Responding: refused by a reviewer.")`)
	p.resolves(r, `{"status":"delivered"}`)
	p.until(`document.querySelector("#said").textContent === "bash: go test ./...: Refused by a reviewer."`)
}
