package oclint

import (
	"strings"

	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// Lint judges the rules of a session, or a configuration file.
func Lint(g Generation, in lint.Settings) ([]lint.Finding, error) {
	root, err := filetree.JSON(in.File, in.Text, true)
	if err != nil {
		return nil, err
	}
	r := reader{g: g}
	lists := r.lists(rootOf(root))
	out := r.found
	for _, l := range lists {
		if len(l.rules) > opencode.MaxRules {
			return nil, opencode.CheckRules(make([]lastmatch.Rule, len(l.rules)))
		}
		j := newJudge(g, in, l)
		j.moved = r.moved
		out = append(out, j.findings()...)
	}
	return out, nil
}

// judge looks at one list.
type judge struct {
	Generation
	in    lint.Settings
	list  list
	rules []lastmatch.Rule
	index *lastmatch.Index
	moved map[string]bool // pointers of the rules whose place isn't that of the text

	programs map[string][]string // see touching
}

func newJudge(g Generation, in lint.Settings, l list) *judge {
	j := &judge{Generation: g, in: in, list: l, programs: map[string][]string{}}
	for _, r := range l.rules {
		j.rules = append(j.rules, j.rule(r))
	}
	j.index = lastmatch.NewIndex(j.rules)
	return j
}

// rule is a rule as the evaluator has it: home shortcuts of a configuration file
// are expanded.
func (j *judge) rule(r rule) lastmatch.Rule {
	out := lastmatch.Rule{Action: r.action, Resource: r.resource, Effect: r.effect}
	if r.config && j.Provider == evaluator.OpenCode {
		out.Resource = opencode.ExpandHome1(r.resource, j.home())
	} else if r.config {
		out.Resource = opencode.ExpandHome(r.action, r.resource, j.home())
	}
	return out
}

func (j *judge) home() string {
	if j.in.Setting.Env.Home != "" {
		return j.in.Setting.Env.Home
	}
	return "/a-home"
}

// decide is the effect for a text, and the number of the rule that decides; -1
// when none does.
func (j *judge) decide(action, text string) (evaluator.Effect, int) {
	i := j.index.Decide(action, text)
	if i < 0 {
		return evaluator.Ask, -1
	}
	return j.rules[i].Effect, i
}

// own lists the numbers of the rules that are this list's and not those of every
// agent, which are judged by themselves. What a session's rules tell our adapter is
// none of OpenCode's.
func (j *judge) own() []int {
	var out []int
	for i := j.list.above; i < len(j.rules); i++ {
		if r := j.list.rules[i]; r.config || !opencode.ToAdapter(r.action) {
			out = append(out, i)
		}
	}
	return out
}

func (j *judge) findings() []lint.Finding {
	out := j.dead()
	for _, i := range j.own() {
		out = append(out, j.findingsOf(i)...)
	}
	return out
}

// findingsOf judges one rule. Of a rule that never applies nothing else is said.
func (j *judge) findingsOf(i int) []lint.Finding {
	r := j.list.rules[i]
	out := j.nameOf(i)
	if len(out) == 0 {
		out = j.form(r)
	}
	if len(out) > 0 {
		return out
	}
	out = j.stalls(i)
	if r.action == j.Shell && len(out) == 0 {
		out = j.shell(i)
	}
	out = append(out, j.depth(i)...)
	out = append(out, j.literal(r)...)
	out = append(out, j.otherTool(i)...)
	return append(out, j.saved(i)...)
}

func everything(pattern string) bool { return wildcard.Compile(pattern).Everything() }

func wild(pattern string) bool { return strings.ContainsAny(pattern, "*?") }
