package policylint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// unspecified finds the modes that the policy doesn't speak of: that have no rules
// of their own, and none for everything among those for every mode. A policy that
// extends none leaves them to each provider.
func unspecified(p *policies.Policy) []lint.Finding {
	var out []lint.Finding
	for _, mode := range evaluator.Modes() {
		holds := func(r policies.Rule) bool {
			return r.Match == compiler.Everything && (r.Modes == nil || slices.Contains(r.Modes, mode))
		}
		if len(p.Modes[mode].Rules) > 0 || slices.ContainsFunc(p.Rules, holds) {
			continue
		}
		out = append(out, lint.New("unspecified-mode", evaluator.Source{File: p.Files[0], Line: 1, Column: 1},
			fmt.Sprintf("the mode %s has no rules, so each provider does there what it does by itself: OpenCode 2 allows everything", mode),
			fmt.Sprintf("extend builtin/t3code, or give modes.%s rules of its own, beginning with {kind: any, match: \"*\", effect: ask}", mode)))
	}
	return out
}

// acknowledged finds acknowledgements of gaps that no rule can have.
func acknowledged(p *policies.Policy) []lint.Finding {
	var known []string
	add := func(list []policies.Rule) {
		for _, r := range list {
			known = append(known, r.ID)
		}
	}
	add(p.Rules)
	for _, m := range p.Modes {
		add(m.Rules)
	}
	for _, list := range p.Interactions {
		add(list)
	}
	var out []lint.Finding
	for _, a := range p.Acknowledge {
		if a.Gap == "" {
			continue // of an invariant
		}
		at := strings.LastIndexByte(a.Gap, '.') + 1
		if !slices.ContainsFunc(known, func(id string) bool { return a.Accepts(a.Gap[:at] + id) }) {
			out = append(out, lint.New("unknown-gap", a.Source,
				fmt.Sprintf("the gap %s is acknowledged, and the policy has no rule %s: nothing is accepted by this", a.Gap, a.Gap[at:]),
				"write the id that the compiler reports, or remove the acknowledgement"))
		}
	}
	return out
}

// promises are the modes that hold something back by their name, and the kinds of
// Action of which they then can't allow everything.
var promises = []struct {
	mode  evaluator.Mode
	kinds []evaluator.Kind
	what  string
}{
	{evaluator.ApprovalRequired, []evaluator.Kind{evaluator.Command, evaluator.FileChange}, "asks before anything is run or changed"},
	{evaluator.AutoAcceptEdits, []evaluator.Kind{evaluator.Command}, "accepts edits and asks before anything is run"},
}

// labels finds rules that grant more than their mode or their own name says.
func (v *view) labels() []lint.Finding {
	var out []lint.Finding
	for _, p := range promises {
		for i := range v.intents {
			in := &v.intents[i]
			if in.Cell.Mode != p.mode || in.Cell.Interaction != evaluator.Default {
				continue
			}
			for _, kind := range p.kinds {
				if r := governs(in, kind); r != nil && r.Effect == evaluator.Allow {
					out = append(out, lint.New("wide-grant", r.Source,
						fmt.Sprintf("rule %s allows every %s in the mode %s, which by its name %s", r.ID, kind, p.mode, p.what),
						fmt.Sprintf("allow single %ss, or allow everything in the mode full-access alone", kind)))
				}
			}
		}
	}
	for _, r := range v.rules {
		if f, ok := v.misnamed(r); ok {
			out = append(out, f)
		}
	}
	return out
}

// governs returns the rule that decides whatever no narrower rule of a kind of
// Action speaks of, nil when there is none.
func governs(in *compiler.Intent, kind evaluator.Kind) *compiler.Rule {
	for i, r := range slices.Backward(in.Rules) {
		if r.Match == compiler.Everything && (r.Kind == kind || r.Kind == evaluator.AnyKind) {
			return &in.Rules[i]
		}
	}
	return nil
}

// misnamed compares a rule with the id that its author gave it.
func (v *view) misnamed(r *ruleView) (lint.Finding, bool) {
	words := strings.Split(r.ID, "-")
	if said, ok := effectWord(words[len(words)-1]); ok && !r.Replaces && compiler.Looser(r.Effect, said) {
		return lint.New("wide-grant", r.Source,
			fmt.Sprintf("rule %s says %s, and its name says %s", r.ID, r.Effect, said),
			fmt.Sprintf("write effect: %s, or another id", said)), true
	}
	pattern, open := strings.CutSuffix(r.Match, " *")
	if r.Kind != evaluator.Command || r.Effect != evaluator.Allow || !open {
		return lint.Finding{}, false
	}
	fields := strings.Fields(pattern)
	for i, w := range fields {
		if i >= len(words) || words[i] != w {
			return lint.Finding{}, false
		}
	}
	if len(words) == len(fields) || !slices.Contains(narrowWords, words[len(fields)]) {
		return lint.Finding{}, false
	}
	if !v.opens(r) {
		return lint.Finding{}, false
	}
	return lint.New("wide-grant", r.Source,
		fmt.Sprintf("rule %s allows every command that begins with %q, and its name speaks of %q alone", r.ID, pattern, strings.Join(words, " ")),
		fmt.Sprintf("write match: %s, or an id that says so", yamlText(strings.Join(words[:len(fields)+1], " ")+" *"))), true
}

func effectWord(s string) (evaluator.Effect, bool) {
	for _, e := range []evaluator.Effect{evaluator.Ask, evaluator.Review, evaluator.Deny} {
		if e.String() == s {
			return e, true
		}
	}
	return evaluator.Unknown, false
}

// narrowWords are names of subcommands that are allowed one by one.
var narrowWords = strings.Fields("status log diff show blame test tests build list ls get describe view read readonly info version help lint fmt vet check plan fetch")
