package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// compared is what a test reads of a comparison.
type compared struct {
	Cells, Same, Probes int
	Changes             []struct {
		Provider, Mode, Direction string
		Old, New                  struct{ Effect string }
	}
	OnlyOld, OnlyNew []string
}

// The policy in force is a side by its digest and by its name; a RuleSet that the
// service gave out is one, too.
func TestDiffOfWhatIsLoaded(t *testing.T) {
	s := example(t)
	loaded := into[struct{ Name, Digest string }](t, ask(t, s, "GET", "/v1/policies", ""))
	got := into[compared](t, ask(t, s, "POST", "/v1/diff", fmt.Sprintf(`{"old":{"policy":%q},"new":{"policy":%q},"env":{"workspace":"/w"}}`, loaded.Digest, loaded.Name)))
	if got.Cells != 48 || got.Same != 48 || len(got.Changes) > 0 {
		t.Errorf("the policy in force differs from itself: %+v", got)
	}
	set := ask(t, s, "GET", "/v1/rulesets/opencode2/approval-required/default", "").body
	got = into[compared](t, ask(t, s, "POST", "/v1/diff", fmt.Sprintf(`{"old":{"ruleSets":[%s]},"new":{"policy":%q}}`, set, loaded.Name)))
	if got.Cells != 1 || got.Same != 1 || len(got.OnlyNew) != 47 {
		t.Errorf("the policy in force differs from its RuleSet: %+v", got)
	}
	loose := ask(t, s, "GET", "/v1/rulesets/opencode2/full-access/default", "").body
	got = into[compared](t, ask(t, s, "POST", "/v1/diff", fmt.Sprintf(`{"old":{"ruleSets":%s},"new":{"ruleSets":%s}}`, set, set)))
	if got.Cells != 1 || len(got.Changes) > 0 {
		t.Errorf("a RuleSet differs from itself: %+v", got)
	}
	none := ask(t, s, "POST", "/v1/diff", fmt.Sprintf(`{"old":{"ruleSets":%s},"new":{"ruleSets":%s}}`, set, loose))
	if none.status != 422 || !strings.Contains(none.body, "no cell in common") {
		t.Errorf("two cells that aren't the same: %d %s", none.status, none.body)
	}
}

func TestDiffRefuses(t *testing.T) {
	s := example(t)
	const fine = `{"policy":"builtin/t3code"}`
	text := func(yaml string) string {
		b, err := json.Marshal(yaml)
		if err != nil {
			t.Fatal(err)
		}
		return `{"text":` + string(b) + `}`
	}
	for _, c := range []struct {
		about, body string
		status      int
		pointer     string
	}{
		{"no side", `{}`, 400, "/old"},
		{"one side", `{"old":` + fine + `}`, 400, "/new"},
		{"an empty side", `{"old":{},"new":` + fine + `}`, 400, "/old"},
		{"two forms", `{"old":` + fine + `,"new":{"policy":"builtin/t3code","ruleSets":[]}}`, 400, "/new"},
		{"a name of no text", `{"old":` + fine + `,"new":{"policy":"builtin/t3code","name":"a.yaml"}}`, 400, "/new/name"},
		{"a long name", `{"old":` + fine + `,"new":{"text":"a","name":"` + strings.Repeat("a", 201) + `"}}`, 400, "/new/name"},
		{"an unknown policy", `{"old":{"policy":"t3code"},"new":` + fine + `}`, 400, "/old/policy"},
		{"an unknown built-in policy", `{"old":{"policy":"builtin/x"},"new":` + fine + `}`, 400, "/old/policy"},
		{"no RuleSet", `{"old":{"ruleSets":[]},"new":` + fine + `}`, 400, "/old/ruleSets"},
		{"a RuleSet's field", `{"old":{"ruleSets":[{"mod":"auto"}]},"new":` + fine + `}`, 400, "/old/ruleSets/0/mod"},
		{"a RuleSet by hand", `{"old":{"ruleSets":[{"provider":"opencode2","mode":"auto","interaction":"plan","native":[],"digest":"sha256:0"}]},"new":` + fine + `}`, 400, "/old/ruleSets/0"},
		{"unknown field", `{"old":` + fine + `,"new":` + fine + `,"failOn":"wider"}`, 400, "/failOn"},
		{"a relative workspace", `{"old":` + fine + `,"new":` + fine + `,"env":{"workspace":"w"}}`, 400, "/env"},
		{"many rules", `{"old":` + fine + `,"new":` + text("apiVersion: modegate/v1\nname: a\nrules:\n"+strings.Repeat("- {kind: command, match: ls, effect: ask}\n", 201)) + `}`, 422, ""},
		{"a broken policy", `{"old":` + fine + `,"new":` + text("name: a") + `}`, 422, ""},
		{"facts of one provider", `{"old":` + fine + `,"new":` + fine + `,"env":{"facts":{"x":1}}}`, 422, ""},
	} {
		got := ask(t, s, "POST", "/v1/diff", c.body)
		p := into[problem](t, got)
		if got.status != c.status || c.pointer != "" && (len(p.Errors) == 0 || p.Errors[0].Pointer != c.pointer) {
			t.Errorf("%s: %d %.300s, want %d %s", c.about, got.status, got.body, c.status, c.pointer)
		}
	}
}
