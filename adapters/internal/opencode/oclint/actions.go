package oclint

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/compiler/lint"
)

func matches(pattern, text string) bool { return wildcard.Compile(pattern).Match(text) }

// nameOf finds actions that no tool asks under. A rule that only repeats what a
// rule for every action says there misleads nobody.
func (j *judge) nameOf(i int) []lint.Finding {
	r := j.list.rules[i]
	if wild(r.action) || j.repeats(i) {
		return nil
	}
	if j.known(r.action) {
		return j.inert(r)
	}
	if to, ok := j.Renamed[r.action]; ok {
		return []lint.Finding{r.find("unknown-action", fmt.Sprintf("never matches: %s asks under %q for that", j.Name, to),
			fmt.Sprintf("write %q for %q", to, r.action))}
	}
	if why, ok := j.Unused[r.action]; ok {
		return []lint.Finding{r.find("unused-action", fmt.Sprintf("has no effect: %s", why), "remove it")}
	}
	if lower := strings.ToLower(r.action); lower != r.action && j.known(lower) {
		return []lint.Finding{r.find("unknown-action", "never matches: actions are compared letter by letter, capitals too", fmt.Sprintf("write %q", lower))}
	}
	if strings.Contains(r.action, "_") { // an MCP tool's name is SERVER_TOOL
		return j.wholeText(r)
	}
	return []lint.Finding{r.find("unknown-action", fmt.Sprintf("never matches: no tool of %s asks under %q", j.Name, r.action),
		"write one of "+strings.Join(j.Known, ", ")+", or SERVER_TOOL for a tool of an MCP server")}
}

// repeats reports whether an earlier rule for everything says the same.
func (j *judge) repeats(i int) bool {
	for k := i - 1; k >= 0; k-- {
		if r := j.list.rules[k]; matches(r.action, j.list.rules[i].action) {
			return everything(r.resource) && r.effect == j.list.rules[i].effect
		}
	}
	return false
}

// inert finds rules that the provider never applies.
func (j *judge) inert(r rule) []lint.Finding {
	if j.Inert != nil && !r.config {
		if why := j.Inert(r.action, r.effect); why != "" {
			return []lint.Finding{r.find("inert-rule", fmt.Sprintf("has no effect: %s", why), "remove it, or put it into the agent's own permissions")}
		}
	}
	return j.wholeText(r)
}

// wholeText finds patterns for actions whose only text is "*".
func (j *judge) wholeText(r rule) []lint.Finding {
	if !j.whole(r.action) && j.known(r.action) || matches(r.resource, "*") {
		return nil
	}
	return []lint.Finding{r.find("never-matches", fmt.Sprintf("never matches: the tool asks with the text %q and nothing else", "*"),
		fmt.Sprintf("write %q for everything that the tool does", "*"))}
}
