package claude

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// profile is a policy's profile for Claude: what each mode comes to, and what
// every mode comes to in plan, where that differs.
type profile struct {
	modes map[evaluator.Mode]values
	plan  *values
}

// values are those of one mode, or of plan.
type values struct {
	mode              *Mode // nil: blank
	skip              bool
	callback          string
	person            bool // to whom every request goes
	insist            bool // the callback answers by all that the policy says, and what it says of a whole kind is sent, too, which no allow rule beats
	modeAt, skipAt    evaluator.Source
	callbackAt, entry evaluator.Source
}

// CheckProfile accepts {modes: {MODE: VALUES}, plan?: VALUES, rules?: {allow?,
// ask?, deny?}}, VALUES being {permissionMode, callback,
// allowDangerouslySkipPermissions?, insist?}.
func (dialect) CheckProfile(r *policies.Reader, n *policies.Node) { readProfile(r, n) }

func readProfile(r *policies.Reader, n *policies.Node) profile {
	out := profile{modes: map[evaluator.Mode]values{}}
	byMode := map[string]func(*policies.Node){}
	for _, m := range evaluator.Modes() {
		byMode[string(m)] = func(n *policies.Node) { out.modes[m] = readValues(r, n) }
	}
	r.Map(n, "the Claude profile", map[string]func(*policies.Node){
		"modes": func(n *policies.Node) { r.Map(n, "modes", byMode) },
		"plan": func(n *policies.Node) {
			v := readValues(r, n)
			out.plan = &v
		},
		"rules": func(n *policies.Node) { readOwnRules(r, n) },
	})
	return out
}

// of is what a cell comes to.
func (p profile) of(c evaluator.Cell) (values, bool) {
	v, ok := p.modes[c.Mode]
	if ok && c.Interaction == evaluator.Plan && p.plan != nil {
		return *p.plan, true
	}
	return v, ok
}

func readValues(r *policies.Reader, n *policies.Node) values {
	p := values{}
	if n != nil {
		p.entry, p.skipAt = n.Source, n.Source
	}
	words := []string{blankMode}
	for _, m := range modes() {
		words = append(words, string(m))
	}
	r.Map(n, "a mode of the Claude profile", map[string]func(*policies.Node){
		"permissionMode": func(n *policies.Node) {
			if w := r.Word(n, "permissionMode", words...); w != blankMode && w != "" {
				m := Mode(w)
				p.mode = &m
			}
			p.modeAt = n.Source
		},
		"callback": func(n *policies.Node) {
			p.callback = r.Word(n, "callback", answerAsk, answerAllow, personAnswers)
			if p.callback == personAnswers {
				p.callback, p.person = answerAsk, true
			}
			p.callbackAt = n.Source
		},
		"allowDangerouslySkipPermissions": func(n *policies.Node) {
			p.skip = r.Bool(n, "allowDangerouslySkipPermissions")
			p.skipAt = n.Source
		},
		"insist": func(n *policies.Node) { p.insist = r.Bool(n, "insist") },
	})
	r.Require(n, "a mode of the Claude profile", "permissionMode", "callback")
	if p.mode != nil && *p.mode == Bypass && !p.skip {
		r.Refuse(p.modeAt, "bypassPermissions needs allowDangerouslySkipPermissions: true")
	}
	return p
}

// Write takes the cell's values from the profile, and says in rules what the policy
// says of less than everything. Plan is a matter of the turn: the base mode stays,
// and so does the callback, unless the profile has values for plan.
func (d dialect) Write(in compiler.Intent, env evaluator.Env) (compiler.Written, error) {
	if in.Profile == nil {
		return compiler.Written{}, fmt.Errorf("the policy %q has no profile for claude: give it providers.claude.modes, or extend a policy that has it", in.Policy.Name)
	}
	r := &policies.Reader{}
	p, ok := readProfile(r, in.Profile).of(in.Cell)
	if !ok {
		r.Refuse(in.Profile.Source, "the Claude profile has no mode %s: add it", in.Cell.Mode)
	}
	if err := r.Problems.Err(); err != nil {
		return compiler.Written{}, err
	}
	n := Native{
		PermissionMode:                  p.mode,
		AllowDangerouslySkipPermissions: p.skip,
		TurnPermissionMode:              p.turn(in.Cell.Interaction),
		Callback:                        Callback{AskUserQuestion: answerQuestion, ExitPlanMode: answerPlan, Default: p.callback},
	}
	rules := emit(in, env, p.insists)
	var refs, answers []compiler.SourceRef
	n.Permissions, refs = permissions(rules)
	if own := in.Profile.Get("rules"); own != nil {
		refs = append(refs, n.Permissions.add(readOwnRules(r, own))...)
	}
	if !p.person {
		n.Callback.Rules, answers = callback.Of(in, p.insist)
	}
	data, err := strictjson.Encode(n)
	if err != nil {
		return compiler.Written{}, err
	}
	return compiler.Written{Native: data, Gaps: func() []evaluator.Gap { return declare(in, env, n, rules) }, Assumed: floating(rules, env), Sources: slices.Concat([]compiler.SourceRef{
		{Pointer: "/permissionMode", Source: p.modeAt},
		{Pointer: "/allowDangerouslySkipPermissions", Source: p.skipAt},
		{Pointer: "/turnPermissionMode", Source: p.modeAt},
		{Pointer: "/callback/default", Source: p.callbackAt},
	}, refs, answers)}, nil
}

// insists reports whether a rule is sent, whatever it speaks of: one that asks or
// denies, and one for a review where no classifier decides, as an ask.
func (p values) insists(r compiler.Rule) bool {
	classifier := p.mode != nil && *p.mode == Auto
	return p.insist && r.Effect != evaluator.Allow && (r.Effect != evaluator.Review || !classifier)
}

// turn is the mode that each turn sets: plan, or the base mode, or default where
// that is blank, because a session that left plan must be told so.
func (p values) turn(i evaluator.Interaction) *Mode {
	m := Default
	switch {
	case i == evaluator.Plan:
		m = Plan
	case p.mode != nil:
		m = *p.mode
	}
	return &m
}
