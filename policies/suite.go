package policies

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// Suite is one parsed test file: what a policy is expected to come to.
type Suite struct {
	File  string // as places show it
	Tests []Test // in file order, no name twice

	files diag.Files
}

// Show returns the problems with the lines of the suite that they speak of.
func (s *Suite) Show(l diag.List) diag.List { return s.files.Show(l) }

// Test is one expectation about one Action, in every cell that it chooses.
type Test struct {
	Name         string // one line
	Providers    []evaluator.Provider
	Modes        []evaluator.Mode
	Interactions []evaluator.Interaction
	Action       evaluator.Action // checked
	Env          evaluator.Env    // what the test says of its session; see Session
	Expect       Expect
	Skip         string // why the test doesn't run, "" when it does
	Source       evaluator.Source
}

// Expect is what a Verdict must be. A list is satisfied by any of its values, a
// nil one by every value.
type Expect struct {
	Effects      []evaluator.Effect // nil: any that can be predicted, so never unknown
	Confinements []evaluator.Confinement
	Deciders     []evaluator.Decider
	Enforcers    []evaluator.Enforcer
	Rule         string         // id of the policy rule that the deciding native rule came from; or
	Native       jsontext.Value // the deciding native rule itself, compared as a JSON value
	Source       evaluator.Source
}

// Session is the session that the test runs in. What it doesn't say of it is the
// same on every machine: the folder is /workspace, the home folder /home/user.
func (t Test) Session() evaluator.Env {
	env := t.Env
	if env.Workspace == "" {
		env.Workspace = "/workspace"
	}
	if env.Home == "" {
		env.Home = "/home/user"
	}
	return env
}
