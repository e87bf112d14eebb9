package server

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/audit"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// sampleEnv is the session that the matrix's samples are judged in.
var sampleEnv = evaluator.Env{Workspace: "/workspace"}

// sampleActions are the Actions of the matrix, a column each: the audit's, but for
// the second command inside of the workspace, for which the page has no column.
func sampleActions() []audit.Sample {
	return slices.DeleteFunc(audit.Samples(), func(s audit.Sample) bool { return s.ID == "command-changes" })
}

// sample is the answer to one sample Action in one cell.
type sample struct {
	ID          string                 `json:"id"`
	Effect      evaluator.Effect       `json:"effect"`
	Confinement evaluator.Confinement  `json:"confinement"`
	Decider     evaluator.Decider      `json:"decider"`
	Enforcer    evaluator.Enforcer     `json:"enforcer"`
	Native      evaluator.NativeAnswer `json:"native"`
	Reason      string                 `json:"reason"`
	Source      *evaluator.Source      `json:"source,omitempty"`
	Policy      *wanted                `json:"policy"` // null where no rule speaks of it: the provider's own affair
	ToolAbsent  bool                   `json:"toolAbsent,omitzero"`
	Visible     *bool                  `json:"visible,omitempty"`
	Assumed     []string               `json:"assumed"`
}

// wanted is what the policy says of a sample, whatever the provider does.
type wanted struct {
	Effect    evaluator.Effect    `json:"effect"`
	Direction evaluator.Direction `json:"direction"` // how the provider parts from it; "" when it doesn't
	Source    evaluator.Source    `json:"source"`
}

// judgeSamples evaluates the cell's own native bytes in the samples' session,
// and puts what the policy says beside it.
func judgeSamples(p *policies.Policy, c *cell) ([]sample, error) {
	set := c.compiled.RuleSet
	env := c.dialect.Env(c.Interaction, sampleEnv)
	meaning, err := c.dialect.Read(set.Native, compiler.Setting{Env: env})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Cell, err)
	}
	in := compiler.Lower(p, c.Cell)
	in.PlanFiles = c.dialect.PlanFiles(env)
	places := map[string]*evaluator.Source{}
	for i := range set.Sources {
		places[set.Sources[i].Pointer] = &set.Sources[i].Source
	}
	var out []sample
	for _, a := range sampleActions() {
		v, err := evaluator.Evaluate(meaning, a.Action, false)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", c.Cell, a.ID, err)
		}
		one := sample{
			ID: a.ID, Effect: v.Effect, Confinement: v.Confinement, Decider: v.Decider, Enforcer: v.Enforcer,
			Native: v.Native, Reason: v.Reason, ToolAbsent: v.ToolAbsent, Visible: v.Visible, Assumed: v.Assumed,
		}
		if v.Rule != nil {
			one.Source = places[v.Rule.Pointer]
		}
		if w := in.Want(a.Action, env); w.Rule != nil {
			one.Policy = &wanted{w.Effect, w.Against(a.Action, v), w.Rule.Source}
		}
		out = append(out, one)
	}
	return out, nil
}

// matrixCell is a cell as the matrix shows it.
type matrixCell struct {
	Provider    evaluator.Provider    `json:"provider"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	Digest      string                `json:"digest"`
	Samples     []sample              `json:"samples"`
	Gaps        []evaluator.Gap       `json:"gaps"`
	Assumed     []string              `json:"assumed"`
	Proof       []evaluator.Proof     `json:"proof"`
}

// modeLabel is a runtime mode with the name that people see.
type modeLabel struct {
	Mode  evaluator.Mode `json:"mode"`
	Label string         `json:"label"`
}

func (snap *snapshot) encodeMatrix() ([]byte, error) {
	out := struct {
		Policy  compiler.PolicyRef `json:"policy"`
		Modes   []modeLabel        `json:"modes"`
		Env     evaluator.Env      `json:"env"` // of the samples
		Samples []audit.Sample     `json:"samples"`
		Cells   []matrixCell       `json:"cells"`
	}{
		Policy: compiler.PolicyRef{Name: snap.policy.Name, Digest: snap.policy.Digest},
		Env:    sampleEnv, Samples: sampleActions(),
	}
	for _, m := range evaluator.Modes() {
		label := snap.policy.Modes[m].Label
		if label == "" {
			label = string(m)
		}
		out.Modes = append(out.Modes, modeLabel{m, label})
	}
	for _, c := range snap.order {
		set := c.compiled.RuleSet
		out.Cells = append(out.Cells, matrixCell{
			Provider: c.Provider, Mode: c.Mode, Interaction: c.Interaction, Digest: set.Digest,
			Samples: c.samples, Gaps: set.Gaps, Assumed: set.Assumed, Proof: set.Proof,
		})
	}
	return strictjson.Encode(out)
}

func getMatrix(_ *Server, c *call) {
	c.answer(200, c.snap.matrix)
}
