package cmd

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/modegate/modegate/evaluator/rego"
	"github.com/modegate/modegate/server"
)

// guardrailFlags are the flags of serve that are about guardrails.
type guardrailFlags struct {
	guardrails       string
	guardrailOnError string
	guardrailTimeout time.Duration
}

// add declares them.
func (g *guardrailFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&g.guardrails, "guardrails", "", "a folder of Rego that may tighten what happens, never loosen it (see docs/rego.md)")
	fl.StringVar(&g.guardrailOnError, "guardrails-on-error", "error", "what stands in for a guardrail that gives no answer: error (there is none, 503) or ask (a person)")
	fl.DurationVar(&g.guardrailTimeout, "guardrails-timeout", server.DefaultGuardrailTimeout, "how long all guardrails may take about one action")
}

// config says where guardrails come from. A folder that is missing or broken is
// found when the service starts.
func (g *guardrailFlags) config() (out server.GuardrailConfig, err error) {
	if !slices.Contains([]string{"error", "ask"}, g.guardrailOnError) {
		return out, fmt.Errorf("--guardrails-on-error %s: use error or ask", g.guardrailOnError)
	}
	if g.guardrailTimeout <= 0 {
		return out, errors.New("--guardrails-timeout must be longer than 0s")
	}
	if g.guardrails == "" {
		return out, nil
	}
	return server.GuardrailConfig{
		Dir: g.guardrails, Ask: g.guardrailOnError == "ask", Timeout: g.guardrailTimeout,
		Load: func() (server.GuardrailSet, error) { return rego.LoadGuardrails(rego.Folder(g.guardrails)) },
	}, nil
}
