package audit

import (
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/diff"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// Report is an audit of one policy. Equal inputs give equal reports: it has no
// time of its own.
type Report struct {
	Policy   compiler.PolicyRef `json:"policy"`
	Files    []string           `json:"files"`    // the policy's layers, base first
	Modegate string             `json:"modegate"` // the version that made the report
	Env      evaluator.Env      `json:"env"`      // the session that everything is judged in
	Evidence Span               `json:"evidence"` // between which dates the evidence was taken
	Summary  Summary            `json:"summary"`
	Findings []Finding          `json:"findings"` // the worst first

	Samples          []Sample          `json:"samples"` // the Actions of the matrix
	Matrix           []Cell            `json:"matrix"`
	Gaps             []Gap             `json:"gaps"`             // what can't be expressed
	Acknowledgements []Acknowledgement `json:"acknowledgements"` // what the policy accepts
	Changes          *diff.Report      `json:"changes"`          // since an earlier policy; null when none was given
	Providers        []Provider        `json:"providers"`        // what proves it

	lines func(file string) []string // of the policy's files
}

// Span is from the oldest evidence to the newest, "" without any.
type Span struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Summary counts findings, those that the policy acknowledges apart.
type Summary struct {
	Counts       `json:",inline"`
	Acknowledged Counts `json:"acknowledged"`
}

// Counts are numbers of findings by severity.
type Counts struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
}

// Finding is one thing that a reviewer must know, for one cause.
type Finding struct {
	ID           string               `json:"id"`   // kind.what it is about: the same in every report on that policy
	Kind         string               `json:"kind"` // of the [Catalogue], or of the linter's
	Severity     lint.Severity        `json:"severity"`
	Title        string               `json:"title"`
	Providers    []evaluator.Provider `json:"providers"` // none: it is the policy's own
	Cells        []string             `json:"cells"`     // provider/mode/interaction
	Shown        *Shown               `json:"shown"`     // the worst of the cells; null where no Action shows it
	Reason       string               `json:"reason"`
	Source       *evaluator.Source    `json:"source"` // the policy's line, null when none stands behind it
	Gaps         []string             `json:"gaps"`   // the ids of the gaps that it is about
	Acknowledged *Accepted            `json:"acknowledged"`
	Instead      string               `json:"instead"` // what to do about it
	Proof        []evaluator.Proof    `json:"proof"`   // of what is said about the provider
	Related      []string             `json:"related"` // ids of other findings with the same cause
}

// Accepted says that, and why, the policy accepts something.
type Accepted struct {
	Reason string           `json:"reason"`
	Source evaluator.Source `json:"source"`
}

// Shown is one Action in one cell, and what it comes to.
type Shown struct {
	Cell        string                `json:"cell"`
	Provider    evaluator.Provider    `json:"provider"`
	Version     string                `json:"version"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	Witness     evaluator.Action      `json:"witness"`
	Does        *evaluator.Action     `json:"does,omitempty"` // what the witness comes to, where the policy speaks of that and not of its words
	Env         *evaluator.Env        `json:"env,omitempty"`  // the session, where it isn't the report's
	Policy      *Wanted               `json:"policy"`         // null where no rule speaks of the Action
	Outcome     `json:",inline"`
}

// Wanted is what the policy intends with an Action.
type Wanted struct {
	Effect    evaluator.Effect    `json:"effect"`
	Direction evaluator.Direction `json:"direction"` // how the provider parts from it, "" when it doesn't
	Source    evaluator.Source    `json:"source"`
}

// Outcome is what an Action comes to. Its fields are the Verdict's.
type Outcome struct {
	Effect      evaluator.Effect       `json:"effect"`
	Confinement evaluator.Confinement  `json:"confinement"`
	Decider     evaluator.Decider      `json:"decider"`
	Enforcer    evaluator.Enforcer     `json:"enforcer"`
	Native      evaluator.NativeAnswer `json:"native"`
	Reason      string                 `json:"reason"`
	Rule        *evaluator.RuleRef     `json:"rule"`
	Differs     []evaluator.Difference `json:"differs,omitempty"`
}

func outcome(v evaluator.Verdict) Outcome {
	return Outcome{v.Effect, v.Confinement, v.Decider, v.Enforcer, v.Native, v.Reason, v.Rule, v.Differs}
}

// Cell is one cell of the matrix.
type Cell struct {
	Name        string                `json:"name"` // provider/mode/interaction
	Provider    evaluator.Provider    `json:"provider"`
	Version     string                `json:"version"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	Digest      string                `json:"digest"`  // of the native settings
	Assumed     []string              `json:"assumed"` // what was missing, and what was taken instead
	Answers     []Answer              `json:"answers"` // in the order of the samples
}

// Answer is what a cell does with one sample.
type Answer struct {
	Effect      evaluator.Effect      `json:"effect"`
	Confinement evaluator.Confinement `json:"confinement"`
	Decider     evaluator.Decider     `json:"decider"`
	Enforcer    evaluator.Enforcer    `json:"enforcer"`
	Policy      *Wanted               `json:"policy"`
	Gap         string                `json:"gap,omitempty"` // the id, where the provider parts from the policy
}

// Gap is one gap of a provider, with every cell that has it.
type Gap struct {
	ID           string              `json:"id"`
	Provider     evaluator.Provider  `json:"provider"`
	Kind         evaluator.Kind      `json:"kind"`
	Direction    evaluator.Direction `json:"direction"`
	Want         evaluator.Effect    `json:"want"`
	Got          []GotIn             `json:"got"`
	Reason       string              `json:"reason"` // in the first of the worst cells
	Source       *evaluator.Source   `json:"source"`
	Acknowledged *Accepted           `json:"acknowledged"` // null when the policy doesn't accept it
	Finding      string              `json:"finding"`      // the id of the finding about it
}

// GotIn is what a gap comes to in some cells.
type GotIn struct {
	Effect evaluator.Effect `json:"effect"`
	Cells  []string         `json:"cells"`
}

// Acknowledgement is one line of the policy's list of what it accepts.
type Acknowledgement struct {
	ID     string           `json:"id"` // of a gap or of an invariant
	Reason string           `json:"reason"`
	Source evaluator.Source `json:"source"`
	Seen   bool             `json:"seen"` // whether the audited cells show it
}

// Provider is a provider with what stands behind what is said about it.
type Provider struct {
	Name     evaluator.Provider `json:"name"`
	Version  string             `json:"version"`  // that is judged
	Versions []string           `json:"versions"` // that can be judged
	Cells    int                `json:"cells"`
	Claims   []Claim            `json:"claims"`
}

// Claim is something that is said of a provider, and the runs that showed it.
type Claim struct {
	evaluator.Proof `json:",inline"`
	Runs            []Run `json:"runs"`
}

// Run is one run of the real program, or one recording of it.
type Run struct {
	Part          string           `json:"part"` // of the claim, "" for all of it
	Status        evaluator.Status `json:"status"`
	By            string           `json:"by"` // program and version
	Binary        string           `json:"binary,omitempty"`
	Date          string           `json:"date"`
	Cases         int              `json:"cases"`
	Agreements    int              `json:"agreements"`
	Disagreements int              `json:"disagreements"`
}

// Worst is the gravest severity among the findings that nobody has accepted; ok is
// false when there is none.
func (r *Report) Worst() (s lint.Severity, ok bool) {
	for _, f := range r.Findings {
		if f.Acknowledged == nil {
			s, ok = max(s, f.Severity), true
		}
	}
	return s, ok
}
