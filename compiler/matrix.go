package compiler

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// Matrix is what every cell of a policy does with each of a list of Actions: what
// invariants are checked over. All of it is computed from native bytes.
type Matrix struct {
	Policy  PolicyRef          `json:"policy"`
	Env     evaluator.Env      `json:"env"` // that the cells are compiled for
	Actions []evaluator.Action `json:"actions"`
	Omitted int                `json:"omitted"` // Actions of further rules, that were too many
	Cells   []MatrixCell       `json:"cells"`
}

// MatrixCell is one cell. Its Verdicts are in the order of the Actions.
type MatrixCell struct {
	Name        string                `json:"name"` // provider/mode/interaction
	Provider    evaluator.Provider    `json:"provider"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	Digest      string                `json:"digest"`
	Native      jsontext.Value        `json:"native"`
	Gaps        []evaluator.Gap       `json:"gaps"`
	PlanFiles   []int                 `json:"planFiles"` // the Actions that touch the provider's own plan folder alone
	Verdicts    []MatrixVerdict       `json:"verdicts"`
	Granted     []MatrixVerdict       `json:"granted"` // after a person has allowed everything for the session
}

// MatrixVerdict is what invariants see of a Verdict. Its fields are the Verdict's.
type MatrixVerdict struct {
	Effect      evaluator.Effect       `json:"effect"`
	Confinement evaluator.Confinement  `json:"confinement"`
	Decider     evaluator.Decider      `json:"decider"`
	Enforcer    evaluator.Enforcer     `json:"enforcer"`
	Native      evaluator.NativeAnswer `json:"native"`
	Reason      string                 `json:"reason"`
	Rule        *evaluator.RuleRef     `json:"rule"`
}

// maxMatrixActions bounds a matrix: Rego looks at each of them in every cell,
// twice. The Actions of no rule come first.
const maxMatrixActions = 500

// NewMatrix compiles every cell of a policy and judges in each the Actions that
// any of them is compared with its Intent on. The error is Compile's.
func NewMatrix(p *policies.Policy, dialects []Dialect) (*Matrix, error) {
	m := &Matrix{Policy: PolicyRef{Name: p.Name, Digest: p.Digest}, Env: evaluator.Env{Workspace: "/a-workspace", Home: "/a-home"}}
	m.addActions(p, dialects)
	for _, d := range dialects {
		for _, mode := range evaluator.Modes() {
			for _, interaction := range evaluator.Interactions() {
				c, err := m.cell(p, d, evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction})
				if err != nil {
					return nil, err
				}
				m.Cells = append(m.Cells, c)
			}
		}
	}
	return m, nil
}

// addActions joins the probes of all cells: first those of no rule, so that rules
// without number don't crowd them out.
func (m *Matrix) addActions(p *policies.Policy, dialects []Dialect) {
	seen := map[string]bool{}
	for _, withRules := range []bool{false, true} {
		for _, d := range dialects {
			for _, mode := range evaluator.Modes() {
				for _, interaction := range evaluator.Interactions() {
					env := d.Env(interaction, m.Env)
					in := Lower(p, evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction})
					in.PlanFiles = d.PlanFiles(env)
					if !withRules {
						in.Rules = nil
					}
					m.add(seen, Probes(in, env))
				}
			}
		}
	}
}

func (m *Matrix) add(seen map[string]bool, actions []evaluator.Action) {
	for _, a := range actions {
		key, err := strictjson.Encode(a)
		switch {
		case err != nil || seen[string(key)]:
			continue
		case len(m.Actions) == maxMatrixActions:
			m.Omitted++
		default:
			m.Actions = append(m.Actions, a)
		}
		seen[string(key)] = true
	}
}

func (m *Matrix) cell(p *policies.Policy, d Dialect, at evaluator.Cell) (MatrixCell, error) {
	c, err := Compile(p, d, at, Options{Env: m.Env})
	if err != nil {
		return MatrixCell{}, err
	}
	set := c.RuleSet
	out := MatrixCell{
		Name: at.String(), Provider: at.Provider, Mode: at.Mode, Interaction: at.Interaction,
		Digest: set.Digest, Native: set.Native, Gaps: set.Gaps, PlanFiles: []int{},
	}
	env := d.Env(at.Interaction, m.Env)
	plan := d.PlanFiles(env)
	for i, a := range m.Actions {
		if planned(plan, actionPaths(a, env), env) {
			out.PlanFiles = append(out.PlanFiles, i)
		}
	}
	if out.Verdicts, err = m.judge(c); err != nil {
		return out, err
	}
	granted := m.Env
	granted.Grants = []evaluator.Grant{{Action: "*", Resource: "*"}}
	if c, err = Compile(p, d, at, Options{Env: granted}); err != nil {
		return out, err
	}
	out.Granted, err = m.judge(c)
	return out, err
}

// planned reports whether all paths lie in the plan folder.
func planned(globs, places []string, env evaluator.Env) bool {
	for _, p := range places {
		in := false
		for _, glob := range globs {
			in = in || MatchPath(glob, p, env)
		}
		if !in {
			return false
		}
	}
	return len(places) > 0
}

func (m *Matrix) judge(c *Compiled) ([]MatrixVerdict, error) {
	out := make([]MatrixVerdict, len(m.Actions))
	for i, a := range m.Actions {
		v, err := c.Evaluate(a, false)
		if err != nil {
			return nil, fmt.Errorf("%s/%s/%s: %s: %w", c.RuleSet.Provider, c.RuleSet.Mode, c.RuleSet.Interaction, Describe(a), err)
		}
		out[i] = MatrixVerdict{v.Effect, v.Confinement, v.Decider, v.Enforcer, v.Native, v.Reason, v.Rule}
	}
	return out, nil
}
