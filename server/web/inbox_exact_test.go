package web_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What a provider, an agent or an MCP server writes is only ever text: in a
// title, a resource, a label, an option, a reason, a plan in Markdown, the raw
// request, and the history.
func TestNothingThatIsAskedBecomesMarkup(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	p.session("s2", "claude", "approval-required")
	quoted, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	r := p.bash("s1", hostile, hostile)
	q := p.opens("s1", strings.ReplaceAll(`{"id":"que_x","sessionID":"ses_s1","questions":[
		{"question":HOSTILE,"header":"<b>H</b>","multiple":true,"options":[{"label":HOSTILE,"description":HOSTILE}]}]}`, "HOSTILE", string(quoted)))
	plan := strings.ReplaceAll(`{"type":"control_request","request_id":"plan","request":{"subtype":"can_use_tool","tool_name":"ExitPlanMode","input":{"plan":PLAN},"tool_use_id":"t"}}`,
		"PLAN", `"# Plan\n\n`+strings.Trim(string(quoted), `"`)+`\n[a link](javascript:alert(3)) ![x](https://evil.test/x.png)"`)
	p.call("POST", "/v1/sessions/s2/requests", plan)
	failed := p.bash("s1", "ls")
	p.inbox(r, q, failed)
	p.run(fmt.Sprintf(`document.querySelector("#raw-%s").open = true`, r.ID))
	p.until(`document.querySelector(".raw pre")`)
	p.press(failed, "accept")
	p.state(failed, "responding")
	p.resolves(failed, fmt.Sprintf(`{"status":"failed","reason":%s}`, quoted))
	p.holds("the reason", p.state(failed, "failed"), hostile)
	p.clean("the inbox")
	for name, want := range map[string]string{
		"#title-" + r.ID: "bash: " + hostile, "#acceptForSession-" + r.ID + " .label": "allow " + hostile + " this session", "#request-" + r.ID + " pre": hostile,
		"#request-" + q.ID + " legend": "<b>H</b> " + hostile, "#request-" + q.ID + " .choice .exact": hostile,
	} {
		if got := get[string](p, fmt.Sprintf("document.querySelector(%q).textContent", name)); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	p.turn("#/sessions/s1", "Session s1")
	p.until(`document.querySelector("#history").innerText.includes("onerror")`)
	p.run(`document.querySelectorAll("#history details").forEach((d) => { d.open = true })`)
	p.until(`document.querySelectorAll("#history details pre").length > 4`)
	p.clean("the history")
	p.turn("#/sessions/s2", "Session s2")
	p.until(`document.querySelector("#history pre")?.textContent.includes("![x](https://evil.test/x.png)")`)
	p.clean("the plan")
}

// clean checks that nothing was made of markup, and that no handler ran.
func (p *page) clean(about string) {
	p.t.Helper()
	if n := get[int](p, `document.querySelectorAll("main img, main script, main iframe, main a[href^=javascript], main a[href^=http], main [onerror]").length`); n > 0 {
		p.t.Errorf("%s has %d elements of markup", about, n)
	}
}

// A command can't be disguised: whatever can't be seen, turns the reading
// direction round or passes for another letter is marked, in its place; and every
// character stands where it comes.
func TestNothingIsDisguised(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	var list []asked
	cases := []struct {
		about, command, shown string
		marked                int // beside ends of lines and tabs
	}{
		{"nothing odd", `git commit -m "größer, 日本語, naïve, 👍"`, `git commit -m "größer, 日本語, naïve, 👍"`, 0},
		{"a right-to-left override", "echo \u202egnp.exe", "echo ⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩gnp.exe", 1},
		{"isolates and marks", "a\u2066b\u2069\u200fc\u061cd", "a⟨U+2066 LEFT-TO-RIGHT ISOLATE⟩b⟨U+2069 POP DIRECTIONAL ISOLATE⟩⟨U+200F RIGHT-TO-LEFT MARK⟩c⟨U+061C ARABIC LETTER MARK⟩d", 4},
		{"controls", "ls\u0000\u0008\u001b[2K\r\u007f\u0085", "ls⟨U+0000 NUL⟩⟨U+0008 BACKSPACE⟩⟨U+001B ESCAPE⟩[2K⟨U+000D CARRIAGE RETURN⟩⟨U+007F DELETE⟩⟨U+0085⟩", 6},
		{"lines, tabs and blanks at their ends", "ls  \n\trm -rf x ", "ls··⏎\n⇥\trm -rf x·", 2},
		{"other separators", "a\u2028b\u2029c\u00a0d\u3000e", "a⟨U+2028 LINE SEPARATOR⟩b⟨U+2029 PARAGRAPH SEPARATOR⟩c⟨U+00A0 NO-BREAK SPACE⟩d⟨U+3000⟩e", 4},
		{"zero width", "r\u200bm\u2060 \ufeffx\u00ad\u200d", "r⟨U+200B ZERO WIDTH SPACE⟩m⟨U+2060⟩ ⟨U+FEFF ZERO WIDTH NO-BREAK SPACE⟩x⟨U+00AD SOFT HYPHEN⟩⟨U+200D ZERO WIDTH JOINER⟩", 5},
		{"fillers, selectors and tags", "a\u3164b\ufe0fc\U000e0041d\u115fe\u180ef", "a⟨U+3164⟩b⟨U+FE0F⟩c⟨U+E0041⟩d⟨U+115F⟩e⟨U+180E⟩f", 5},
		{"private and unassigned", "a\ue000b\U0010fffdc\u0378d", "a⟨U+E000⟩b⟨U+10FFFD⟩c⟨U+0378⟩d", 3},
		{"marks that strike out", "rm -rf /\u0336\u0336 x\u20dd e\u0301\u0301", "rm -rf /⟨U+0336⟩⟨U+0336⟩ x⟨U+20DD⟩ e\u0301⟨U+0301⟩", 4},
		{"letters that pass for others", "curl https://gіthub.com/раypal привет", "curl https://gіthub.com/раypal привет", 3},
		{"letters that run from right to left", "rm -rf א/b", "rm -rf א/b", 0},
	}
	for _, c := range cases {
		list = append(list, p.bash("s1", c.command))
	}
	p.inbox(list...)
	for i, c := range cases {
		for name, prefix := range map[string]string{"title-": "bash: ", "request-": ""} {
			at := "#" + name + list[i].ID
			if name == "request-" {
				at += " pre"
			}
			if got := get[string](p, fmt.Sprintf("document.querySelector(%q).textContent", at)); got != prefix+c.shown {
				t.Errorf("%s: %s shows %q, want %q", c.about, at, got, prefix+c.shown)
			}
			if n := get[int](p, fmt.Sprintf(`document.querySelectorAll("%s .odd:not(.end)").length`, at)); n != c.marked {
				t.Errorf("%s: %s has %d marks, want %d", c.about, at, n, c.marked)
			}
		}
		note := get[string](p, fmt.Sprintf(`document.querySelector("#request-%s .odd-note")?.textContent ?? ""`, list[i].ID))
		if want := c.marked > 0; strings.Contains(note, "marked") != want {
			t.Errorf("%s: it says %q", c.about, note)
		}
	}
	// The Hebrew letter stands after the blank and before the slash, as it comes.
	last := list[len(list)-1].ID
	if got := get[bool](p, fmt.Sprintf(`(() => {
		const text = document.querySelector("#request-%s pre").firstChild, range = document.createRange();
		const left = [...text.data].map((_, i) => { range.setStart(text, i); range.setEnd(text, i + 1); return range.getBoundingClientRect().left; });
		return left.every((x, i) => i === 0 || x > left[i - 1]);
	})()`, last)); !got {
		t.Error("characters don't stand in the order in which they come")
	}
	p.picture("disguises")
}

// A long command scrolls, in a box that the keyboard reaches, and says how long
// it is; all of it is there.
func TestNothingIsCut(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	lines := strings.Repeat("echo harmless\n", 300) + "rm -rf /"
	wide := "echo " + strings.Repeat(" ", 4000) + "&& rm -rf /"
	r, w := p.bash("s1", lines, lines), p.bash("s1", wide)
	p.inbox(r, w)
	for one, scrolls := range map[asked]bool{r: true, w: false} { // blanks hang at the end of their line
		for _, at := range []string{"#title-", "#request-"} {
			at += one.ID
			if strings.HasPrefix(at, "#request-") {
				at += " pre"
			}
			if got := get[string](p, fmt.Sprintf(`(() => { const e = document.querySelector(%q), s = getComputedStyle(e);
				return [e.textContent.endsWith("rm -rf /"), e.scrollHeight > e.clientHeight, e.scrollWidth <= e.clientWidth, s.overflowY, s.textOverflow].join() })()`, at)); got != fmt.Sprintf("true,%v,true,auto,clip", scrolls) {
				t.Errorf("%s: %s", at, got)
			}
		}
	}
	if !get[bool](p, fmt.Sprintf(`(() => { const e = document.querySelector("#request-%s pre"), box = e.getBoundingClientRect(), range = document.createRange();
		range.setStart(e.lastChild, e.lastChild.length - 1); range.setEnd(e.lastChild, e.lastChild.length);
		const end = range.getBoundingClientRect(); return end.right <= box.right && end.bottom <= box.bottom })()`, w.ID)) {
		t.Error("the end of a wide command is out of sight")
	}
	p.holds("its length", get[string](p, fmt.Sprintf(`document.querySelector("#request-%s .what .odd-note").textContent`, r.ID)), "301 lines, 4,208 characters: scroll to see all")
	if got := get[string](p, fmt.Sprintf(`(() => { const b = document.querySelector("#acceptForSession-%s .label"); return [b.textContent.includes("rm -rf /"), getComputedStyle(b).overflowY].join() })()`, r.ID)); got != "true,auto" {
		t.Errorf("the button's label: %s", got)
	}
	for about, at := range map[string]string{"the title": "#title-" + r.ID, "what is kept": "#request-" + r.ID + " li + li pre, #request-" + r.ID + " .what ul:nth-of-type(2) pre"} {
		if got := get[string](p, fmt.Sprintf(`(() => { const e = document.querySelector(%q); return [e?.tabIndex, e?.nextElementSibling?.textContent.includes("scroll to see all")].join() })()`, at)); got != "0,true" {
			t.Errorf("%s: %s", about, got)
		}
	}
	p.run(fmt.Sprintf(`document.querySelector("#request-%s pre").focus()`, r.ID))
	if got := get[string](p, `document.activeElement.tagName + document.activeElement.getAttribute("aria-label")`); got != "PREresource 1" {
		t.Errorf("the keyboard reaches %s", got)
	}
}

// The request as the provider sent it is one click away, byte for byte, and its
// digest is computed here.
func TestTheNativeRequestIsOneClickAway(t *testing.T) {
	p := open(t)
	p.session("s1", "opencode", "approval-required")
	const native = `{"sessionID": "ses_s1",  "id":"per_raw","permission":"skill","patterns":["fix-\u0072eview"],"always":[],"metadata":{"n":1.50}}`
	r := p.opens("s1", native)
	p.inbox(r)
	p.run(fmt.Sprintf(`document.querySelector("#raw-%s summary").click()`, r.ID))
	p.until(`document.querySelector(".raw").innerText.includes("and agrees.")`)
	if got := get[string](p, `document.querySelector(".raw pre").textContent`); got != native {
		t.Errorf("it shows %q", got)
	}
	p.holds("a kind that isn't known", get[string](p, fmt.Sprintf(`document.querySelector("#request-%s").innerText.replace(/\s+/g, " ")`, r.ID)), "kind something else", "skill: fix-review")
}
