package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	command = "What happens when an agent wants to run a command"
	change  = "What happens when an agent wants to change a file"
)

// square is the words of one square of the matrix.
func (p *page) square(cell string) string {
	p.t.Helper()
	return get[string](p, fmt.Sprintf(`document.getElementById(%q)?.innerText.replace(/\s+/g, " ").trim() ?? "no such square"`, squareID(cell)))
}

func squareID(cell string) string { return "square-" + strings.ReplaceAll(cell, "/", "-") }

func TestMatrix(t *testing.T) {
	p := open(t)
	p.heading(command)
	if n := get[int](p, `document.querySelectorAll("a.square").length`); n != 48 {
		t.Fatalf("%d squares", n)
	}
	for _, c := range []struct{ cell, says string }{
		{"codex/approval-required/default", "ask mode enforces"},
		{"codex/auto/default", "allow in a sandbox sandbox enforces ▲ policy: review"},
		{"codex/auto/plan", "allow in a sandbox instruction only ▲ policy: review"},
		{"claude/auto/default", "review mode enforces ▲ not in all cases"},
		{"claude/full-access/plan", "allow adapter enforces"},
		{"cursor/approval-required/default", "allow nobody enforces ▲ policy: ask"},
		{"grok/auto/default", "ask adapter enforces ▽ policy: review"},
		{"opencode2/auto/default", "ask rule enforces ▽ policy: review"},
		{"opencode/full-access/default", "allow rule enforces"},
	} {
		if got := p.square(c.cell); got != c.says {
			t.Errorf("%s: %q, want %q", c.cell, got, c.says)
		}
	}
	text := get[string](p, `document.querySelector("main").innerText`)
	for _, sentence := range []string{
		"Auto: Cursor allows; Codex allows in a sandbox; Claude Code has its reviewer decide; Grok, OpenCode 1.x and OpenCode 2 ask.",
		"Full access: all 6 providers do the same: allow.",
		"Grok: Supervised, Auto-accept edits and Auto act alike; plan makes no difference.",
		"Codex: in plan, only an instruction to the model holds some actions back",
	} {
		if !strings.Contains(text, sentence) {
			t.Errorf("the page doesn't say %q", sentence)
		}
	}
	// Another action: the squares and the address follow, and the history doesn't grow.
	before := get[int](p, "history.length")
	p.do(chromedp.Click(chromedp.CSS(`label:has(#action-file-change)`)))
	p.heading(change)
	if got := p.square("opencode2/auto/plan"); got != "deny rule enforces tool not offered" {
		t.Errorf("OpenCode 2 in plan: %q", got)
	}
	if got := p.square("grok/full-access/plan"); got != "allow adapter enforces ▲ policy: deny" {
		t.Errorf("Grok in plan: %q", got)
	}
	if hash, after := get[string](p, "location.hash"), get[int](p, "history.length"); hash != "#/?action=file-change" || after != before {
		t.Errorf("the address is %s, the history went from %d to %d", hash, before, after)
	}
	if got := get[string](p, "document.activeElement.id"); got != "action-file-change" {
		t.Errorf("the focus went to %q", got)
	}
}

// The whole state is in the address: it comes back in a new tab, and with the
// back button.
func TestStateIsInTheAddress(t *testing.T) {
	p := open(t)
	p.heading(command)
	p.visit("#/?action=file-change", change)
	p.do(chromedp.Click(chromedp.CSS("#" + squareID("codex/auto/plan"))))
	p.heading("Codex · Auto · Plan")
	if got := get[string](p, "location.hash"); got != "#/cell/codex/auto/plan?action=file-change" {
		t.Errorf("the address is %s", got)
	}
	p.do(chromedp.Click(chromedp.CSS("#to-full-access")))
	p.heading("Codex · Full access · Plan")
	p.do(chromedp.NavigateBack())
	p.heading("Codex · Auto · Plan")
	p.do(chromedp.NavigateBack())
	p.heading(change)
	if got := get[string](p, "document.activeElement.id"); got != squareID("codex/auto/plan") {
		t.Errorf("coming back, the focus is on %q", got)
	}
	p.visit("#/cell/no/such/cell", "This can't be shown")
	p.visit("#/nowhere?action=nothing", command)
	p.visit("#/%E0%A4%A", command)
}

// Everything is done with the keyboard, and the focus can be seen.
func TestKeyboard(t *testing.T) {
	p := open(t)
	p.heading(command)
	focus := func() string { t.Helper(); return get[string](p, "document.activeElement.id") }
	press := func(keys ...string) {
		t.Helper()
		for _, k := range keys {
			p.do(chromedp.KeyEvent(k))
		}
	}
	p.run(`document.body.focus()`)
	press(kb.Tab)
	if focus() != "skip" {
		t.Errorf("first comes %q", focus())
	}
	var stops []string
	for range 12 {
		press(kb.Tab)
		stops = append(stops, focus())
	}
	// One stop for the actions, one for each table.
	for _, want := range []string{"action-command", squareID("codex/approval-required/default"), squareID("codex/approval-required/plan")} {
		if !slices.Contains(stops, want) {
			t.Errorf("the Tab key doesn't reach %s: %q", want, stops)
		}
	}
	p.run(fmt.Sprintf("document.getElementById(%q).focus()", squareID("codex/approval-required/default")))
	press(kb.ArrowRight, kb.ArrowRight, kb.ArrowDown)
	if focus() != squareID("claude/auto/default") {
		t.Errorf("the arrows lead to %q", focus())
	}
	if got := get[string](p, `getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement).outlineWidth`); got != "solid3px" {
		t.Errorf("the focus isn't shown: %s", got)
	}
	press(kb.End, kb.ArrowRight, kb.ArrowUp, kb.ArrowUp)
	if focus() != squareID("codex/full-access/default") {
		t.Errorf("at the corner: %q", focus())
	}
	press(kb.Enter)
	p.heading("Codex · Full access · Default")
	if got := get[string](p, "document.activeElement.tagName"); got != "H1" {
		t.Errorf("the focus of the new view is on %s", got)
	}
	// Radio buttons move with the arrows, and the focus survives the redrawing.
	p.turn("#/", command)
	p.run(`document.getElementById("action-command").focus()`)
	press(kb.ArrowRight, kb.ArrowRight)
	p.heading("What happens when an agent wants to read a file")
	if focus() != "action-file-read" {
		t.Errorf("the focus is on %q", focus())
	}
}

// What a screen reader is told of a square, and of the tables.
func TestNames(t *testing.T) {
	p := open(t)
	p.heading(command)
	label := get[string](p, fmt.Sprintf(`document.getElementById(%q).getAttribute("aria-label")`, squareID("codex/auto/plan")))
	if want := "Codex, Auto, Plan: allow in an OS sandbox that may write the workspace alone; instruction only; wider than the policy, which says review"; label != want {
		t.Errorf("%q, want %q", label, want)
	}
	for _, c := range []struct{ expression, want string }{
		{`[...document.querySelectorAll("table.matrix")].map((t) => t.getAttribute("aria-label")).join("|")`, "Default: run a command|Plan: run a command"},
		{`document.querySelectorAll("table.matrix [role=gridcell]").length`, "48"},
		{`document.querySelectorAll("table.matrix [role=rowheader]").length`, "12"},
		{`document.querySelector("#tabs [aria-current]").textContent`, "Matrix"},
		{`[...document.querySelectorAll("input, select, textarea")].filter((e) => !e.labels.length).length`, "0"},
		{`[...document.querySelectorAll("[id]")].filter((e, i, all) => all.some((o) => o !== e && o.id === e.id)).length`, "0"},
		{`document.documentElement.lang`, "en"},
	} {
		if got := get[string](p, "String("+c.expression+")"); got != c.want {
			t.Errorf("%s: %s, want %s", c.expression, got, c.want)
		}
	}
}
