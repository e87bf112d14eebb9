package codex

import (
	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/evaluator"
)

// Where an approved command runs.
const (
	runsSandboxed   = "sandboxed"
	runsUnsandboxed = "unsandboxed"
	runsTwice       = "sandboxed-then-unsandboxed"
)

// What follows when the sandbox stops a command.
const (
	thenFails       = "fails"
	thenAsks        = "ask"
	thenReview      = "review"
	thenUnsandboxed = "unsandboxed"
)

// outcome is what Codex does with one request.
type outcome struct {
	effect      evaluator.Effect
	confinement evaluator.Confinement
	decider     evaluator.Decider
	enforcer    evaluator.Enforcer
	reason      string
	match       *execpolicy.Match // the rule that decided
	then        string
	onDenial    string
	hidden      bool // no client sees it
	absent      bool // the model isn't offered the tool
	writes      bool // it may change something outside of the model
	assumed     []string
	steps       []evaluator.Step
}

func deny(by evaluator.Decider, enforcer evaluator.Enforcer, reason string) outcome {
	return outcome{effect: evaluator.Deny, decider: by, enforcer: enforcer, reason: reason}
}

// rejected is a denial by the approval policy; Codex emits nothing for those of
// commands and patches, only the model hears of them.
func rejected(reason string) outcome {
	o := deny(evaluator.ByMode, evaluator.EnforcedByMode, reason)
	o.hidden = true
	return o
}

func unknown(reason string) outcome {
	return outcome{decider: evaluator.ByNobody, enforcer: evaluator.EnforcedByNobody, reason: reason}
}

// strictness places the outcome on the design's scale; known is false for an
// unknown one.
func (o outcome) strictness() (int, bool) { return evaluator.Strictness(o.effect, o.confinement) }

// loosest picks the outcome that decides among those of which an agent needs only
// one. Short of a plain allow, an unknown one makes the whole unknown. Of equals,
// the one whose approval leads somewhere comes first.
func loosest(all []outcome) int {
	best := 0
	for i := range all {
		now, known := all[i].strictness()
		before, knownBefore := all[best].strictness()
		switch {
		case known && now == 0:
			return i
		case !knownBefore:
		case !known, now < before, now == before && all[best].then == runsSandboxed && all[i].then == runsUnsandboxed:
			best = i
		}
	}
	return best
}
