package adapters_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// TestRandomGaps holds the second law for policies that nobody wrote: what each
// writer declares is what a comparison finds, by the second opinion of what the
// policy means and by the meaning of the native bytes. -rapid.checks tries more.
func TestRandomGaps(t *testing.T) {
	for _, d := range adapters.Table() {
		t.Run(string(d.Provider()), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p, cell, env := drawCell(t, d)
				compareRandom(t, d, p, cell, env)
			})
		})
	}
}

// drawEnv draws surroundings in which a provider may do other things.
func drawEnv(t *rapid.T, provider evaluator.Provider) evaluator.Env {
	env := evaluator.Env{Workspace: "/ws", Home: "/h"}
	switch provider {
	case evaluator.OpenCode, evaluator.OpenCode2:
		if rapid.Bool().Draw(t, "agents") {
			env.Agents = agents()
		}
	case evaluator.Cursor:
		env.Facts = jsontext.Value(oneOf(t, "facts", "", `{"approvalMode":"allowlist"}`, `{"modes":[{"id":"code"},{"id":"plan"},{"id":"ask"}]}`))
	}
	return env
}

// written is a drawn cell as its writer writes it and its reader reads it.
func written(t *rapid.T, d compiler.Dialect, p randomPolicy, cell evaluator.Cell, env evaluator.Env) (compiler.Intent, compiler.Written, evaluator.Meaning) {
	in := compiler.Lower(p.parse(t), cell)
	in.PlanFiles = d.PlanFiles(env)
	w, err := d.Write(in, env)
	if err != nil {
		t.Fatalf("%s\n%s: %v", p.yaml(), cell, err)
	}
	m, err := d.Read(w.Native, compiler.Setting{Env: env})
	if err != nil {
		t.Fatalf("%s\n%s: %v", p.yaml(), cell, err)
	}
	return in, w, m
}

func compareRandom(t *rapid.T, d compiler.Dialect, p randomPolicy, cell evaluator.Cell, env evaluator.Env) {
	env = d.Env(cell.Interaction, env)
	in, w, m := written(t, d, p, cell, env)
	found, why := map[string]bool{}, map[string]string{}
	o := opinion{p.of(cell), in.PlanFiles, env}
	for _, probe := range in.Probes(env) {
		v, err := evaluator.Evaluate(m, probe.Action, false)
		if err != nil {
			v = evaluator.Verdict{Reason: err.Error()}
		}
		if id := o.gap(cell, probe, v); id != "" {
			found[id] = true
			why[id] = fmt.Sprintf("%s: %s, %s", describe(probe), v.Effect, v.Reason)
		}
	}
	declared := map[string]bool{}
	for _, g := range w.Gaps() {
		id := string(g.Direction) + " " + g.ID
		declared[id] = true
		why[id] = "declared: " + g.Reason + ", found: " + why[id]
	}
	if diff := cmp.Diff(sorted(declared), sorted(found)); diff != "" {
		for id := range why {
			if declared[id] != found[id] {
				diff += id + ": " + why[id] + "\n"
			}
		}
		t.Fatalf("%s\n%s: declared (-) and found (+) part:\n%s\n%s", p.yaml(), cell, diff, w.Native)
	}
}

// gap is the gap that a Verdict makes, "" when it is what the policy says.
func (o opinion) gap(cell evaluator.Cell, p compiler.Probe, v evaluator.Verdict) string {
	w := o.want(p.Action, p.Does)
	want, got := scale(w.effect, 0), scale(v.Effect, v.Confinement)
	id := fmt.Sprintf(" %s.%s", cell.Provider, w.id)
	switch {
	case w.effect == evaluator.Unknown:
	case p.Kind == evaluator.Question && w.effect != evaluator.Deny && (v.Effect == evaluator.Allow || v.Effect == evaluator.Ask):
	case v.Effect == evaluator.Unknown:
		return "not-compared" + id
	case got < want:
		return "wider" + id
	case got > want && !w.loose:
		return "narrower" + id
	}
	return ""
}

func sorted(set map[string]bool) []string {
	var out []string
	for id := range set {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

func describe(p compiler.Probe) string {
	s := fmt.Sprintf("%s %s%s%s%s%s%s%s", p.Kind, p.Command, p.Path, p.URL, p.Query, p.Server+"/"+p.Tool, p.Agent, p.Text)
	if p.To != "" {
		s += " to " + p.To
	}
	if p.Does != nil {
		s += fmt.Sprintf(" (does %s %s%s)", p.Does.Kind, p.Does.Command, p.Does.Path)
	}
	return s
}
