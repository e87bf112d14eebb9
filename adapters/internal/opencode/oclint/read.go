package oclint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// value is a value of a file with its JSON Pointer; of an object's member, at is
// the place of the name.
type value struct {
	*policies.Node
	name string
	at   lint.Ref
}

func rootOf(n *policies.Node) value { return value{Node: n, at: lint.Ref{Source: n.Source}} }

var pointerToken = strings.NewReplacer("~", "~0", "/", "~1")

// members are the values of an object, in the order of the text.
func (v value) members() []value {
	out := make([]value, len(v.Fields))
	for i, f := range v.Fields {
		out[i] = value{f.Value, f.Name, lint.Ref{Source: f.Source, Pointer: v.at.Pointer + "/" + pointerToken.Replace(f.Name)}}
	}
	return out
}

func (v value) elements() []value {
	out := make([]value, len(v.Items))
	for i, n := range v.Items {
		out[i] = value{n, "", lint.Ref{Source: n.Source, Pointer: v.at.Pointer + "/" + strconv.Itoa(i)}}
	}
	return out
}

func (v value) member(name string) (value, bool) {
	for _, m := range v.members() {
		if m.name == name {
			return m, true
		}
	}
	return value{}, false
}

func (v value) isText() bool { return v.Kind == policies.Scalar && v.Quoted }

// reader takes rules out of a text of settings. What isn't a rule is a finding.
type reader struct {
	g     Generation
	found []lint.Finding
	moved map[string]bool // pointers of members whose place isn't that of the text
}

func (r *reader) invalid(v value, format string, args ...any) {
	r.found = append(r.found, lint.At("invalid", v.at, fmt.Sprintf(format, args...), ""))
}

// lists reads the rules of a session, or of a configuration file.
func (r *reader) lists(root value) []list {
	if root.Kind == policies.Sequence {
		return []list{{rules: r.array(root, false)}}
	}
	if root.Kind != policies.Mapping {
		r.invalid(root, "settings of OpenCode are a list of rules, or an object")
		return nil
	}
	object, isOld := root.member("permission")
	array, isNew := root.member("permissions")
	var agents []value
	for _, name := range []string{"agent", "agents", "mode"} {
		if list, ok := root.member(name); ok {
			agents = append(agents, list.members()...)
		}
	}
	r.ignoredKeys(root)
	_, hasTools := root.member("tools")
	if !isOld && !isNew && !hasTools && agents == nil {
		r.found = append(r.found, lint.At("no-permissions", root.at, "the file has no permission, permissions or agent: there is nothing to judge",
			"write permissions, unless another file has them"))
		return nil
	}
	if isOld && isNew {
		r.found = append(r.found, lint.At("inert-rule", array.at,
			"a file with permission is read as a configuration of 1.x, and its permissions aren't read at all", "keep one of the two"))
	}
	var global []rule
	if isOld {
		global = r.object(object)
	}
	if isNew && !isOld {
		global = r.array(array, true)
	}
	out := []list{{rules: global}}
	for _, a := range agents {
		out = append(out, list{agent: a.name, rules: append(slices.Clone(global), r.agent(a)...), above: len(global)})
	}
	return out
}

func (r *reader) agent(a value) []rule {
	if object, ok := a.member("permission"); ok {
		return r.object(object)
	}
	if array, ok := a.member("permissions"); ok {
		return r.array(array, true)
	}
	return nil
}

// array reads a list of rules.
func (r *reader) array(v value, config bool) []rule {
	if v.Kind != policies.Sequence {
		r.invalid(v, "the rules must be a list")
		return nil
	}
	var out []rule
	for _, item := range v.elements() {
		var fields [3]value
		ok := item.Kind == policies.Mapping
		for i, name := range r.g.Fields {
			field, there := item.member(name)
			fields[i] = field
			ok = ok && there && field.isText()
		}
		if !ok {
			r.invalid(item, "a rule needs the texts %s, %s and %s", r.g.Fields[0], r.g.Fields[1], r.g.Fields[2])
			continue
		}
		if e, ok := r.effect(fields[2]); ok {
			out = append(out, rule{action: fields[0].Text, resource: fields[1].Text, effect: e, at: item.at, config: config})
		}
	}
	return out
}

// object reads 1.x's permission object: an effect for everything, or members that
// are effects or objects of effects by pattern.
func (r *reader) object(v value) []rule {
	var out []rule
	add := func(v value, action, resource string) {
		if e, ok := r.effect(v); ok {
			out = append(out, rule{action: action, resource: resource, effect: e, at: v.at, config: true})
		}
	}
	switch v.Kind {
	case policies.Scalar:
		add(v, "*", "*")
		return out
	case policies.Mapping:
		r.integers(v)
	default:
		r.invalid(v, "a permission is allow, ask, deny, or an object of these")
	}
	for _, m := range v.ordered() {
		if m.Kind != policies.Mapping {
			add(m, m.name, "*")
			continue
		}
		r.integers(m)
		for _, p := range m.ordered() {
			add(p, m.name, p.name)
		}
	}
	return out
}

func (r *reader) effect(v value) (evaluator.Effect, bool) {
	var e evaluator.Effect
	if !v.isText() || !isEffect(v.Text) || e.UnmarshalText([]byte(v.Text)) != nil {
		what := "a list or an object"
		if v.Kind == policies.Scalar {
			what = strconv.Quote(v.Text)
		}
		v.at.Source = v.Source // the value, as whatever reads the file says
		r.invalid(v, "%s isn't an effect that OpenCode has: use allow, ask, deny", what)
		return e, false
	}
	return e, true
}

func isEffect(s string) bool { return s == "allow" || s == "ask" || s == "deny" }

// ordered are the members of an object as JavaScript has them.
func (v value) ordered() []value {
	all := v.members()
	var out []value
	for _, f := range opencode.Ordered(v.Node) {
		i := slices.IndexFunc(all, func(m value) bool { return m.name == f.Name })
		out = append(out, all[i])
	}
	return out
}

// integers finds names that don't stay where they are written: whole numbers.
func (r *reader) integers(v value) {
	place := map[string]int{}
	for i, f := range opencode.Ordered(v.Node) {
		place[f.Name] = i
	}
	last := 0
	for _, m := range v.members() {
		if place[m.name] >= last {
			last = place[m.name]
			continue
		}
		if r.moved == nil {
			r.moved = map[string]bool{}
		}
		r.moved[m.at.Pointer] = true
		r.found = append(r.found, lint.At("integer-key", m.at,
			fmt.Sprintf("the name %q is a whole number, so that JavaScript puts it before names above it, and the last rule that matches decides", m.name),
			fmt.Sprintf("write %q, or rules in a list", m.name+" *")))
	}
}
