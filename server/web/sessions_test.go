package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// rows are those of the list of sessions, as they are read.
const rows = `[...document.querySelectorAll("#sessions tbody tr")].map((r) => [...r.cells].slice(0, 6).map((c) => c.textContent.trim()).join(" | ")).join("\n")`

// The sessions are listed with their mode, their state, what waits and what to
// beware of, as it changes; those that were unloaded are listed apart.
func TestSessions(t *testing.T) {
	p := open(t)
	p.visit("#/sessions", "Sessions")
	p.until(`document.querySelector("#sessions").textContent === "No session is loaded."`)
	p.session("s1", "opencode2", "approval-required")
	p.session("s2", "codex", "auto")
	p.call("PATCH", "/v1/sessions/s2", `{"interaction":"plan"}`)
	p.session("s3", "opencode", "full-access")
	p.opens("s1", `{"id":"evt_1","type":"permission.asked","data":{"id":"per_1","sessionID":"ses_1","action":"shell","resources":["ls"],"save":[]}}`)
	want := "s1 | OpenCode 2 | Supervised | a turn runs | 1 | none\ns2 | Codex | Auto, plan | a turn runs | 0 | instruction only; nobody enforces; 3 wider gaps\ns3 | OpenCode 1.x | Full access | a turn runs | 0 | asks nobody"
	p.until(rows + ".split('\\n').length === 3 && " + rows + ".includes('| 1 |')")
	if got := get[string](p, rows); got != want {
		t.Errorf("the sessions are\n%s\nwant\n%s", got, want)
	}
	// The focus stays while the list changes.
	p.run(`document.querySelector("#session-s2").focus()`)
	p.call("PATCH", "/v1/sessions/s1", `{"mode":"auto"}`)
	p.until(rows + `.includes("s1 | OpenCode 2 | Auto |")`)
	if got := get[string](p, "document.activeElement.id"); got != "session-s2" {
		t.Errorf("the focus went to %q", got)
	}
	p.do(chromedp.SetValue(chromedp.CSS("#filter-provider"), "codex"))
	p.run(`document.querySelector("#filter-provider").dispatchEvent(new Event("change"))`)
	p.until(rows + `.startsWith("s2") && document.querySelectorAll("#sessions tbody tr").length === 1`)
	p.call("DELETE", "/v1/sessions/s2", "")
	p.until(`document.querySelector("#sessions").textContent === "No session is loaded."`)
	p.turn("#/sessions?state=unloaded", "Sessions")
	p.until(rows + `.startsWith("s2 | Codex | Auto, plan | unloaded | 0")`)
	p.do(chromedp.Click(chromedp.CSS("#session-s2")))
	p.heading("Session s2")
	p.holds("its facts", get[string](p, `document.querySelector("#facts").innerText.replace(/\s+/g, " ")`), "state unloaded", "mode Auto · Plan")
	p.until(`[...document.querySelectorAll("#history li strong")].at(-1).textContent === "Unloaded"`)
}

// One session has its warnings, its history as it happens, and, for who may, a
// change of its mode.
func TestASession(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	r := p.bash("s1", "ls", "ls *")
	p.visit("#/sessions/s1", "Session s1")
	p.holds("its facts", get[string](p, `document.querySelector("#facts").innerText.replace(/\s+/g, " ")`), "state a turn runs", "mode Supervised · Default", "workspace /work/app", "starts the live session anew")
	p.until(`document.querySelector("#warnings")`)
	p.holds("its warnings", get[string](p, `document.querySelector("#warnings").innerText`), "command, ask becomes allow")
	const last = `[...document.querySelectorAll("#history li")].at(-1)`
	p.until(last + `.innerText.includes("Approval asked for")`)
	p.until(`document.querySelector("#live").textContent === "live"`)
	p.call("POST", "/v1/requests/"+r.ID+"/decision", `{"decision":"accept"}`)
	p.until(last + `.innerText.includes("Answered, on its way")`)
	p.resolves(r, `{"status":"delivered"}`)
	p.until(last + `.innerText.includes("Over: resolved") && ` + last + `.innerText.includes("Allowed by a reviewer.")`)
	p.run(last + `.querySelector("summary").click()`)
	p.until(last + `.querySelector("pre")?.textContent.includes('"type": "approval.resolved"')`)
	if got := get[bool](p, `(() => { const seqs = [...document.querySelectorAll("#history li")].map((l) => Number(l.dataset.seq)); return seqs.every((s, i) => i === 0 || s > seqs[i - 1]) })()`); !got {
		t.Error("the history isn't in order, or has something twice")
	}

	p.do(chromedp.SetValue(chromedp.CSS("#set-mode"), "full-access"), chromedp.Click(chromedp.CSS("#set")))
	p.until(`document.querySelector("#mode").innerText.includes("The mode is set. The live session is started anew.")`)
	p.until(`document.querySelector("#facts").innerText.includes("Full access") && document.querySelector("#warnings").innerText.includes("Nothing is asked")`)
	p.until(`document.querySelector("#history").innerText.includes("Mode set: Full access, default · a reviewer")`)
	if now := string(p.call("GET", "/v1/sessions/s1", "")); !strings.Contains(now, `"mode":"full-access"`) {
		t.Error(now)
	}
	// A child that would be held less than its parent is refused, in words.
	p.call("PUT", "/v1/sessions/p", `{"provider":"opencode","mode":"approval-required","workspace":"/work/app"}`)
	p.call("PUT", "/v1/sessions/c", `{"provider":"opencode","mode":"approval-required","workspace":"/work/app","parent":"p"}`)
	p.expect("status of 422")
	p.turn("#/sessions/c", "Session c")
	p.do(chromedp.SetValue(chromedp.CSS("#set-mode"), "auto"), chromedp.Click(chromedp.CSS("#set")))
	p.until(`document.querySelector("#mode").innerText.includes("a child is never held less than its parent")`)
	p.expect("status of 404")
	p.turn("#/sessions/none", "This can't be shown")
}

// A long history comes in parts.
func TestALongHistory(t *testing.T) {
	p := open(t)
	p.session("long", "opencode", "approval-required")
	for range 510 {
		p.call("POST", "/v1/sessions/long/turns", "")
	}
	p.visit("#/sessions/long", "Session long")
	p.until(`document.querySelectorAll("#history li").length === 1000`)
	p.do(chromedp.Click(chromedp.CSS("#more")))
	p.until(`document.querySelectorAll("#history li").length === 1023 && !document.querySelector("#more")`)
	p.call("POST", "/v1/sessions/long/turns", fmt.Sprintf(`{"turn":%q}`, "last"))
	p.until(`document.querySelectorAll("#history li").length === 1025`)
}
