package server_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/audit"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
	"github.com/modegate/modegate/server"
)

// audited is what tests read of a report.
type audited struct {
	Policy   struct{ Name, Digest string }
	Modegate string
	Findings []struct{ ID, Kind, Severity string }
	Matrix   []struct{ Name string }
	Gaps     []struct{ ID, Direction, Finding string }
}

func TestAuditForms(t *testing.T) {
	s := example(t)
	for _, c := range []struct{ path, accept, kind, begins string }{
		{"/v1/audit", "", "application/json", "{"},
		{"/v1/audit", "*/*", "application/json", "{"},
		{"/v1/audit", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html; charset=utf-8", "<!DOCTYPE html>"},
		{"/v1/audit", "text/markdown, text/html;q=0.5", "text/markdown; charset=utf-8", "# Audit of the policy example"},
		{"/v1/audit", "text/*", "text/html; charset=utf-8", "<!DOCTYPE html>"},
		{"/v1/audit", "application/json;q=0, application/sarif+json;q=0.1", "application/sarif+json", "{"},
		{"/v1/audit?format=markdown", "text/html", "text/markdown; charset=utf-8", "# Audit"},
		{"/v1/audit?format=sarif", "", "application/sarif+json", "{"},
	} {
		got := ask(t, s, "GET", c.path, "", "Accept", c.accept)
		if got.status != 200 || got.header.Get("Content-Type") != c.kind || !strings.HasPrefix(got.body, c.begins) || got.header.Get("Vary") != "Accept" {
			t.Errorf("%s, Accept %q: %d %s %.60q", c.path, c.accept, got.status, got.header.Get("Content-Type"), got.body)
		}
	}
	for _, c := range []struct {
		path, accept string
		status       int
		detail       string
	}{
		{"/v1/audit?format=pdf", "", 400, `unknown format "pdf": use json, html, markdown, sarif`},
		{"/v1/audit?format=", "", 400, `unknown format ""`},
		{"/v1/audit?mode=auto", "", 400, `unknown query parameter "mode"`},
		{"/v1/audit", "image/png", 406, "text/html"},
		{"/v1/audit", "*/*;q=0", 406, "text/html"},
		{"/v1/audit", "text/html;q=2", 406, "text/html"},
	} {
		got := ask(t, s, "GET", c.path, "", "Accept", c.accept)
		if p := into[problem](t, got); got.status != c.status || !strings.Contains(p.Detail, c.detail) {
			t.Errorf("%s, Accept %q: %d %s", c.path, c.accept, got.status, got.body)
		}
	}
}

// A reader may see the report, and whoever only approves may not: as the matrix.
func TestAuditAccess(t *testing.T) {
	s := example(t)
	for scope, status := range map[server.Scope]int{server.ReadScope: 200, server.AdminScope: 200, server.ApproveScope: 403, server.AdapterScope: 403} {
		for _, path := range []string{"/v1/audit", "/v1/matrix"} {
			if got := ask(t, s, "GET", path, "", "Authorization", "Bearer "+tokens[scope]); got.status != status {
				t.Errorf("%s with %s: %d, want %d", path, scope, got.status, status)
			}
		}
	}
	if got := ask(t, s, "GET", "/v1/audit?format=html", "", "Authorization", ""); got.status != 401 {
		t.Errorf("nobody: %d", got.status)
	}
}

// TestAuditPageIsInert: the page may use its own style, and the browser is told to
// run and load nothing else.
func TestAuditPageIsInert(t *testing.T) {
	got := ask(t, example(t), "GET", "/v1/audit?format=html", "")
	csp := got.header.Get("Content-Security-Policy")
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(got.body, -1)
	if len(style) != 1 {
		t.Fatalf("%d styles", len(style))
	}
	sum := sha256.Sum256([]byte(style[0][1]))
	want := fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", base64.StdEncoding.EncodeToString(sum[:]))
	if csp != want {
		t.Errorf("the policy is %q, want %q", csp, want)
	}
	for name, value := range map[string]string{"X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"} {
		if got.header.Get(name) != value {
			t.Errorf("%s: %q", name, got.header.Get(name))
		}
	}
}

// The report is about the policy in force: it changes with it, and not before.
func TestAuditFollowsThePolicy(t *testing.T) {
	dir := folder(t, map[string]string{"a.yaml": readExample(t)})
	cfg := config(dir)
	calls := 0
	cfg.Audit = server.AuditConfig{
		Modegate: "v1.2.3",
		Evidence: func(d compiler.Dialect, version string) []audit.Claim {
			return []audit.Claim{{Proof: evaluator.Proof{Claim: "decisions", Status: evaluator.Verified, By: string(d.Provider()) + " " + version, Date: "2026-11-30"}}}
		},
		Invariants: func(context.Context, *policies.Policy, []compiler.Dialect) ([]audit.Broken, error) {
			calls++
			return nil, nil
		},
	}
	s := start(t, cfg)
	first := ask(t, s, "GET", "/v1/audit", "")
	r := into[audited](t, first)
	if r.Policy.Name != "example" || r.Policy.Digest != first.header.Get("Modegate-Policy") || r.Modegate != "v1.2.3" || len(r.Matrix) != 48 || len(r.Findings) == 0 {
		t.Fatalf("%+v", r)
	}
	for _, f := range r.Findings {
		if f.Kind == "not-checked" || f.Kind == "unproven" {
			t.Errorf("%+v", f)
		}
	}
	if again := ask(t, s, "GET", "/v1/audit", ""); again.body != first.body || calls != 1 {
		t.Errorf("the report was made %d times", calls)
	}
	put(t, dir+"/a.yaml", readExample(t, "name: example", "name: other"))
	ask(t, s, "POST", "/v1/policies/reload", "")
	if r := into[audited](t, ask(t, s, "GET", "/v1/audit", "")); r.Policy.Name != "other" || calls != 2 {
		t.Errorf("after a reload: %+v, made %d times", r.Policy, calls)
	}
}
