package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// effects are the answers side by side.
const effects = `[...document.querySelectorAll(".card")].map((c) => c.dataset.provider + (c.classList.contains("pasted") ? " pasted" : "") + " " + c.querySelector(".effect").textContent).join(", ")`

func TestPlayground(t *testing.T) {
	p := open(t)
	p.visit("#/try", "Playground")
	p.do(
		chromedp.SendKeys(chromedp.CSS("#in-command"), "git push --force"),
		chromedp.SetValue(chromedp.CSS("#in-mode"), "auto"),
		chromedp.SendKeys(chromedp.CSS("#in-workspace"), "/work/app\r"),
	)
	p.until(`document.querySelectorAll(".card").length === 6`)
	want := "codex allowworkspace sandbox, claude review, cursor allow, grok ask, opencode ask, opencode2 ask"
	if got := get[string](p, effects); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := get[string](p, "location.hash"); got != "#/try?kind=command&command=git+push+--force&mode=auto&workspace=%2Fwork%2Fapp" {
		t.Errorf("the address is %s", got)
	}
	if got := get[string](p, `document.querySelector(".answers h2").textContent`); got != "Auto: 2 allow, 1 has it reviewed and 3 ask" {
		t.Errorf("the summary is %q", got)
	}
	card := get[string](p, `document.querySelector("[data-provider=opencode2]").innerText.replace(/\s+/g, " ")`)
	for _, part := range []string{"a person", "rule enforces", "session, rule 0", "t3code.yaml:30", "commands-review"} {
		if !strings.Contains(card, part) {
			t.Errorf("the card %q doesn't say %q", card, part)
		}
	}
	// The trace: what matched is shown, the rest is asked for.
	p.run(`[...document.querySelectorAll("[data-provider=opencode2] summary")].find((s) => s.textContent.startsWith("Trace")).click()`)
	const seen = `[...document.querySelectorAll("[data-provider=opencode2] .trace tbody tr")].filter((r) => r.offsetHeight > 0)`
	p.until(seen + ".length === 2")
	last := get[string](p, seen+`.at(-1).innerText.replace(/\s+/g, " ")`)
	for _, part := range []string{"git push --force", "session 0", "decides", "t3code.yaml:30"} {
		if !strings.Contains(last, part) {
			t.Errorf("the deciding step %q doesn't say %q", last, part)
		}
	}
	p.picture("trace")
	p.do(chromedp.Click(chromedp.CSS("[data-provider=opencode2] .choice input")))
	p.until(seen + ".length > 10")

	// The address alone brings the same answers back.
	p.visit(get[string](p, "location.hash"), "Playground")
	p.until(`document.querySelectorAll(".card").length === 6`)
	if got := get[string](p, effects); got != want {
		t.Errorf("from the address: %s", got)
	}
	if got := get[string](p, `document.querySelector("#in-command").value + document.querySelector("#in-mode").value`); got != "git push --forceauto" {
		t.Errorf("the form has %q", got)
	}
}

// Pasted settings stand beside what the policy's own do.
func TestPastedSettings(t *testing.T) {
	p := open(t)
	p.visit("#/try", "Playground")
	p.do(
		chromedp.SetValue(chromedp.CSS("#in-command"), "git push"),
		chromedp.Click(chromedp.CSS("#settings-native")),
		chromedp.SetValue(chromedp.CSS("#in-provider"), "opencode2"),
		chromedp.SetValue(chromedp.CSS("#in-native"), `[{"action":"shell","resource":"*","effect":"deny"}]`),
		chromedp.Click(chromedp.CSS("#evaluate")),
	)
	p.until(`document.querySelectorAll(".card").length === 7`)
	if got := get[string](p, effects); !strings.HasPrefix(got, "opencode2 pasted deny, codex ask, ") {
		t.Errorf("the answers are %s", got)
	}
	p.visit(get[string](p, "location.hash"), "Playground")
	p.until(`document.querySelectorAll(".card").length === 7`)
}

// A request in a provider's own form is judged for whom it is meant; the others
// say that they don't know it.
func TestNativeRequest(t *testing.T) {
	p := open(t)
	p.visit("#/try", "Playground")
	p.run(`const kind = document.querySelector("#in-kind"); kind.value = "json"; kind.dispatchEvent(new Event("change"))`)
	p.do(
		chromedp.SetValue(chromedp.CSS("#in-action"), `{"kind":"native","request":{"action":"shell","resources":["echo a"]}}`),
		chromedp.Click(chromedp.CSS("#evaluate")),
	)
	p.until(`document.querySelectorAll(".card").length === 6`)
	if got := get[string](p, `document.querySelector("[data-provider=opencode2] .effect").textContent`); got != "ask" {
		t.Errorf("OpenCode 2 says %q", got)
	}
	if n := get[int](p, `document.querySelectorAll(".card .notice").length`); n == 0 {
		t.Error("every provider knows the request")
	}
	p.expect("status of 400")
}

// What the service refuses is shown with its pointer, and the field is marked.
func TestRefusedQuestions(t *testing.T) {
	p := open(t)
	p.expect("status of 400")
	for _, c := range []struct{ about, query, says, marked string }{
		{"a foreign field", `kind=json&action={"kind":"command","path":"x"}`, `/action: a command has no "path"`, "action"},
		{"no JSON", `kind=json&action={"kind"`, "/action: ", "action"},
		{"a relative workspace", "kind=command&command=ls&workspace=here", `workspace "here" must be an absolute path`, "env"},
		{"unknown facts", `kind=command&command=ls&env={"nothing":1}`, "/env", "env"},
		{"settings that are incomplete", `kind=command&command=ls&settings=native&provider=claude&native={"permissionMode":"plan"}`, "/native: ", "native"},
	} {
		p.run(fmt.Sprintf("location.hash = '#/try?' + %q.replaceAll('{', '%%7B').replaceAll('\"', '%%22')", c.query))
		p.until(fmt.Sprintf(`(document.querySelector(".answers .notice")?.innerText ?? "").includes(%q)`, c.says))
		if !get[bool](p, fmt.Sprintf(`document.querySelector("#in-%s").getAttribute("aria-invalid") === "true"`, c.marked)) {
			t.Errorf("%s: the field %s isn't marked", c.about, c.marked)
		}
		p.run(`document.querySelector(".answers").replaceChildren()`)
	}
}
