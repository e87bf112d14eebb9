package policylint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// dead finds the rules that never decide, and the rules for everything that stand
// behind narrower ones of their own list.
func (v *view) dead() []lint.Finding {
	var out []lint.Finding
	hidden := map[ruleKey][]*ruleView{} // by the rule for everything that hides them
	for _, r := range v.rules {
		over, ok := v.overruledBy(r)
		switch {
		case !ok:
			continue
		case slices.ContainsFunc(over, func(o compiler.Rule) bool { return v.layer(o.Source) > v.layer(r.Source) }):
			out = append(out, v.undone(r, over)...)
			continue
		}
		out = append(out, deadFinding(r, over))
		for _, o := range over {
			if o.Match == compiler.Everything && o.Section == r.Section && r.Match != compiler.Everything {
				hidden[keyOfRule(o)] = append(hidden[keyOfRule(o)], r)
			}
		}
	}
	for _, r := range v.rules {
		if list := hidden[keyOfRule(r.Rule)]; list != nil {
			out = append(out, catchAllFinding(r, list))
		}
	}
	if v.skipped > 0 {
		out = append(out, lint.New("too-large", evaluator.Source{File: v.policy.Files[len(v.policy.Files)-1]},
			fmt.Sprintf("the policy has so many rules that %d times a rule wasn't looked at for what it decides in a cell", v.skipped),
			"split the policy"))
	}
	return out
}

// overruledBy lists the rules that decide in a rule's place. ok is false when the
// rule changes something somewhere, or is overruled only where plan takes back what
// holds otherwise.
func (v *view) overruledBy(r *ruleView) (over []compiler.Rule, ok bool) {
	for _, f := range r.fates {
		switch f.kind {
		case unmatched:
			return nil, false
		case overruled:
			ok = ok || f.intent.Cell.Interaction == evaluator.Default || r.Section == compiler.InteractionRules
			for _, o := range f.over {
				if !slices.ContainsFunc(over, func(x compiler.Rule) bool { return keyOfRule(x) == keyOfRule(o) }) {
					over = append(over, o)
				}
			}
		}
	}
	if !ok || slices.ContainsFunc(r.fates, func(f fate) bool { return v.changes(r, f) }) {
		return nil, false
	}
	return over, true
}

func deadFinding(r *ruleView, over []compiler.Rule) lint.Finding {
	first := over[0]
	who := named(first.Rule, r.Source)
	says := "says " + first.Effect.String()
	if len(over) > 1 {
		who += fmt.Sprintf(" or %s", named(over[1].Rule, r.Source))
		says = "says otherwise"
	}
	if len(over) > 2 {
		who = fmt.Sprintf("%s, or one of %d others,", named(first.Rule, r.Source), len(over)-1)
	}
	f := lint.New(lint.DeadRule, r.Source, "", "")
	switch {
	case first.Kind == evaluator.OutsideWorkspace && r.Kind != evaluator.OutsideWorkspace:
		f.Message = fmt.Sprintf("rule %s never decides: the path lies outside the workspace, where %s %s, and the stricter of the two holds", r.ID, who, says)
		f.Instead = fmt.Sprintf("add {kind: outside-workspace, match: %s, effect: %s} behind %s, or remove %s", yamlText(r.Match), r.Effect, first.ID, r.ID)
	case r.Kind == evaluator.OutsideWorkspace && first.Kind != evaluator.OutsideWorkspace:
		f.Message = fmt.Sprintf("rule %s never decides: %s %s of the same paths, and the stricter of the two holds", r.ID, who, says)
		f.Instead = fmt.Sprintf("say %s of the paths themselves, too, in a rule behind %s, or remove %s", r.Effect, first.ID, r.ID)
	default:
		f.Message = fmt.Sprintf("rule %s never decides: whatever it matches, %s comes later and %s, and the last rule that matches decides", r.ID, who, says)
		f.Instead = fmt.Sprintf("write %s behind %s, or remove it", r.ID, first.ID)
	}
	for _, o := range over {
		f.Related = append(f.Related, see(o.Rule, o.ID+" decides instead"))
	}
	return f
}

func catchAllFinding(r *ruleView, hidden []*ruleView) lint.Finding {
	var names []string
	for _, h := range hidden {
		names = append(names, named(h.Rule.Rule, r.Source))
	}
	what := "every " + string(r.Kind)
	if r.Kind == evaluator.AnyKind {
		what = "everything"
	}
	f := lint.New("catch-all-last", r.Source,
		fmt.Sprintf("rule %s matches %s and stands behind narrower rules, so that it takes %s out of force", r.ID, what, strings.Join(names, ", ")),
		fmt.Sprintf("write %s before %s: the narrow rules come last", r.ID, hidden[0].ID))
	for _, h := range hidden {
		f.Related = append(f.Related, see(h.Rule.Rule, h.ID+" never decides"))
	}
	return f
}

// undone finds rules of a later layer that take a ban of an earlier one out of
// force. To allow what the base asks about is what layers are for, and so is to
// be stricter; a narrow ban that goes along with that is easily overlooked.
func (v *view) undone(r *ruleView, over []compiler.Rule) []lint.Finding {
	if r.Match == compiler.Everything || r.Effect != evaluator.Deny {
		return nil
	}
	var out []lint.Finding
	for _, o := range over {
		if v.layer(o.Source) <= v.layer(r.Source) || !compiler.Looser(o.Effect, r.Effect) {
			continue
		}
		f := lint.New("undone-layer", o.Source,
			fmt.Sprintf("rule %s takes %s of %s out of force: it says %s of everything that is denied there", o.ID, r.ID, r.Source.File, o.Effect),
			fmt.Sprintf("make %s narrower, or deny %s again behind it", o.ID, yamlText(r.Match)))
		f.Related = []lint.Related{see(r.Rule.Rule, r.ID+" is undone")}
		out = append(out, f)
	}
	return out
}

// yamlText writes a pattern as a policy has it.
func yamlText(s string) string { return `"` + s + `"` }
