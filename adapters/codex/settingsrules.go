package codex

import (
	"errors"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// fileRule is one prefix_rule of the rule files.
type fileRule struct {
	layer  string
	rules  []execpolicy.Rule // of one call, an alternative of the first word each
	source evaluator.Source
}

// ruleFiles reads the rule files beside the configuration. The
// app-server drops every rule when one file is broken, and says so in a notice that is
// easily missed; here a broken file is refused.
func (r *configReader) ruleFiles(files []compiler.SettingsFile) {
	known := map[string]bool{}
	lists := map[string][]ruleFile{userLayer: r.facts.UserRules, projectLayer: r.facts.ProjectRules}
	var texts []execpolicy.File
	layers := map[string]string{}
	for _, f := range files {
		layer := r.layerOf(f)
		if layer == profileLayer {
			layer = userLayer
		}
		for _, b := range f.Beside {
			if known[b.Path] || layer == projectLayer && !r.trusted {
				continue
			}
			known[b.Path] = true
			lists[layer] = append(lists[layer], ruleFile{Name: b.Name, Text: string(b.Text)})
			texts = append(texts, execpolicy.File{Name: b.Name, Text: string(b.Text)})
			layers[b.Name] = layer
		}
	}
	all, err := execpolicy.Parse(texts...)
	var broken *execpolicy.Error
	if errors.As(err, &broken) {
		message := broken.Message + ": " + brokenRules
		if broken.Unread {
			message = broken.Message + ": Codex may accept this, and it can't be read here"
		}
		if broken.Fatal {
			message = broken.Message + ": Codex starts no thread then"
		}
		r.Refuse(evaluator.Source{File: broken.File, Line: broken.Line, Column: broken.Column}, "%s", message)
		return
	}
	r.set("userRules", lists[userLayer])
	r.set("projectRules", lists[projectLayer])
	r.set("trustedProject", r.trusted)
	r.hosts, r.network = all.Hosts, all.Network
	r.number(all, layers)
}

// number gives each call its place in its layer, as the rule book does.
func (r *configReader) number(all *execpolicy.Policy, layers map[string]string) {
	count := map[string]int{userLayer: 0, projectLayer: 0}
	last := -1
	for _, rule := range all.Rules {
		layer := layers[rule.File]
		if rule.Call == last {
			r.rules[len(r.rules)-1].rules = append(r.rules[len(r.rules)-1].rules, rule)
			continue
		}
		last = rule.Call
		at := evaluator.Source{File: rule.File, Line: rule.Line, Column: rule.Column}
		r.rules = append(r.rules, fileRule{layer: layer, rules: []execpolicy.Rule{rule}, source: at})
		call := ruleCall{layer: layer, index: count[layer]}
		count[layer]++
		r.places = append(r.places, compiler.SourceRef{Pointer: call.pointer(), Source: at})
	}
}

// maxPrefixes is how many prefixes one call is written out to.
const maxPrefixes = 50

// prefixes writes out the alternatives of a call, nil when they are too many.
func (f fileRule) prefixes() [][]string {
	var out [][]string
	for _, rule := range f.rules {
		list := [][]string{{rule.First}}
		for _, alternatives := range rule.Rest {
			var longer [][]string
			for _, words := range list {
				for _, word := range alternatives {
					longer = append(longer, append(slices.Clone(words), word))
				}
			}
			if list = longer; len(list) > maxPrefixes {
				return nil
			}
		}
		out = append(out, list...)
	}
	if len(out) > maxPrefixes {
		return nil
	}
	return out
}

// matches are a call's prefixes as a policy has them. ok is false where it has no
// words for one.
func (f fileRule) matches() (out []string, ok bool) {
	for _, words := range f.prefixes() {
		match := strings.Join(words, " ") + " *"
		if slices.ContainsFunc(words, func(w string) bool { return w == "" || strings.Contains(w, " ") }) || policies.CheckMatch(evaluator.Command, match) != nil {
			return nil, false
		}
		out = append(out, match)
	}
	return out, out != nil
}

func (f fileRule) decision() execpolicy.Decision { return f.rules[0].Decision }

// call writes a prefix_rule as it was.
func (f fileRule) call() string {
	var firsts []string
	for _, r := range f.rules {
		firsts = append(firsts, r.First)
	}
	pattern := []any{}
	for _, alternatives := range append([][]string{firsts}, f.rules[0].Rest...) {
		if len(alternatives) == 1 {
			pattern = append(pattern, alternatives[0])
		} else {
			pattern = append(pattern, alternatives)
		}
	}
	arguments := []any{"pattern", pattern, "decision", f.decision().String()}
	if why := f.rules[0].Justification; why != "" {
		arguments = append(arguments, "justification", why)
	}
	return call("prefix_rule", arguments...)
}

// text is the call for people.
func (f fileRule) text() string { return f.call() }
