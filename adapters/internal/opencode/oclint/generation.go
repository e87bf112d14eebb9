package oclint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// Generation is what the lints need to know of one generation.
type Generation struct {
	Name     string // as findings call it
	Provider evaluator.Provider
	Fields   [3]string         // what the fields of a rule are called in a list
	Shell    string            // the action of the shell tool
	Known    []string          // the actions that a tool asks under, "" for none
	Unused   map[string]string // actions without a tool that asks under them, and why
	Renamed  map[string]string // names from elsewhere, and the action that is meant
	Whole    []string          // actions whose one text is "*"
	Absolute bool              // files outside of the workspace go by their absolute path
	Inert    func(action string, e evaluator.Effect) string
	// why a session's rule for an action does nothing
}

func (g Generation) known(action string) bool { return slices.Contains(g.Known, action) }

func (g Generation) whole(action string) bool { return slices.Contains(g.Whole, action) }

// rule is one rule with where it stands.
type rule struct {
	action, resource string
	effect           evaluator.Effect
	at               lint.Ref
	config           bool // it stands in a configuration file, where home shortcuts are expanded
}

// text writes a rule as people read it.
func (r rule) text() string {
	return strings.Join([]string{r.action, r.resource, r.effect.String()}, " ")
}

// find makes a finding about the rule. why goes on where the rule's text stops.
func (r rule) find(id, why, instead string) lint.Finding {
	return lint.At(id, r.at, fmt.Sprintf("the rule %q %s", r.text(), why), instead)
}

// list is rules in the order in which they are judged.
type list struct {
	agent string // whose list it is, "" for one that holds for every agent
	rules []rule
	above int // so many rules at the start are those of every agent
}
