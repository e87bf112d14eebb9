package codex

import (
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Version is the version of Codex whose behaviour the package describes.
const Version = "0.171.0"

type dialect struct{}

// New returns Codex's dialect.
func New() compiler.Dialect { return dialect{} }

// Provider names Codex.
func (dialect) Provider() evaluator.Provider { return evaluator.Codex }

// Versions lists the one version that was measured.
func (dialect) Versions() []string { return []string{Version} }

// Claims lists what this package says about Codex and the evidence that each
// claim can have.
func (dialect) Claims(version string) []compiler.Claim {
	const doc, date = "openai/codex source and documentation", "2026-11-30"
	return []compiler.Claim{
		{Claim: "decisions", Key: "codex/" + version + "/decisions", Status: evaluator.Documented, By: doc, Date: date},
		{Claim: "rule semantics", Key: "codex/" + version + "/execpolicy", Status: evaluator.Documented, By: doc, Date: date},
		{Claim: "scripts", Key: "codex/" + version + "/scripts", Status: evaluator.Documented, By: doc, Date: date},
		{Claim: "wire", Key: "codex/" + version + "/wire", Status: evaluator.Documented, By: doc, Date: date},
	}
}

// PlanFiles is empty: Codex has no plan folder.
func (dialect) PlanFiles(evaluator.Env) []string { return nil }

// Env changes nothing: a Codex session of any interaction mode starts alike.
func (dialect) Env(_ evaluator.Interaction, env evaluator.Env) evaluator.Env { return env }

// CheckProfile reports what is wrong with a policy's codex profile.
func (dialect) CheckProfile(r *policies.Reader, n *policies.Node) { readProfile(r, n) }
