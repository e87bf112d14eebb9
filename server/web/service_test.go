package web_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"
)

// call makes a call as the admin, past the page, as an adapter or somebody else
// would.
func (p *page) call(method, path, body string) []byte {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.origin+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	out, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		p.t.Fatalf("%s %s: %d %s %v", method, path, answer.StatusCode, out, err)
	}
	return out
}

// asked is what tests look at in a request.
type asked struct{ ID, State, Decision, DecidedBy string }

func read[T any](t *testing.T, body []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(body, &v, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return v
}

// session loads a session and starts a turn in it.
func (p *page) session(id, provider, mode string) {
	p.t.Helper()
	p.call("PUT", "/v1/sessions/"+id, fmt.Sprintf(`{"provider":%q,"mode":%q,"workspace":"/work/app"}`, provider, mode))
	p.call("POST", "/v1/sessions/"+id+"/turns", "")
}

// opens opens a request in a provider's own form.
func (p *page) opens(session, native string) asked {
	p.t.Helper()
	return read[asked](p.t, p.call("POST", "/v1/sessions/"+session+"/requests", native))
}

var counted int

// bash opens a request of OpenCode 1.x to run a command.
func (p *page) bash(session, command string, always ...string) asked {
	p.t.Helper()
	counted++
	native, err := json.Marshal(map[string]any{
		"id": fmt.Sprintf("per_%d", counted), "sessionID": "ses_" + session, "permission": "bash", "patterns": []string{command}, "always": append([]string{}, always...),
		"metadata": map[string]any{"command": command},
	}, json.Deterministic(true))
	if err != nil {
		p.t.Fatal(err)
	}
	return p.opens(session, string(native))
}

// now is what the service says of a request.
func (p *page) now(r asked) asked {
	p.t.Helper()
	return read[asked](p.t, p.call("GET", "/v1/requests/"+r.ID, ""))
}

func (p *page) resolves(r asked, body string) {
	p.t.Helper()
	p.call("POST", "/v1/requests/"+r.ID+"/resolution", body)
}

// questions is a native question of OpenCode 1.x: one option, several options,
// and a text of one's own.
func questions(id, session string) string {
	return string(bytes.TrimSpace([]byte(fmt.Sprintf(`{"id":%q,"sessionID":"ses_%s","questions":[
		{"question":"Which database?","header":"DB","custom":false,"options":[{"label":"Postgres","description":"the usual"},{"label":"SQLite","description":"one file"}]},
		{"question":"Which parts?","header":"Parts","custom":true,"multiple":true,"options":[{"label":"api","description":""},{"label":"page","description":""},{"label":"docs","description":""}]},
		{"question":"What is it called?","header":"Name","options":[]}]}`, id, session))))
}

// inbox goes to the inbox, and waits until it is live and shows these requests.
func (p *page) inbox(list ...asked) {
	p.t.Helper()
	p.visit("#/inbox", "Inbox")
	p.until(`document.querySelector("#live").textContent === "live"`)
	for _, r := range list {
		p.shows(r)
	}
}

// shows waits until a request is shown and takes a press.
func (p *page) shows(r asked) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.querySelector("#request-%s") && document.querySelector("#request-%s").closest(".unsteady") === null`, r.ID, r.ID))
}

// state waits until a request is shown in a state, and returns what is said of it.
func (p *page) state(r asked, state string) string {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.querySelector("#request-%s")?.dataset.state === %q`, r.ID, state))
	return p.says(r)
}

func (p *page) says(r asked) string {
	p.t.Helper()
	return get[string](p, fmt.Sprintf(`document.querySelector("#outcome-%s").textContent`, r.ID))
}

// press presses a request's button when it takes one.
func (p *page) press(r asked, button string) {
	p.t.Helper()
	p.shows(r)
	p.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("#%s-%s", button, r.ID))))
}

// holds checks that a text has all its parts.
func (p *page) holds(about, text string, parts ...string) {
	p.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			p.t.Errorf("%s is %q: it doesn't say %q", about, text, part)
		}
	}
}
