package execpolicy

import (
	"cmp"
	"path"
	"slices"
)

// Decision is what a rule says about a command that it matches.
type Decision uint8

// The decisions, from loose to strict: of all that match, the strictest wins,
// whatever their order. Unmatched is no rule's.
const (
	Unmatched Decision = iota
	Allow
	Prompt
	Forbidden
)

var decisionWords = []string{"", "allow", "prompt", "forbidden"}

// String returns the decision's word, "" for Unmatched.
func (d Decision) String() string { return decisionWords[min(int(d), len(decisionWords)-1)] }

// MarshalText writes the decision's word.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Rule is one prefix_rule for one first word: a call whose first element has
// alternatives makes one Rule of each.
type Rule struct {
	First         string
	Rest          [][]string // the further words, each with its alternatives
	Decision      Decision
	Justification string
	Call          int    // 0-based number of the prefix_rule call, over all files
	File          string // where the call stands
	Line, Column  int
}

// NetworkRule is one network_rule. It decides nothing about a command.
type NetworkRule struct {
	Host, Protocol string
	Decision       Decision
	Justification  string
}

// Policy is the rules of every file of a run, united.
type Policy struct {
	Rules   []Rule // in load order
	Hosts   map[string][]string
	Network []NetworkRule
	Calls   int // of prefix_rule
}

// Match is one rule that matches a command.
type Match struct {
	Rule    *Rule
	Prefix  []string // the words that it matched; a path's place is taken by its base name
	Program string   // the path, made absolute, when the base name matched; else ""
}

// Where says how program paths are read: against which folder, and whether a
// path may match rules for its base name at all. The live agent lets it, the
// check command does so on demand.
type Where struct {
	Dir     string // absolute; a relative path doesn't match by base name without it
	ByPaths bool
}

// Match lists the rules that match a command, in load order. The rules for the
// first word as it stands come first; only if none matches, and the word is a
// path, those for its base name do. A host_executable for that name limits it to
// the paths given there.
func (p *Policy) Match(argv []string, w Where) []Match {
	if p == nil || len(argv) == 0 {
		return nil
	}
	if out := p.match(argv, ""); out != nil || !w.ByPaths {
		return out
	}
	program := argv[0]
	switch {
	case path.IsAbs(program):
		program = path.Clean(program)
	case w.Dir == "" || program == "":
		return nil
	default:
		program = path.Join(w.Dir, program)
	}
	name := path.Base(program)
	if paths, ok := p.Hosts[name]; ok && !slices.Contains(paths, program) {
		return nil
	}
	return p.match(append([]string{name}, argv[1:]...), program)
}

func (p *Policy) match(argv []string, program string) []Match {
	var out []Match
	for i := range p.Rules {
		if r := &p.Rules[i]; r.matches(argv) {
			out = append(out, Match{Rule: r, Prefix: argv[:1+len(r.Rest)], Program: program})
		}
	}
	return out
}

func (r *Rule) matches(argv []string) bool {
	if len(argv) < 1+len(r.Rest) || argv[0] != r.First {
		return false
	}
	for i, alternatives := range r.Rest {
		if !slices.Contains(alternatives, argv[1+i]) {
			return false
		}
	}
	return true
}

// Strictest returns the match that decides: the first of the strictest ones, or
// nil when there is none.
func Strictest(matches []Match) *Match {
	if len(matches) == 0 {
		return nil
	}
	best := 0
	for i := range matches {
		if cmp.Compare(matches[i].Rule.Decision, matches[best].Rule.Decision) > 0 {
			best = i
		}
	}
	return &matches[best]
}
