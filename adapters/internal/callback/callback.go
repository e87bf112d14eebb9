// Package callback owns what our adapter answers by itself when a provider asks,
// for providers that take no rules, or fewer than a policy has: the policy's own
// rules, which stand in the native settings and are judged request by request.
package callback

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/bash"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// Rule is one rule of a callback, in the policy's language. The last rule that
// matches decides. Its effect is allow, ask or deny: a callback has no reviewer.
type Rule struct {
	Kind   evaluator.Kind   `json:"kind"`
	Match  string           `json:"match"`
	Effect evaluator.Effect `json:"effect"`
}

var aboutPaths = []evaluator.Kind{evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace, evaluator.AnyKind}

// Own lists the rules of a policy that its profile's modes don't stand for: those
// of less than everything, and those of the policy's own list.
func Own(in compiler.Intent) []compiler.Rule { return in.Sent(IsOwn) }

// IsOwn reports whether a rule is one that its profile's modes don't stand for.
func IsOwn(r compiler.Rule) bool {
	return r.Section == compiler.PolicyRules || r.Match != compiler.Everything && r.Match != compiler.PlanFiles
}

// Of lists the rules that a cell's callback answers by, and where they come from:
// the policy's own, and beside rules about paths all that it says of paths
// outside, which is a second condition. What they don't speak of has the
// profile's one answer. With all, they are all that the policy says.
func Of(in compiler.Intent, all bool) ([]Rule, []compiler.SourceRef) {
	list := Own(in)
	if all {
		list = in.Effective()
	}
	if slices.ContainsFunc(list, func(r compiler.Rule) bool { return slices.Contains(aboutPaths, r.Kind) }) {
		outside := in.Sent(func(r compiler.Rule) bool { return r.Kind == evaluator.OutsideWorkspace })
		list = append(slices.DeleteFunc(list, func(r compiler.Rule) bool { return r.Kind == evaluator.OutsideWorkspace }), outside...)
	}
	var rules []Rule
	var refs []compiler.SourceRef
	for i, r := range list {
		effect := r.Effect
		if effect == evaluator.Review {
			effect = evaluator.Ask
		}
		rules, refs = append(rules, Rule{r.Kind, r.Match, effect}), append(refs, compiler.SourceRef{Pointer: Pointer(i), Source: r.Source})
	}
	return rules, refs
}

// Pointer is the JSON Pointer of a rule in native settings.
func Pointer(i int) string { return "/callback/rules/" + strconv.Itoa(i) }

// Check reports what is wrong with rules that were read.
func Check(rules []Rule) error {
	for i, r := range rules {
		switch {
		case !slices.Contains(evaluator.RuleKinds(), r.Kind):
			return fmt.Errorf("/%d: a rule can't have kind %q: use %v", i, r.Kind, evaluator.RuleKinds())
		case r.Effect != evaluator.Allow && r.Effect != evaluator.Ask && r.Effect != evaluator.Deny:
			return fmt.Errorf("/%d: a callback can't answer %s: use allow, ask, deny", i, r.Effect)
		}
		if err := policies.CheckMatch(r.Kind, r.Match); err != nil {
			return fmt.Errorf("/%d: %w", i, err)
		}
	}
	return nil
}

// Answerer answers requests by rules. The zero value has none.
type Answerer struct {
	rules []Rule
	in    compiler.Intent
}

// Native is a rule as the native settings have it.
func (a Answerer) Native(i int) jsontext.Value {
	b, err := strictjson.Encode(a.rules[i])
	if err != nil { // only text that isn't UTF-8; it never gets here from an edge
		return jsontext.Value("null")
	}
	return b
}

// New makes an Answerer of rules that Check accepts. planFiles is what
// @plan-files stands for.
func New(rules []Rule, planFiles []string) Answerer {
	list := make([]policies.Rule, len(rules))
	for i, r := range rules {
		list[i] = policies.Rule{ID: strconv.Itoa(i), Kind: r.Kind, Match: r.Match, Effect: r.Effect}
	}
	a := Answerer{rules, compiler.IntentOf(list)}
	a.in.PlanFiles = planFiles
	return a
}

// Answer is what the callback answers to a request for an Action: allow, deny, or
// ask for leaving it to a person. rule is the deciding rule's position. ok is
// false where no rule speaks of all of it, or an allow can't be sure of what a
// command does: then the profile's answer holds, short of an allow.
func (a Answerer) Answer(action evaluator.Action, env evaluator.Env) (e evaluator.Effect, rule int, ok bool) {
	w := a.in.Want(action, env)
	if w.Rule == nil || w.Partly && w.Effect == evaluator.Allow {
		return evaluator.Unknown, 0, false
	}
	rule, _ = strconv.Atoi(w.Rule.ID)
	if w.Effect == evaluator.Allow && action.Kind == evaluator.Command && !Plain(action.Command) {
		return evaluator.Ask, rule, true
	}
	return w.Effect, rule, true
}

// Plain reports whether a command text does no more than its commands say: no
// assignment changes what they mean, and no redirect writes a file.
func Plain(text string) bool {
	s, err := bash.Parse(text)
	if err != nil {
		return false
	}
	plain := true
	syntax.Walk(s.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign, *syntax.Redirect, *syntax.FuncDecl:
			plain = false
		case *syntax.CallExpr:
			plain = plain && len(n.Args) > 0
		}
		return plain
	})
	return plain
}
