package grok

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Dialect writes and reads Grok's settings.
type Dialect struct{}

var (
	_ compiler.Dialect   = Dialect{}
	_ compiler.Conformer = Dialect{}
)

// New returns the dialect.
func New() Dialect { return Dialect{} }

// measured is the version whose behaviour was measured.
const measured = "1.0.41"

// Provider names the provider.
func (Dialect) Provider() evaluator.Provider { return evaluator.Grok }

// Versions lists the versions that Read understands, the default first.
func (Dialect) Versions() []string { return []string{measured} }

// Claims lists what is claimed about a version.
func (Dialect) Claims(version string) []compiler.Claim {
	const doc, date = "Grok's guide in ~/.grok/docs of 1.0.41", "2026-11-30"
	return []compiler.Claim{
		{Claim: "decisions", Key: "grok/" + version + "/decisions", Status: evaluator.Documented, By: doc, Date: date},
		{Claim: "values of the default row", Status: evaluator.Documented, By: "T3 Code's public source, restated", Date: date},
		{Claim: "wire", Key: "grok/" + version + "/wire", Status: evaluator.Documented, By: "Agent Client Protocol, version 1", Date: date},
	}
}

// PlanFiles is where Grok's plan mode writes: one file in each session's folder,
// whose name isn't known beforehand (19-plan-mode.md of 1.0.41).
func (Dialect) PlanFiles(evaluator.Env) []string { return []string{planFiles} }

const planFiles = "~/.grok/sessions/*/*/plan.md"

// CheckProfile reports what is wrong with a policy's profile for Grok.
func (Dialect) CheckProfile(r *policies.Reader, n *policies.Node) { readProfile(r, n) }

// Env adds nothing: Grok has no agents whose rules precede ours, and the
// interaction mode isn't applied to it.
func (Dialect) Env(_ evaluator.Interaction, env evaluator.Env) evaluator.Env { return env }

// version checks the version that settings are read for.
func (d Dialect) version(v string) (string, error) {
	if v == "" {
		return measured, nil
	}
	if !slices.Contains(d.Versions(), v) {
		return "", fmt.Errorf("unknown version %q of grok: use %s", v, strings.Join(d.Versions(), ", "))
	}
	return v, nil
}
