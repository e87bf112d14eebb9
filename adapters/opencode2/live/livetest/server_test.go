package livetest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
)

const aSession = `{"location":{"directory":"/w"},"permissions":[{"action":"shell","resource":"*","effect":"ask"}]}`

// asker asks a server over its network, without its client.
type asker struct {
	t    *testing.T
	http *http.Client
	// password is sent unless it is empty.
	password string
}

func (a asker) ask(call, body string) string {
	a.t.Helper()
	method, path, _ := strings.Cut(call, " ")
	r, err := http.NewRequest(method, "http://x"+path, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	if a.password != "" {
		r.SetBasicAuth("opencode", a.password)
	}
	answer, err := a.http.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return strings.TrimSpace(answer.Status[:3] + " " + string(text))
}

func asking(t *testing.T, o livetest.Options, f func(*livetest.Server, asker)) {
	synctest.Test(t, func(t *testing.T) {
		s := livetest.Start(t, o)
		via := s.Network.Transport()
		defer via.CloseIdleConnections()
		f(s, asker{t, &http.Client{Transport: via}, o.Password})
	})
}

// TestServerRefuses is what the server refuses, and how.
func TestServerRefuses(t *testing.T) {
	rules := func(list string) string { return `{"location":{"directory":"/w"},"permissions":[` + list + `]}` }
	asking(t, livetest.Options{Agent: func(t *livetest.Turn) {
		t.Tool(livetest.Call{Tool: "shell", Action: "shell", Resources: []string{"echo 1"}, Save: []string{"echo *"}, ID: "per_a"})
		t.Question("frm_a", livetest.Field{Key: "q0", Type: "string", Options: []livetest.Option{{Value: "v", Label: "L"}}}, livetest.Field{Key: "q1", Type: "multiselect"})
	}}, func(s *livetest.Server, a asker) {
		const permission, form = "POST /api/session/ses_1/permission/per_a/reply", "POST /api/session/ses_1/form/frm_a/reply"
		for _, c := range []struct{ call, body, want string }{
			{"GET /api/model", "", "400"},
			{"GET /api/agent", "", "400"},
			{"GET /nowhere", "", "200 <!doctype html>"},
			{"PUT /api/session/ses_1", "{}", "200 <!doctype html>"},
			{"POST /api/session", "", "400"},
			{"POST /api/session", `{}`, "400"},
			{"POST /api/session", `{"location":{"directory":"/w"},"permission":[]}`, "400"},
			{"POST /api/session", `{"location":{"directory":"/w"},"agent":"plan"}`, "400"},
			{"POST /api/session", rules(`{"action":"shell","resource":"*"}`), "400"},
			{"POST /api/session", rules(`{"action":"shell","resource":"*","effect":"review"}`), "400"},
			{"POST /api/session", rules(`{"permission":"bash","pattern":"*","action":"ask"}`), "400"},
			{"POST /api/session", rules(`{"action":"shell","resource":"rm *","effect":"deny"}`), "400"},
			{"POST /api/session", rules(`{"action":"read","resource":"*","effect":"deny"}`), "400"},
			{"POST /api/session", rules(`{"action":"*","resource":"*","effect":"deny"}`), "400"},
			{"POST /api/session", rules(`{"action":"edit","resource":"*","effect":"deny"}`), "200"},
			{"POST /api/session", aSession, "200"},
			{"GET /api/session/ses_9", "", "404"},
			{"PATCH /api/session/ses_9", `{"permissions":[]}`, "404"},
			{"PATCH /api/session/ses_1", `{"permission":[]}`, "400"},
			{"PATCH /api/session/ses_1", `{"permissions":[{"action":"shell","resource":"*","effect":"deny"}]}`, "400"},
			{"PATCH /api/session/ses_1", `{"permissions":[{"action":"shell","resource":"*","effect":"ask"}]}`, "204"},
			{"POST /api/session/ses_1/prompt", `{"parts":[]}`, "400"},
			{"POST /api/session/ses_1/prompt", `{"prompt":{"text":"go"}}`, "400"},
			{"POST /api/session/ses_1/prompt", `{"text":"go"}`, "200"},
			{"POST /api/session/ses_1/synthetic", `{"text":"no","delivery":"queue","resume":false}`, "400"},
			{"POST /api/session/ses_1/synthetic", `{"text":"no","delivery":"steer"}`, "400"},
			{"POST /api/session/ses_1/synthetic", `{"text":"no","delivery":"steer","resume":false}`, "200"},
			{permission, `{"reply":"once"}`, "400"},
			{permission, `{"decision":"allow"}`, "400"},
			{permission, `{"decision":"once","session":"x"}`, "400"},
			{"POST /api/session/ses_9/permission/per_a/reply", `{"decision":"once"}`, `404 {"_tag":"SessionNotFoundError"`},
			{"POST /api/session/ses_2/permission/per_a/reply", `{"decision":"once"}`, `404 {"_tag":"PermissionNotFoundError"`},
			{"POST /api/session/ses_1/permission/per_b/reply", `{"decision":"once"}`, `404 {"_tag":"PermissionNotFoundError"`},
			{permission, `{"decision":"once"}`, "204"},
			{permission, `{"decision":"once"}`, `404 {"_tag":"PermissionNotFoundError"`},
			{form, `{"answers":[["v"]]}`, "400"},
			{form, `{"answer":{"q9":"v"}}`, `400 {"_tag":"FormInvalidAnswerError"`},
			{form, `{"answer":{"q0":"L"}}`, `400 {"_tag":"FormInvalidAnswerError"`},
			{form, `{"answer":{"q0":["v"]}}`, `400 {"_tag":"FormInvalidAnswerError"`},
			{form, `{"answer":{"q1":"x"}}`, `400 {"_tag":"FormInvalidAnswerError"`},
			{"POST /api/session/ses_1/form/frm_b/reply", `{"answer":{}}`, `404 {"_tag":"FormNotFoundError"`},
			{"POST /api/session/ses_1/form/frm_a/cancel", "", "200 <!doctype html>"},
			{form, `{"answer":{"q0":"v","q1":["x"]}}`, "204"},
			{form, `{"answer":{"q0":"v"}}`, `409 {"_tag":"FormAlreadySettledError"`},
			{"DELETE /api/session/ses_1/form/frm_a", "", `409 {"_tag":"FormAlreadySettledError"`},
			{"POST /api/session/ses_1/interrupt", "{}", "400"},
		} {
			if got := a.ask(c.call, c.body); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s %s: %s, want %s", c.call, c.body, got, c.want)
			}
			synctest.Wait()
		}
		if len(s.Ran()) != 1 {
			t.Errorf("ran %v", s.Ran())
		}
	})
}

// TestServerWantsItsPassword lets nobody in without it, whatever they want.
func TestServerWantsItsPassword(t *testing.T) {
	s := livetest.NewServer(livetest.Options{Password: "secret"})
	defer s.Close()
	h := httptest.NewServer(s)
	defer h.Close()
	for _, password := range []string{"", "wrong", "secret"} {
		r, err := http.NewRequest("GET", h.URL+"/api/session/active", nil)
		if err != nil {
			t.Fatal(err)
		}
		if password != "" {
			r.SetBasicAuth("opencode", password)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if ok := answer.StatusCode == http.StatusOK; ok != (password == "secret") {
			t.Errorf("password %q: %s", password, answer.Status)
		}
	}
}
