package diff

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Report says what changed between two sides, and what was compared.
type Report struct {
	Old     Named    `json:"old"`
	New     Named    `json:"new"`
	Cells   int      `json:"cells"`  // that both sides have
	Same    int      `json:"same"`   // of those, with the same native bytes: they mean the same
	Probes  int      `json:"probes"` // Actions that both sides were asked in the other cells
	Changes []Change `json:"changes"`
	OnlyOld []string `json:"onlyOld"` // cells that can't be compared
	OnlyNew []string `json:"onlyNew"`
}

// Named is one side by name.
type Named struct {
	Name   string `json:"name"`
	Digest string `json:"digest"` // of the policy, "" when its cells come from several
}

// Changed is the direction of a change that is neither wider nor narrower: another
// decider or enforcer, other consequences, or an answer that can't be predicted on
// one of the sides.
const Changed evaluator.Direction = "changed"

// Change is one difference in meaning in one cell. Differences between the same two
// answers, given by the same two rules, are one change.
type Change struct {
	Provider    evaluator.Provider    `json:"provider"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	Direction   evaluator.Direction   `json:"direction"` // wider, narrower or changed
	Widens      bool                  `json:"widens"`    // more may happen: wider, or what can't be predicted any more
	Witness     evaluator.Action      `json:"witness"`   // the shortest probe that shows it
	Probes      int                   `json:"probes"`    // how many show it
	Old         Answer                `json:"old"`
	New         Answer                `json:"new"`
}

// Answer is what one side comes to on a change's witness.
type Answer struct {
	Effect      evaluator.Effect       `json:"effect"`
	Confinement evaluator.Confinement  `json:"confinement"`
	Decider     evaluator.Decider      `json:"decider"`
	Enforcer    evaluator.Enforcer     `json:"enforcer"`
	Native      evaluator.NativeAnswer `json:"native"`
	Then        *evaluator.Then        `json:"then,omitempty"`
	OnDenial    string                 `json:"onDenial,omitempty"`
	ToolAbsent  bool                   `json:"toolAbsent,omitzero"`
	Visible     *bool                  `json:"visible,omitempty"`
	Reason      string                 `json:"reason"`
	Rule        *evaluator.RuleRef     `json:"rule"`             // null when the provider's default decided
	Values      []evaluator.Source     `json:"values,omitempty"` // without a rule of the policy: the lines of the values in which the sides differ
	Policy      *Said                  `json:"policy,omitempty"` // without a rule of the policy: what the policy says in its own words
}

// Said is what a policy says of an Action, whatever the provider does.
type Said struct {
	Effect evaluator.Effect `json:"effect"`
	Rule   evaluator.Source `json:"rule"`
}

// Widened reports whether more may happen in some cell.
func (r *Report) Widened() bool {
	for _, c := range r.Changes {
		if c.Widens {
			return true
		}
	}
	return false
}

// Differs reports whether anything is different: an answer, or a cell that one side
// lacks.
func (r *Report) Differs() bool { return len(r.Changes)+len(r.OnlyOld)+len(r.OnlyNew) > 0 }

// differingValues lists the places of the values in which two native objects differ:
// where a provider takes values and no rules, they are behind every answer.
func differingValues(set, other compiler.RuleSet) []evaluator.Source {
	mine, theirs := values(set.Native), values(other.Native)
	var out []evaluator.Source
	for _, s := range set.Sources {
		if v, ok := mine[s.Pointer]; ok && s.Line > 0 && string(v) != string(theirs[s.Pointer]) {
			out = append(out, s.Source)
		}
	}
	return out
}

// values are the parts of a native value that a pointer of its sources may name:
// those of an object, by pointer, at any depth.
func values(v jsontext.Value) map[string]jsontext.Value {
	out := map[string]jsontext.Value{}
	collect(out, "", v)
	return out
}
