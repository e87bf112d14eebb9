package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/audit"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// userRules is a session whose agents have rules of the user's own.
var userRules = evaluator.Env{Workspace: "/work", Home: "/home/dev", Agents: []evaluator.Agent{
	{ID: "build", Permissions: []evaluator.AgentRule{{Action: "*", Resource: "*", Effect: evaluator.Allow}, {Action: "edit", Resource: "src/*", Effect: evaluator.Allow}}},
	{ID: "plan", Permissions: []evaluator.AgentRule{{Action: "edit", Resource: "*", Effect: evaluator.Deny}}},
}}

// TestWitnesses is what a report promises: every witness that it shows, evaluated
// again under the policy's own settings, comes to what the report says.
func TestWitnesses(t *testing.T) {
	kinds := map[string]bool{}
	for _, name := range policies.BuiltinNames() {
		p := load(t, "builtin/"+name)
		older := options(evaluator.Claude)
		older.Version = "2.1.197"
		given := options()
		given.Env = userRules
		for _, o := range []audit.Options{options(), given, older} {
			r := build(t, p, o)
			shown := 0
			for _, f := range r.Findings {
				if f.Shown == nil {
					continue
				}
				shown++
				kinds[f.Kind] = true
				again(t, p, r, f)
			}
			if shown < len(r.Findings)/2 {
				t.Errorf("%s: %d of %d findings show an Action", name, shown, len(r.Findings))
			}
		}
	}
	for _, kind := range []string{"gap-wider", "gap-narrower", "invariant", "opened", "default-mode", "plan-writes", "version-dependent", "unspoken", "instruction-only"} {
		if !kinds[kind] {
			t.Errorf("no built-in policy shows a finding of the kind %s", kind)
		}
	}
}

// TestSpellings: a ban that goes by words is gone past by other spellings and by
// other commands, and the report shows how: every gap has a witness.
func TestSpellings(t *testing.T) {
	text := `rules:
  - {id: no-push, kind: command, match: git push *, effect: deny}
  - {id: no-env, kind: file-read, match: "**/.env", effect: deny}
acknowledge:
`
	for _, g := range build(t, parse(t, strings.TrimSuffix(text, "acknowledge:\n")), options()).Gaps {
		if g.Direction == evaluator.Wider && g.Acknowledged == nil {
			text += fmt.Sprintf("  - {gap: %s, reason: because}\n", g.ID)
		}
	}
	p := parse(t, text)
	r := build(t, p, options())
	does := 0
	for _, f := range r.Findings {
		if f.Shown == nil {
			if strings.HasPrefix(f.Kind, "gap-") {
				t.Errorf("nothing shows %s", f.ID)
			}
			continue
		}
		if f.Shown.Does != nil {
			does++
		}
		again(t, p, r, f)
	}
	if does == 0 {
		t.Error("no witness does what is denied: nothing was put to the test")
	}
}

// again evaluates a finding's witness anew.
func again(t *testing.T, p *policies.Policy, r *audit.Report, f audit.Finding) {
	t.Helper()
	s, env := f.Shown, r.Env
	if s.Env != nil {
		env = *s.Env
	}
	d, _ := adapters.Find(s.Provider)
	cell := evaluator.Cell{Provider: s.Provider, Mode: s.Mode, Interaction: s.Interaction}
	if s.Cell != cell.String() || !slices.Contains(f.Cells, s.Cell) {
		t.Errorf("%s: it is shown in %s, %s, of %v", f.ID, s.Cell, cell, f.Cells)
	}
	c, err := compiler.Compile(p, d, cell, compiler.Options{Env: env, Version: s.Version})
	if err != nil {
		t.Errorf("%s: %v", f.ID, err)
		return
	}
	v, err := c.Evaluate(s.Witness, false)
	if err != nil {
		t.Errorf("%s: %v", f.ID, err)
		return
	}
	want := audit.Outcome{
		Effect: v.Effect, Confinement: v.Confinement, Decider: v.Decider, Enforcer: v.Enforcer, Native: v.Native, Reason: v.Reason, Rule: v.Rule, Differs: v.Differs,
	}
	var skip []cmp.Option
	if f.Kind == "version-dependent" {
		skip = append(skip, cmpopts.IgnoreFields(audit.Outcome{}, "Differs")) // one of them, below
		otherVersion(t, f, d, c, env)
	}
	if diff := cmp.Diff(want, s.Outcome, skip...); diff != "" {
		t.Errorf("%s: the witness comes to something else (-again +reported):\n%s", f.ID, diff)
	}
	in := compiler.Lower(p, cell)
	session := d.Env(cell.Interaction, env)
	in.PlanFiles = d.PlanFiles(session)
	w := in.Want(s.Witness, session)
	if s.Does != nil { // what the Action does is denied: a person must see it, at least
		if w = in.Want(*s.Does, session); w.Effect != evaluator.Deny || s.Policy.Direction != evaluator.Wider || v.Effect == evaluator.Ask || v.Effect == evaluator.Deny {
			t.Errorf("%s: it does %+v, of which the policy says %s; it comes to %s", f.ID, s.Does, w.Effect, v.Effect)
		}
	}
	switch {
	case w.Rule == nil && s.Policy != nil, w.Rule != nil && s.Policy == nil:
		t.Errorf("%s: what the policy wants: %+v, reported %+v", f.ID, w, s.Policy)
	case w.Rule != nil && (w.Effect != s.Policy.Effect || w.Rule.Source != s.Policy.Source || s.Does == nil && w.Against(s.Witness, v) != s.Policy.Direction):
		t.Errorf("%s: what the policy wants: %+v %s, reported %+v", f.ID, w, w.Rule.Source.ID, s.Policy)
	}
	if direction, ok := strings.CutPrefix(f.Kind, "gap-"); ok && (s.Policy == nil || string(s.Policy.Direction) != direction) {
		t.Errorf("%s: the witness shows %+v", f.ID, s.Policy)
	}
}

// otherVersion asks the version that a finding speaks of.
func otherVersion(t *testing.T, f audit.Finding, d compiler.Dialect, c *compiler.Compiled, env evaluator.Env) {
	t.Helper()
	if len(f.Shown.Differs) != 1 {
		t.Errorf("%s: %d other versions", f.ID, len(f.Shown.Differs))
		return
	}
	said := f.Shown.Differs[0]
	if !slices.Contains(d.Versions(), said.Version) {
		return // the Verdict speaks of it, and it can't be asked
	}
	m, err := d.Read(c.RuleSet.Native, compiler.Setting{Version: said.Version, Env: d.Env(f.Shown.Interaction, env)})
	if err != nil {
		t.Errorf("%s: %v", f.ID, err)
		return
	}
	if v, err := evaluator.Evaluate(m, f.Shown.Witness, false); err != nil || v.Effect != said.Effect {
		t.Errorf("%s: %s comes to %s (%v), reported %s", f.ID, said.Version, v.Effect, err, said.Effect)
	}
}

// TestNoGapIsLeftOut compiles every cell anew: each of its gaps is in the report,
// with the cell and what it comes to, and has a finding with the cell.
func TestNoGapIsLeftOut(t *testing.T) {
	for _, name := range policies.BuiltinNames() {
		p := load(t, "builtin/"+name)
		r := build(t, p, options())
		n := 0
		for _, d := range adapters.Table() {
			for _, mode := range evaluator.Modes() {
				for _, interaction := range evaluator.Interactions() {
					cell := evaluator.Cell{Provider: d.Provider(), Mode: mode, Interaction: interaction}
					c, err := compiler.Compile(p, d, cell, compiler.Options{Env: audit.MadeUpEnv})
					if err != nil {
						t.Fatal(err)
					}
					for _, g := range c.RuleSet.Gaps {
						n++
						if fault := missing(r, cell.String(), g); fault != "" {
							t.Errorf("%s: %s %s: %s", cell, g.Direction, g.ID, fault)
						}
					}
				}
			}
		}
		if n == 0 {
			t.Errorf("%s has no gaps: nothing was compared", name)
		}
	}
}

// missing says what a report lacks of a gap in a cell.
func missing(r *audit.Report, cell string, g evaluator.Gap) string {
	i := slices.IndexFunc(r.Gaps, func(o audit.Gap) bool { return o.ID == g.ID && o.Direction == g.Direction })
	if i < 0 {
		return "it isn't reported"
	}
	one := r.Gaps[i]
	if (one.Acknowledged != nil) != g.Acknowledged {
		return fmt.Sprintf("acknowledged is %v", g.Acknowledged)
	}
	if !slices.ContainsFunc(one.Got, func(got audit.GotIn) bool { return got.Effect == g.Got && slices.Contains(got.Cells, cell) }) {
		return fmt.Sprintf("it comes to %s, reported %+v", g.Got, one.Got)
	}
	j := slices.IndexFunc(r.Findings, func(f audit.Finding) bool { return f.ID == one.Finding })
	if j < 0 {
		return "it has no finding"
	}
	if f := r.Findings[j]; !slices.Contains(f.Cells, cell) || !slices.Contains(f.Gaps, g.ID) || (f.Acknowledged != nil) != g.Acknowledged {
		return fmt.Sprintf("its finding has cells %v, gaps %v", f.Cells, f.Gaps)
	}
	return ""
}

// TestUsersOwnRule: a user's own agent rule that stays open in plan is a hole that
// the report lists, whether the session is given or not.
func TestUsersOwnRule(t *testing.T) {
	p := load(t, "builtin/t3code")
	of := func(env evaluator.Env, id string) *audit.Finding {
		o := options(evaluator.OpenCode2)
		o.Env = env
		r := build(t, p, o)
		i := slices.IndexFunc(r.Findings, func(f audit.Finding) bool { return f.ID == id })
		if i < 0 {
			t.Fatalf("no finding %s", id)
		}
		return &r.Findings[i]
	}
	for _, f := range []*audit.Finding{
		of(evaluator.Env{}, "opened.agent-rule.opencode2.file-change.plan-edits-deny"),
		of(userRules, "gap-wider.opencode2.file-change.plan-edits-deny"),
	} {
		if f.Severity != lint.Error || f.Shown == nil || f.Shown.Interaction != evaluator.Plan || !strings.HasPrefix(f.Shown.Witness.Path, "src/") ||
			f.Shown.Effect != evaluator.Allow || f.Shown.Policy.Effect != evaluator.Deny || f.Acknowledged == nil {
			t.Errorf("%+v, %+v", f, f.Shown)
		}
	}
}
