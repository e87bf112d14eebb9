package codex

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// The layers of rules. Codex unites them: the strictest match of all decides.
const (
	sessionLayer = "session"
	userLayer    = "user"
	projectLayer = "project"
)

// ruleBook is every rule that a thread starts with.
type ruleBook struct {
	policy *execpolicy.Policy // nil when broken
	broken *execpolicy.Error
	calls  []ruleCall
}

// ruleCall is one prefix_rule of one layer.
type ruleCall struct {
	layer  string
	index  int // within the layer
	text   string
	native jsontext.Value
}

// readRules reads the settings' rules and those that are there already. A broken
// file is no error: Codex warns ("custom rules not applied"), drops every rule and
// goes on, and so does what we say.
func readRules(text string, f facts) (*ruleBook, error) {
	var files []execpolicy.File
	var layers []string
	add := func(layer, name, text string) {
		files = append(files, execpolicy.File{Name: name, Text: text})
		layers = append(layers, layer)
	}
	for _, r := range f.UserRules {
		add(userLayer, r.Name, r.Text)
	}
	if f.Trusted {
		for _, r := range f.ProjectRules {
			add(projectLayer, r.Name, r.Text)
		}
	}
	add(sessionLayer, "rules", text)
	b := &ruleBook{}
	var err error
	if b.policy, err = execpolicy.Parse(files...); err != nil {
		if !errors.As(err, &b.broken) {
			return nil, err
		}
		return b, nil
	}
	return b, b.number(files, layers)
}

// number gives each call its layer and its place there.
func (b *ruleBook) number(files []execpolicy.File, layers []string) error {
	layerOf := map[string]string{}
	for i, f := range files {
		if _, twice := layerOf[f.Name]; twice {
			return fmt.Errorf("two rule files are called %q", f.Name)
		}
		layerOf[f.Name] = layers[i]
	}
	b.calls = make([]ruleCall, b.policy.Calls)
	firsts := make([][]string, b.policy.Calls)
	count := map[string]int{}
	for _, r := range b.policy.Rules {
		if firsts[r.Call] == nil {
			layer := layerOf[r.File]
			b.calls[r.Call] = ruleCall{layer: layer, index: count[layer]}
			count[layer]++
		}
		firsts[r.Call] = append(firsts[r.Call], r.First)
	}
	for _, r := range b.policy.Rules {
		c := &b.calls[r.Call]
		if c.native != nil {
			continue
		}
		if err := c.describe(r, firsts[r.Call]); err != nil {
			return err
		}
	}
	return nil
}

// describe writes a call as JSON and as people read it.
func (c *ruleCall) describe(r execpolicy.Rule, firsts []string) error {
	var pattern []any
	var words []string
	for _, alternatives := range append([][]string{firsts}, r.Rest...) {
		if len(alternatives) == 1 {
			pattern = append(pattern, alternatives[0])
		} else {
			pattern = append(pattern, alternatives)
		}
		words = append(words, strings.Join(alternatives, "|"))
	}
	var err error
	c.native, err = strictjson.Encode(struct {
		Pattern       []any               `json:"pattern"`
		Decision      execpolicy.Decision `json:"decision"`
		Justification string              `json:"justification,omitempty"`
	}{pattern, r.Decision, r.Justification})
	c.text = strings.Join(words, " ")
	return err
}

// pointer is the rule's key among a RuleSet's sources. The rules are one text, so
// that the last token isn't an element but the prefix_rule's number in it. A rule
// that is there already has its layer before that.
func (c *ruleCall) pointer() string {
	pointer := "/rules/" + strconv.Itoa(c.index)
	if c.layer != sessionLayer {
		return c.layer + "#" + pointer
	}
	return pointer
}

// any reports whether there is a rule for commands.
func (b *ruleBook) any() bool { return len(b.calls) > 0 }

// hosted reports whether a unit's program is a relative path to a name that a
// host_executable speaks of.
func (b *ruleBook) hosted(u unit) bool {
	if b.policy == nil || path.IsAbs(u[0]) || !strings.Contains(u[0], "/") {
		return false
	}
	_, ok := b.policy.Hosts[path.Base(u[0])]
	return ok
}

func (b *ruleBook) ref(m *execpolicy.Match) *evaluator.RuleRef {
	if m == nil {
		return nil
	}
	c := &b.calls[m.Rule.Call]
	return &evaluator.RuleRef{Index: c.index, Layer: c.layer, Native: c.native, Pointer: c.pointer()}
}

// name names a rule for people.
func (b *ruleBook) name(m *execpolicy.Match) string {
	c := &b.calls[m.Rule.Call]
	return fmt.Sprintf("rule %d of the %s (%s: %s)", c.index, c.layer, c.text, m.Rule.Decision)
}

// trace lists every rule of the book for one unit: whether it matched, and
// whether it decided.
func (b *ruleBook) trace(part int, u unit, where execpolicy.Where, deciding *execpolicy.Match) []evaluator.Step {
	if b.policy == nil {
		return nil
	}
	matched := map[int]bool{}
	for _, m := range b.policy.Match(u, where) {
		matched[m.Rule.Call] = true
	}
	steps := make([]evaluator.Step, len(b.calls))
	for i := range b.calls {
		c := &b.calls[i]
		s := evaluator.Step{
			Part: part, Resource: strings.Join(u, " "), Layer: c.layer, Index: c.index, Native: c.native, Pointer: c.pointer(),
			Matched: matched[i], Decided: deciding != nil && deciding.Rule.Call == i,
		}
		switch {
		case s.Decided:
			s.Reason = "it matches, and no match is stricter"
		case s.Matched:
			s.Reason = "it matches, but another match decides: the strictest of all wins"
		default:
			s.Reason = "the command doesn't begin with these words"
		}
		steps[i] = s
	}
	return steps
}
