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

// profile is one mode of a policy's profile for Claude.
type profile struct {
	mode              *Mode // nil: blank
	skip              bool
	callback          string
	person            bool // to whom every request goes
	modeAt, skipAt    evaluator.Source
	callbackAt, entry evaluator.Source
}

// CheckProfile accepts {modes: {MODE: {permissionMode, callback,
// allowDangerouslySkipPermissions?}}, rules?: {allow?, ask?, deny?}}.
func (dialect) CheckProfile(r *policies.Reader, n *policies.Node) { readProfile(r, n) }

func readProfile(r *policies.Reader, n *policies.Node) map[evaluator.Mode]profile {
	out := map[evaluator.Mode]profile{}
	byMode := map[string]func(*policies.Node){}
	for _, m := range evaluator.Modes() {
		byMode[string(m)] = func(n *policies.Node) { out[m] = readMode(r, n) }
	}
	r.Map(n, "the Claude profile", map[string]func(*policies.Node){
		"modes": func(n *policies.Node) { r.Map(n, "modes", byMode) },
		"rules": func(n *policies.Node) { readOwnRules(r, n) },
	})
	return out
}

func readMode(r *policies.Reader, n *policies.Node) profile {
	p := profile{}
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
	})
	r.Require(n, "a mode of the Claude profile", "permissionMode", "callback")
	if p.mode != nil && *p.mode == Bypass && !p.skip {
		r.Refuse(p.modeAt, "bypassPermissions needs allowDangerouslySkipPermissions: true")
	}
	return p
}

// Write takes the cell's mode from the profile, and says in rules what the policy
// says of less than everything. Plan is a matter of the turn
// alone: the base mode stays, and so does the callback.
func (d dialect) Write(in compiler.Intent, env evaluator.Env) (compiler.Written, error) {
	if in.Profile == nil {
		return compiler.Written{}, fmt.Errorf("the policy %q has no profile for claude: give it providers.claude.modes, or extend a policy that has it", in.Policy.Name)
	}
	r := &policies.Reader{}
	p, ok := readProfile(r, in.Profile)[in.Cell.Mode]
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
	rules := emit(in, env)
	var refs, answers []compiler.SourceRef
	n.Permissions, refs = permissions(rules)
	if own := in.Profile.Get("rules"); own != nil {
		refs = append(refs, n.Permissions.add(readOwnRules(r, own))...)
	}
	if !p.person {
		n.Callback.Rules, answers = callback.Of(in)
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

// turn is the mode that each turn sets: plan, or the base mode, or default where
// that is blank, because a session that left plan must be told so.
func (p profile) turn(i evaluator.Interaction) *Mode {
	m := Default
	switch {
	case i == evaluator.Plan:
		m = Plan
	case p.mode != nil:
		m = *p.mode
	}
	return &m
}
