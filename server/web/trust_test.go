package web_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// folder is a folder of policies with this one in it.
func folder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, text)
	return dir
}

func put(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// expect lets the browser complain of what a test provokes.
func (p *page) expect(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, text)
}

// reload has the service load its files anew.
func (p *page) reload() {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.origin+"/v1/policies/reload", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	answer.Body.Close()
}

// Whoever hasn't signed in is told how, and a wrong token is told apart.
func TestSignIn(t *testing.T) {
	p := openOut(t)
	p.expect("status of 401")
	p.visit("#/?action=file-change", "Sign in")
	if got := get[string](p, `document.querySelector("main").innerText`); !strings.Contains(got, "modegate serve") || !strings.Contains(got, "admin-token") {
		t.Errorf("it says %q", got)
	}
	p.picture("sign-in")
	p.do(chromedp.SendKeys(chromedp.CSS("#token"), "wrong\r"))
	p.until(`document.querySelector(".notice")?.innerText.startsWith("Unauthorized")`)
	p.do(chromedp.SetValue(chromedp.CSS("#token"), token), chromedp.Click(chromedp.CSS(".sign-in button")))
	p.heading(change) // the address is kept
	p.until(`document.querySelector("#status").innerText.includes("a reviewer")`)
	p.run(`document.querySelector("#status button").click()`)
	p.heading("Sign in")
	if get[bool](p, `document.querySelector("#status").innerText.includes("a reviewer")`) {
		t.Error("the header still shows who had signed in")
	}
}

const hostile = `<img src=x onerror=alert(1)><script>alert(2)</script>`

// What a policy or a link holds is only ever text, and the browser would refuse
// markup and scripts even if the page made any.
func TestTextNeverBecomesMarkup(t *testing.T) {
	p := open(t, folder(t, `apiVersion: modegate/v1
name: acme
extends: builtin/t3code
modes:
  auto: {label: "`+hostile+`"}
acknowledge:
  - {gap: codex.command.x, reason: "`+hostile+`"}
`))
	p.heading(command)
	if got := get[string](p, `document.querySelectorAll("table.matrix thead th")[3].textContent`); !strings.HasPrefix(got, hostile) {
		t.Errorf("the label is %q", got)
	}
	for _, hash := range []string{"#/policy?file=policy.yaml&line=5", "#/cell/codex/auto/default", "#/try?kind=command&mode=auto&command=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"} {
		p.run(fmt.Sprintf("location.hash = %q", hash))
		p.until(`document.querySelector("main h1") && !document.querySelector(".loading") && location.hash === ` + fmt.Sprintf("%q", hash))
		if n := get[int](p, `document.querySelectorAll("main img, main script").length`); n > 0 {
			t.Errorf("%s: %d elements of markup", hash, n)
		}
	}
	p.expect("Trusted")
	p.expect("Content Security Policy")
	for _, statement := range []string{
		`document.body.innerHTML = "<b>x</b>"`, `document.write("x")`, `document.createElement("script").src = "/assets/main.js"`,
	} {
		if get[bool](p, "(() => { try { "+statement+"; return true } catch { return false } })()") {
			t.Errorf("the browser takes %s", statement)
		}
	}
	p.run(`const s = document.createElement("script"); s.append("window.ran = true"); document.head.append(s)`)
	if get[bool](p, `window.ran === true`) {
		t.Error("a script without a nonce runs")
	}
	p.run(`const s = document.createElement("style"); s.textContent = "main { display: none }"; document.head.append(s)`)
	if get[string](p, `getComputedStyle(document.querySelector("main")).display`) == "none" {
		t.Error("a style without a nonce is used")
	}
}

// The page says when its policy is no longer the one in force, and when the
// files on disk are broken; it never mixes two policies in silence.
func TestPolicyChangesUnderThePage(t *testing.T) {
	dir := folder(t, rulesPolicy)
	p := open(t, dir)
	p.heading(command)
	p.until(`document.querySelector("#status").innerText.includes("acme")`)
	put(t, dir, strings.Replace(rulesPolicy, "name: acme", "name: newer", 1))
	p.reload()
	p.turn("#/cell/codex/auto/default", "Codex · Auto · Default")
	p.until(`document.querySelector("#notices").innerText.includes("Another policy is in force now.")`)
	p.run(`document.querySelector("#notices button").click()`)
	p.until(`document.querySelector("#status").innerText.includes("newer") && document.querySelector("#notices").innerText === ""`)

	put(t, dir, "name: [broken")
	p.reload()
	p.visit("#/", command)
	p.until(`document.querySelector("#notices").innerText.includes("the last good policy")`)
	if got := get[string](p, `document.querySelector("#notices").innerText + document.querySelector("#status").innerText`); !strings.Contains(got, "policy.yaml:1") || !strings.Contains(got, "degraded") {
		t.Errorf("it says %q", got)
	}
	p.picture("degraded")
}

// A service that is gone is an error that says so.
func TestServiceIsGone(t *testing.T) {
	p := open(t)
	p.heading(command)
	p.expect("net::ERR")
	p.expect("Failed to fetch")
	p.gone()
	p.turn("#/cell/codex/auto/default", "This can't be shown")
	if got := get[string](p, `document.querySelector("main .notice").innerText`); !strings.Contains(got, "can't be reached") {
		t.Errorf("it says %q", got)
	}
}
