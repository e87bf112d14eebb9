package cursor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Dialect writes and reads Cursor's settings.
type Dialect struct{}

var _ compiler.Dialect = Dialect{}

// New returns the dialect.
func New() Dialect { return Dialect{} }

// documented is the version of cursor-agent that the recordings are of.
const documented = "2026.10.01"

// Provider names the provider.
func (Dialect) Provider() evaluator.Provider { return evaluator.Cursor }

// Versions lists the versions that Read understands, the default first.
func (Dialect) Versions() []string { return []string{documented} }

// Claims lists what is claimed about a version. No run can prove any of it.
func (Dialect) Claims(string) []compiler.Claim {
	const recordings, date = "recordings of cursor-agent 2026.10.01 by others, and Cursor's pages", "2026-11-30"
	return []compiler.Claim{
		{Claim: "decisions", Status: evaluator.Documented, By: recordings, Date: date},
		{Claim: "values of the default row", Status: evaluator.Documented, By: "T3 Code's public source, restated", Date: date},
		{Claim: "wire", Status: evaluator.Documented, By: "Agent Client Protocol, version 1", Date: date},
	}
}

// PlanFiles is empty: where Cursor keeps plans isn't documented; over the
// protocol a plan arrives as a request.
func (Dialect) PlanFiles(evaluator.Env) []string { return nil }

// CheckProfile reports what is wrong with a policy's profile for Cursor.
func (Dialect) CheckProfile(r *policies.Reader, n *policies.Node) { readProfile(r, n) }

// Env adds nothing: plan is a session mode here, which Write asks for.
func (Dialect) Env(_ evaluator.Interaction, env evaluator.Env) evaluator.Env { return env }

// version checks the version that settings are read for.
func (d Dialect) version(v string) (string, error) {
	if v == "" {
		return documented, nil
	}
	if !slices.Contains(d.Versions(), v) {
		return "", fmt.Errorf("unknown version %q of cursor: use %s", v, strings.Join(d.Versions(), ", "))
	}
	return v, nil
}
