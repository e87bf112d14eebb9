package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// hostilePolicy has texts that would run if the report didn't quote them.
const hostilePolicy = `apiVersion: modegate/v1
name: hostile
extends: builtin/t3code
rules:
  - {id: evil, kind: web-search, match: "<script>document.title='run'</script>|*", effect: deny}
  - {id: image, kind: web-fetch, match: "<img src=https://example.test/x.png onerror=document.title='run'>*", effect: ask}
acknowledge:
  - {gap: codex.web-search.evil, reason: "</style><script>document.title='run'</script>"}
  - {gap: claude.web-search.evil, reason: "<img src=x onerror=document.title='run'>"}
  - {gap: cursor.web-search.evil, reason: r}
  - {gap: grok.web-search.evil, reason: r}
  - {gap: codex.web-fetch.image, reason: r}
  - {gap: claude.web-fetch.image, reason: r}
  - {gap: cursor.web-fetch.image, reason: r}
  - {gap: grok.web-fetch.image, reason: r}
  - {gap: opencode.web-fetch.image, reason: r}
  - {gap: opencode2.web-fetch.image, reason: r}
`

// TestAuditInABrowser: the report of a hostile policy is text alone, in light and
// dark, on a desk and on a phone: nothing runs, nothing is loaded, its own style
// holds, and only tables are scrolled sideways. Whatever the browser complains of,
// and any request that leaves the page, fails the test.
func TestAuditInABrowser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hostile.yaml")
	if err := os.WriteFile(path, []byte(hostilePolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	p := open(t, path)
	p.heading(command)
	p.do(chromedp.Click(chromedp.CSS(`a[href="/v1/audit?format=html"]`)))
	p.until(`document.querySelector("h1")?.textContent === "Audit of the policy hostile"`)
	if title := get[string](p, "document.title"); title != "Audit of the policy hostile" {
		t.Errorf("something ran: the title is %q", title)
	}
	if text := get[string](p, "document.body.innerText"); !strings.Contains(text, "document.title='run'") {
		t.Error("the page doesn't show the policy's text: nothing was put to the test")
	}
	if n := get[int](p, `document.querySelectorAll("script, img, link, iframe, object, svg, form").length`); n != 0 {
		t.Errorf("%d elements that run or load", n)
	}
	for _, screen := range []struct {
		name          string
		width, height int64
		scheme, paper string
	}{
		{"light", 1440, 900, "light", "rgb(255, 255, 255)"}, {"dark", 1440, 900, "dark", "rgb(13, 17, 23)"}, {"phone", 360, 740, "light", "rgb(255, 255, 255)"},
	} {
		p.screen(screen.width, screen.height, screen.scheme)
		if got := get[string](p, "getComputedStyle(document.body).backgroundColor"); got != screen.paper {
			t.Errorf("%s: the paper is %s, want %s: the style doesn't hold", screen.name, got, screen.paper)
		}
		if wide := get[int](p, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
			t.Errorf("%s: the page is %d pixels too wide", screen.name, wide)
		}
	}
	if lost := get[string](p, `[...document.querySelectorAll("a[href]")].filter(a => !document.getElementById(decodeURIComponent(a.hash.slice(1)))).map(a => a.href).join(" ")`); lost != "" {
		t.Errorf("links to nothing: %s", lost)
	}
}
