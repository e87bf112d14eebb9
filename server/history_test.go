package server_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestEarlierPoliciesStayFetchable is EN-10: what a reload takes away is named, and
// what was in force before can still be compared with what is.
func TestEarlierPoliciesStayFetchable(t *testing.T) {
	const cell = "/v1/rulesets/opencode2/auto/plan"
	path := filepath.Join(folder(t, map[string]string{"p.yaml": readExample(t)}), "p.yaml")
	s := start(t, config(path))
	first := s.Policy().Digest
	before := ask(t, s, "GET", cell, "")
	put(t, path, readExample(t, planDeny, planAsk))
	if l := into[loaded](t, ask(t, s, "POST", "/v1/policies/reload", "")); len(l.Lifted) == 0 || l.Lifted[0].ID != "plan-edits-deny" {
		t.Errorf("%+v", l.Lifted)
	}
	now := ask(t, s, "GET", cell, "")
	if now.body == before.body || now.header.Get("Modegate-Policy") == first {
		t.Error("nothing has changed")
	}
	if got := ask(t, s, "GET", cell+"?policy="+first, ""); got.status != 200 || got.body != before.body || got.header.Get("Modegate-Policy") != first || got.header.Get("ETag") != before.header.Get("ETag") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := ask(t, s, "GET", cell+"?policy="+s.Policy().Digest, ""); got.status != 200 || got.body != now.body {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := ask(t, s, "GET", cell+"?policy="+first+"&wait=1s", ""); got.status != 400 {
		t.Errorf("an earlier policy is waited for: %d %s", got.status, got.body)
	}
	for i := range 9 { // more than are kept
		put(t, path, readExample(t, planDeny, planAsk)+fmt.Sprintf("# %d\n", i))
		ask(t, s, "POST", "/v1/policies/reload", "")
	}
	if got := ask(t, s, "GET", cell+"?policy="+first, ""); got.status != 404 || !strings.Contains(got.body, "one of the last 8") {
		t.Errorf("%d %s", got.status, got.body)
	}
}
