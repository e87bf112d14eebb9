package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// views are the addresses at which the page is looked at.
var views = []struct {
	name, hash, heading string
	cards               int
}{
	{"matrix", "#/", "What happens when an agent wants to run a command", 0},
	{"matrix-change", "#/?action=file-change", "What happens when an agent wants to change a file", 0},
	{"cell", "#/cell/codex/auto/plan?action=file-change", "Codex · Auto · Plan", 0},
	{"cell-list", "#/cell/opencode/approval-required/default", "OpenCode 1.x · Supervised · Default", 0},
	{"playground", "#/try", "Playground", 0},
	{"verdicts", "#/try?kind=command&command=git+push+--force&mode=auto&workspace=%2Fwork%2Fapp", "Playground", 6},
	{"pasted", "#/try?kind=file-change&path=a.ts&settings=native&provider=claude&mode=auto&native=" + url.QueryEscape(bypass), "Playground", 7},
	{"policy", "#/policy?file=t3code.yaml&line=30", "Policy t3code", 0},
	{"inbox", "#/inbox", "Inbox", 0},
	{"sessions", "#/sessions", "Sessions", 0},
	{"session", "#/sessions/a-session-with-a-long-name.of~its:own@somewhere", "Session a-session-with-a-long-name.of~its:own@somewhere", 0},
}

// busy is a service with something of everything.
func (p *page) busy() {
	const long = "a-session-with-a-long-name.of~its:own@somewhere"
	p.session(long, "opencode", "approval-required")
	p.session("s2", "claude", "full-access")
	p.bash(long, "go test ./...", "go test *")
	p.bash(long, strings.Repeat("averylongword", 40)+" \u202e "+strings.Repeat("words and words ", 40), strings.Repeat("a long pattern ", 30)+"*")
	p.opens(long, questions("que_1", long))
	failed := p.bash(long, "ls")
	p.call("POST", "/v1/requests/"+failed.ID+"/decision", `{"decision":"accept"}`)
	p.resolves(failed, `{"status":"failed","reason":"the provider has gone"}`)
	p.call("PATCH", "/v1/sessions/"+long, `{"interaction":"plan"}`)
}

// bypass is what an orchestrator sends Claude in full access.
const bypass = `{"permissionMode":"bypassPermissions","allowDangerouslySkipPermissions":true,"turnPermissionMode":"bypassPermissions","permissions":{"allow":[],"ask":[],"deny":[]},"callback":{"AskUserQuestion":"question","ExitPlanMode":"capture-plan-then-deny","default":"allow"}}`

// Every view, in light and dark, on a desk and on a phone: nothing is cut off or
// needs to be scrolled sideways.
func TestEveryViewFits(t *testing.T) {
	p := open(t)
	p.heading(views[0].heading)
	p.busy()
	for _, screen := range []struct {
		name          string
		width, height int64
		scheme        string
	}{
		{"light", 1440, 900, "light"}, {"dark", 1440, 900, "dark"}, {"desk", 1010, 800, "light"}, {"tablet", 850, 1000, "light"}, {"narrow", 650, 900, "dark"}, {"phone", 360, 740, "light"}, {"phone-dark", 360, 740, "dark"},
	} {
		p.screen(screen.width, screen.height, screen.scheme)
		for _, v := range views {
			p.turn(v.hash, v.heading)
			if v.cards > 0 {
				p.until(fmt.Sprintf(`document.querySelectorAll(".card").length === %d`, v.cards))
			}
			p.until(`document.querySelector("main").textContent.includes("[object") === false`)
			if wide := get[float64](p, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
				t.Errorf("%s, %s: the page is %v pixels too wide: %s", screen.name, v.name, wide, get[string](p, widest))
			}
			if out := get[int](p, stickingOut); out > 0 {
				t.Errorf("%s, %s: %d words stick out of their squares", screen.name, v.name, out)
			}
			p.picture(screen.name + "-" + v.name)
		}
	}
}

const stickingOut = `[...document.querySelectorAll(".square *, .card .effect")].filter((e) => e.getBoundingClientRect().right > e.closest(".square, .card").getBoundingClientRect().right).length`

// widest names what sticks out.
const widest = `[...document.querySelectorAll("main *, header *")].filter((e) => e.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5 && !e.closest(".chips"))
	.map((e) => e.tagName + "." + e.className + " " + e.textContent.slice(0, 40)).slice(0, 3).join(" | ")`
