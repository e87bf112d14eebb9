package suite

import (
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// Report is the outcome of a test run.
type Report struct {
	Counts
	Policies []*Outcome `json:"policies"`
	Untested []string   `json:"untested"` // paths of policies of which no test ran
}

// Counts are the rows by their end. A row is one test in one cell.
type Counts struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Ran is how many rows were judged.
func (c Counts) Ran() int { return c.Passed + c.Failed }

// Rows is how many rows there are.
func (c Counts) Rows() int { return c.Ran() + c.Skipped }

func (c *Counts) add(other Counts) {
	c.Passed += other.Passed
	c.Failed += other.Failed
	c.Skipped += other.Skipped
}

func (c *Counts) count(s Status) {
	switch s {
	case Passed:
		c.Passed++
	case Failed:
		c.Failed++
	case Skipped:
		c.Skipped++
	}
}

// Add adds the outcome of one policy.
func (r *Report) Add(o *Outcome) {
	r.Policies = append(r.Policies, o)
	r.Counts.add(o.Counts)
}

// Outcome is what the suites of one policy came to.
type Outcome struct {
	Policy compiler.PolicyRef `json:"policy"`
	Counts
	Suites   []Results `json:"suites"`
	Coverage *Coverage `json:"coverage,omitempty"` // what was asked for with Options.Coverage
}

// Results are the rows of one suite.
type Results struct {
	File string `json:"file"`
	Counts
	Results []Result `json:"results"`
}

// Status is how a row ended.
type Status string

// The statuses.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
)

// Result is one row: a test in one cell.
type Result struct {
	Test        string                    `json:"test"`
	Source      evaluator.Source          `json:"source"` // of the test
	Provider    evaluator.ProviderVersion `json:"provider"`
	Mode        evaluator.Mode            `json:"mode"`
	Interaction evaluator.Interaction     `json:"interaction"`
	Action      evaluator.Action          `json:"action"`
	Status      Status                    `json:"status"`
	Skip        string                    `json:"skip,omitempty"`    // why it was skipped
	Got         *Got                      `json:"got,omitempty"`     // missing when it was skipped
	Failure     *Failure                  `json:"failure,omitempty"` // when it failed

	files files
}

// Got is what matters to a test in a Verdict.
type Got struct {
	Effect      evaluator.Effect      `json:"effect"`
	Confinement evaluator.Confinement `json:"confinement"`
	Decider     evaluator.Decider     `json:"decider"`
	Enforcer    evaluator.Enforcer    `json:"enforcer"`
	Reason      string                `json:"reason"`
	Rule        *evaluator.RuleRef    `json:"rule"` // null when the provider's default decided
}

// Failure says what a row missed, and where to look.
type Failure struct {
	Missed  []Missed `json:"missed"`
	Policy  *Wanted  `json:"policy,omitempty"`  // what the policy says, where the provider doesn't do it
	Nearest *Nearest `json:"nearest,omitempty"` // the rule that comes nearest to deciding
}

// Missed is one expectation that isn't met.
type Missed struct {
	Field string   `json:"field"`
	Want  []string `json:"want"` // any of these
	Got   string   `json:"got"`
}

// Wanted is what the policy says of a row's Action.
type Wanted struct {
	Effect evaluator.Effect `json:"effect"`
	Rule   evaluator.Source `json:"rule"`
	Gap    *evaluator.Gap   `json:"gap,omitempty"` // the gap that tells of it
}

// Nearest is a policy rule that doesn't decide a row, and why.
type Nearest struct {
	Rule   evaluator.Source `json:"rule"`
	Effect evaluator.Effect `json:"effect"`
	Reason string           `json:"reason"`
}

// files shows the lines of what a row's places are in.
type files struct {
	policy *policies.Policy
	suite  *policies.Suite
}

// problem writes a message with its place, line and caret.
func (f files) problem(at evaluator.Source, message string) string {
	p := diag.List{{File: at.File, Line: at.Line, Column: at.Column, Message: message}}
	if f.policy != nil && f.policy.Lines(at.File) != nil {
		p = f.policy.Show(p)
	} else if f.suite != nil {
		p = f.suite.Show(p)
	}
	return p.Error()
}
