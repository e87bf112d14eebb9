package server_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/server"
)

// What a client needs to draw its controls, for each provider, and what stands
// behind it.
func TestControls(t *testing.T) {
	type published struct {
		Providers []struct {
			Name       string
			ModeChange string
			Controls   *struct {
				Decisions                             []string
				SessionGrant                          string
				Questions, MultiSelect, CustomAnswers bool
				Proof                                 []evaluator.Proof
			}
			Capabilities struct{ PendingRequestsSurviveRestart bool }
		}
	}
	type row struct {
		decisions, grant, modeChange string
		multi, custom                bool
		proof                        evaluator.Status
	}
	const four = "accept acceptForSession decline cancel"
	want := map[string]row{
		"codex":     {"accept acceptForSession acceptAlways decline cancel", "provider", "in-session", false, true, evaluator.Documented},
		"claude":    {four, "provider", "restart", true, true, evaluator.Documented},
		"cursor":    {four, "service", "restart", true, false, evaluator.Documented},
		"grok":      {four, "service", "restart", true, true, evaluator.Documented},
		"opencode":  {four, "service", "restart", true, true, evaluator.Unverified}, // nothing is claimed of its wire
		"opencode2": {four, "service", "in-session", true, true, evaluator.Recorded},
	}
	cfg := config("builtin/t3code")
	cfg.Translators = everyTranslator()
	cfg.Proofs = func(d compiler.Dialect, version string) (out []evaluator.Proof) {
		for _, c := range d.Claims(version) {
			out = append(out, evaluator.Proof{Claim: c.Claim, Status: cmp.Or(c.Status, evaluator.Unverified)})
			if c.Claim == "wire" && d.Provider() == evaluator.OpenCode2 {
				out[len(out)-1].Status = evaluator.Recorded
			}
		}
		return out
	}
	for _, p := range into[published](t, ask(t, start(t, cfg), "GET", "/v1/providers", "")).Providers {
		c := p.Controls
		if c == nil || len(c.Proof) != 1 || c.Proof[0].Claim != "wire" {
			t.Errorf("%s: %+v", p.Name, c)
			continue
		}
		got := row{strings.Join(c.Decisions, " "), c.SessionGrant, p.ModeChange, c.MultiSelect, c.CustomAnswers, c.Proof[0].Status}
		if got != want[p.Name] || !c.Questions || p.Capabilities.PendingRequestsSurviveRestart {
			t.Errorf("%s: %+v, want %+v", p.Name, got, want[p.Name])
		}
	}
	// A build that can't read a provider's requests has no controls for them, and
	// without evidence nothing is verified.
	cfg.Translators, cfg.Proofs = server.Translators{evaluator.Codex: everyTranslator()[evaluator.Codex]}, nil
	for _, p := range into[published](t, ask(t, start(t, cfg), "GET", "/v1/providers", "")).Providers {
		if (p.Controls != nil) != (p.Name == "codex") || p.Controls != nil && p.Controls.Proof[0].Status != evaluator.Unverified {
			t.Errorf("%s: %+v", p.Name, p.Controls)
		}
	}
}
