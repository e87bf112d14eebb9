package oclint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// The names that stand for what a wildcard matches. Nobody's rules speak of them.
const (
	someName  = "zqx"
	someOther = "zqy longer/zq.zq"
)

// fills are what the wildcards of a pattern are filled with.
var fills = []struct{ star, mark string }{{someName, "z"}, {someOther, "é"}, {"", "/"}, {"-" + someName, " "}}

// samples are texts of all the shapes that a pattern matches.
func samples(pattern string) []string {
	if !wild(pattern) {
		return []string{pattern}
	}
	var out []string
	for range 8 { // a pattern may end in many " *", each of which is optional
		for _, f := range fills {
			out = append(out, strings.NewReplacer("*", f.star, "?", f.mark).Replace(pattern))
		}
		short, ok := strings.CutSuffix(pattern, " *")
		if !ok {
			break
		}
		pattern = short
	}
	return out
}

// actionSamples are actions that a pattern matches, those that tools ask under
// among them.
func (j *judge) actionSamples(r rule) []string {
	if !wild(r.action) {
		return []string{r.action}
	}
	out := samples(r.action)
	for _, a := range j.Known {
		if matches(r.action, a) {
			out = append(out, a)
		}
	}
	return out
}

// fate is what becomes of a rule: it never decides, and others say something else
// of all that it matches.
func (j *judge) fate(i int) (over []int, dead bool) {
	r := j.list.rules[i]
	for _, action := range j.actionSamples(r) {
		for _, text := range samples(j.rules[i].Resource) {
			e, by := j.decide(action, text)
			switch {
			case by == i, by >= 0 && e == r.effect:
				return nil, false
			case by < i:
				continue // the text isn't one that it matches
			case !slices.Contains(over, by):
				over = append(over, by)
			}
		}
	}
	return over, len(over) > 0
}

// dead finds the rules that a later one hides, and bans of every agent that an
// agent's own rules undo.
func (j *judge) dead() []lint.Finding {
	var out []lint.Finding
	hidden := map[int][]int{}
	for i := range j.rules {
		over, dead := j.fate(i)
		switch {
		case !dead:
			continue
		case j.moved[j.list.rules[i].at.Pointer]:
			continue // its order is the fault
		case i < j.list.above:
			if f, ok := j.undone(i, over); ok {
				out = append(out, f)
			}
			continue
		}
		r, by := j.list.rules[i], j.list.rules[over[0]]
		f := r.find(lint.DeadRule, fmt.Sprintf("never decides: whatever it matches, the rule %q comes later, and the last rule that matches decides", by.text()),
			fmt.Sprintf("write it behind %q, or remove it", by.text()))
		for _, o := range over {
			f = f.With(j.list.rules[o].at, "this rule decides instead")
		}
		out = append(out, f)
		if len(over) == 1 && everything(by.resource) && !everything(r.resource) && !j.in.Written {
			hidden[over[0]] = append(hidden[over[0]], i)
		}
	}
	for _, o := range slices.Sorted(maps.Keys(hidden)) {
		out = append(out, j.catchAll(o, hidden[o]))
	}
	return out
}

func (j *judge) catchAll(o int, hidden []int) lint.Finding {
	r := j.list.rules[o]
	var names []string
	for _, i := range hidden {
		names = append(names, fmt.Sprintf("%q", j.list.rules[i].text()))
	}
	f := r.find("catch-all-last", fmt.Sprintf("matches everything and stands behind narrower ones, so that it takes %s out of force", strings.Join(names, ", ")),
		"write it before the narrower rules")
	for _, i := range hidden {
		f = f.With(j.list.rules[i].at, "this rule never decides")
	}
	return f
}

// undone speaks of a narrow rule of every agent that an agent's own rule for
// everything takes out of force.
func (j *judge) undone(i int, over []int) (lint.Finding, bool) {
	r, by := j.list.rules[i], j.list.rules[over[0]]
	if everything(r.resource) || r.effect == evaluator.Allow || by.effect != evaluator.Allow || slices.Min(over) < j.list.above {
		return lint.Finding{}, false
	}
	return lint.At("undone-layer", by.at,
		fmt.Sprintf("the agent %s allows %q again, which the rule %q of every agent doesn't: an agent's rules come last", j.list.agent, by.action+" "+by.resource, r.text()),
		fmt.Sprintf("repeat %q behind it", r.text())).With(r.at, "this rule is undone"), true
}

// saved finds rules that an answer of the past beats.
func (j *judge) saved(i int) []lint.Finding {
	r := j.list.rules[i]
	grants := j.in.Setting.Env.Saved
	if len(grants) == 0 || r.effect == evaluator.Allow || everything(r.resource) {
		return nil
	}
	for _, g := range grants {
		covers := true
		decides := false
		for _, action := range j.actionSamples(r) {
			for _, text := range samples(j.rules[i].Resource) {
				_, by := j.decide(action, text)
				decides = decides || by == i
				covers = covers && matches(g.Action, action) && matches(g.Resource, text)
			}
		}
		if covers && decides && (r.effect == evaluator.Ask || j.savedBeatsDeny()) {
			return []lint.Finding{r.find("saved-grant", fmt.Sprintf("no longer decides: somebody allowed %q for always, and saved grants are judged after the rules", g.Action+" "+g.Resource),
				"remove the saved grant")}
		}
	}
	return nil
}

// savedBeatsDeny: in 1.x, and in 2.0.18 by its founding description, saved grants
// are rules like any other that come last. The native evaluator of 1.18.33 keeps
// what is denied.
func (j *judge) savedBeatsDeny() bool {
	return j.Provider == evaluator.OpenCode || j.in.Setting.Version != "1.18.33"
}
