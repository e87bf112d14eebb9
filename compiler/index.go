package compiler

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modegate/modegate/evaluator"
)

// index finds the rules that may speak of an Action, so that comparing a policy
// doesn't take the square of its rules. A list has the last rule first.
type index struct {
	mu     sync.Mutex
	judged map[string][]judged       // probes of which the policy says something, by an Env's key
	paths  map[[3]string][]pathGlobs // what each rule says of paths, by workspace, home folder and plan files

	rules    []Rule
	kinds    map[evaluator.Kind][]int
	words    map[string][]int // rules for commands by their first word; Everything has those for every command
	commands map[int][]string // the words of those rules
}

func newIndex(rules []Rule) *index {
	x := &index{judged: map[string][]judged{}, paths: map[[3]string][]pathGlobs{}, rules: rules, kinds: map[evaluator.Kind][]int{}, words: map[string][]int{}, commands: map[int][]string{}}
	for _, kind := range ConditionKinds() {
		for i, r := range slices.Backward(rules) {
			if r.Kind == kind || r.Kind == evaluator.AnyKind && kind != evaluator.OutsideWorkspace {
				x.kinds[kind] = append(x.kinds[kind], i)
			}
		}
	}
	for _, i := range x.kinds[evaluator.Command] {
		x.commands[i] = strings.Fields(rules[i].Match)
		word := x.commands[i][0]
		x.words[word] = append(x.words[word], i)
	}
	for word, list := range x.words {
		if word != Everything {
			list = append(list, x.words[Everything]...)
			slices.SortFunc(list, func(a, b int) int { return b - a })
			x.words[word] = list
		}
	}
	return x
}

// about reports whether the index is of these rules.
func (x *index) about(rules []Rule) bool {
	return len(rules) == len(x.rules) && (len(rules) == 0 || &rules[0] == &x.rules[0])
}

// commandsLike lists the rules for commands that begin with a word.
func (x *index) commandsLike(word string) []int {
	if list, ok := x.words[word]; ok {
		return list
	}
	return x.words[Everything]
}

// pathGlobs are the globs of one rule about paths; nil for other rules.
type pathGlobs []*pathGlob

func (g pathGlobs) match(path string) bool {
	return slices.ContainsFunc(g, func(one *pathGlob) bool { return one.match(path) })
}

// pathGlobs are the globs of the rules, by their positions.
func (x *index) pathGlobs(in Intent, env evaluator.Env) []pathGlobs {
	key := [3]string{env.Workspace, env.Home, strings.Join(in.PlanFiles, "\n")}
	x.mu.Lock()
	defer x.mu.Unlock()
	list, ok := x.paths[key]
	if ok {
		return list
	}
	list = make([]pathGlobs, len(x.rules))
	for i, r := range x.rules {
		switch r.Kind {
		case evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace, evaluator.AnyKind:
		default:
			continue
		}
		matches := []string{r.Match}
		if r.Match == PlanFiles {
			matches = in.PlanFiles
		}
		for _, match := range matches {
			list[i] = append(list[i], newPathGlob(match, env))
		}
	}
	x.paths[key] = list
	return list
}

// judged is a probe with what the policy says of it.
type judged struct {
	Probe
	want Want
}

// judged lists the probes of which the policy says something. They are needed
// twice, for what is declared and for what is found.
func (in Intent) judged(env evaluator.Env) []judged {
	x := in.index()
	key := fmt.Sprintf("%q %q %v %v %v", env.Workspace, env.Home, in.PlanFiles, env.Resolved, env.Agents)
	x.mu.Lock()
	list, ok := x.judged[key]
	x.mu.Unlock()
	if ok {
		return list
	}
	for _, p := range in.Probes(env) {
		if w := p.want(in, env); w.Rule != nil {
			list = append(list, judged{p, w})
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.judged[key] = list
	return list
}
