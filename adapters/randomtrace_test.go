package adapters_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/evaluator"
)

// TestRandomTrace holds that explaining changes no answer, and that the rule which an
// answer names is one that its trace shows as matching.
func TestRandomTrace(t *testing.T) {
	for _, d := range adapters.Table() {
		t.Run(string(d.Provider()), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p, cell, env := drawCell(t, d)
				env = d.Env(cell.Interaction, env)
				in, _, m := written(t, d, p, cell, env)
				probes := in.Probes(env)
				for i := rapid.IntRange(0, 9).Draw(t, "first probe"); i < len(probes); i += 10 {
					probe := probes[i]
					plain, err := evaluator.Evaluate(m, probe.Action, false)
					explained, err2 := evaluator.Evaluate(m, probe.Action, true)
					if err != nil || err2 != nil {
						continue // what a provider has no request for
					}
					if diff := cmp.Diff(plain, explained, cmpopts.IgnoreFields(evaluator.Verdict{}, "Trace")); diff != "" {
						t.Fatalf("%s\n%s: %s: without (-) and with (+) the trace:\n%s", p.yaml(), cell, describe(probe), diff)
					}
					if fault := untrue(explained); fault != "" {
						t.Fatalf("%s\n%s: %s: %s: %+v\n%+v", p.yaml(), cell, describe(probe), fault, explained.Rule, explained.Trace)
					}
				}
			})
		})
	}
}

// untrue is what a Verdict's trace has wrong, "" when nothing.
func untrue(v evaluator.Verdict) string {
	type looked struct {
		part     int
		resource string
		layer    string
		index    int
		native   string
	}
	matched := map[looked]bool{}
	shown := v.Rule == nil
	for _, s := range v.Trace {
		at := looked{s.Part, s.Resource, s.Layer, s.Index, string(s.Native)}
		if was, ok := matched[at]; ok && was != s.Matched {
			return "a rule is said to match a text, and not to"
		}
		matched[at] = s.Matched
		shown = shown || s.Matched && s.Layer == v.Rule.Layer && s.Index == v.Rule.Index && s.Pointer == v.Rule.Pointer
	}
	if !shown {
		return "no step shows the rule that decided"
	}
	return ""
}
