package web_test

import (
	"testing"
)

// views are the addresses at which the page is looked at.
var views = []struct{ name, hash, heading string }{
	{"matrix", "", "What happens when an agent wants to run a command"},
	{"matrix-change", "#/?action=file-change", "What happens when an agent wants to change a file"},
	{"cell", "#/cell/codex/auto/plan?action=file-change", "Codex · Auto · Plan"},
	{"cell-list", "#/cell/opencode/approval-required/default", "OpenCode 1.x · Supervised · Default"},
	{"playground", "#/try", "Playground"},
	{"verdicts", "#/try?kind=command&command=git+push+--force&mode=auto&workspace=%2Fwork%2Fapp", "Playground"},
	{"policy", "#/policy?file=t3code.yaml&line=30", "Policy t3code"},
}

// Every view, in light and dark, on a desk and on a phone: nothing is cut off or
// needs to be scrolled sideways.
func TestEveryViewFits(t *testing.T) {
	p := open(t)
	for _, screen := range []struct {
		name          string
		width, height int64
		scheme        string
	}{
		{"light", 1440, 900, "light"}, {"dark", 1440, 900, "dark"}, {"tablet", 800, 1000, "light"}, {"phone", 360, 740, "light"}, {"phone-dark", 360, 740, "dark"},
	} {
		p.screen(screen.width, screen.height, screen.scheme)
		for _, v := range views {
			p.visit(v.hash, v.heading)
			if v.name == "verdicts" {
				p.until(`document.querySelectorAll(".card").length === 6`)
			}
			if wide := get[float64](p, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
				t.Errorf("%s, %s: the page is %v pixels too wide: %s", screen.name, v.name, wide, get[string](p, widest))
			}
			p.picture(screen.name + "-" + v.name)
		}
	}
}

// widest names what sticks out.
const widest = `[...document.querySelectorAll("main *, header *")].filter((e) => e.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5 && !e.closest(".chips"))
	.map((e) => e.tagName + "." + e.className + " " + e.textContent.slice(0, 40)).slice(0, 3).join(" | ")`
