package execpolicy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// builtins names what a rule file can call that isn't Starlark's own here. print
// is an unknown name to Codex.
var builtins = map[string]bool{"prefix_rule": true, "host_executable": true, "network_rule": true, "print": true, "range": true}

func resolveErrors(err error) *Error {
	var list resolve.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return nil
	}
	return &Error{Line: int(list[0].Pos.Line), Column: int(list[0].Pos.Col), Message: list[0].Msg}
}

func (b *builder) globals() starlark.StringDict {
	return starlark.StringDict{
		"prefix_rule":     starlark.NewBuiltin("prefix_rule", b.prefixRule),
		"host_executable": starlark.NewBuiltin("host_executable", b.hostExecutable),
		"network_rule":    starlark.NewBuiltin("network_rule", b.networkRule),
		"print": starlark.NewBuiltin("print", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return nil, errors.New("print isn't known here")
		}),
		"range": starlark.NewBuiltin("range", shortRange),
	}
}

const longRange = "the range is too long to be followed here"

// shortRange is Starlark's range up to a length that can be made into a list.
func shortRange(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	v, err := starlark.Call(t, starlark.Universe["range"], args, kwargs)
	if err == nil && starlark.Len(v) > 100_000 {
		return nil, errors.New(longRange)
	}
	return v, err
}

// example is what the match and not_match of one call promise. They are checked
// once the file has run, against the rules of that call alone.
type example struct {
	rules           []Rule
	match, notMatch [][]string
}

func (b *builder) prefixRule(t *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var pattern, match, notMatch *starlark.List
	var decision, justification starlark.Value
	if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "pattern", &pattern, "decision?", &decision, "match?", &match, "not_match?", &notMatch, "justification?", &justification); err != nil {
		return nil, err
	}
	r := Rule{Decision: Allow, Call: b.policy.Calls}
	if decision != nil {
		word, ok := starlark.AsString(decision)
		if r.Decision = Decision(max(0, slices.Index(decisionWords, word))); !ok || r.Decision == Unmatched {
			return nil, fmt.Errorf("invalid decision: %v: use allow, prompt or forbidden", decision)
		}
	}
	var err error
	if r.Justification, err = reason(justification); err != nil {
		return nil, err
	}
	var words [][]string
	for i := range pattern.Len() {
		alternatives, err := patternElement(pattern.Index(i))
		if err != nil {
			return nil, err
		}
		words = append(words, alternatives)
	}
	if len(words) == 0 {
		return nil, errors.New("a pattern can't be empty")
	}
	e := example{}
	if e.match, err = examples(match); err != nil {
		return nil, err
	}
	if e.notMatch, err = examples(notMatch); err != nil {
		return nil, err
	}
	at := t.CallFrame(1).Pos
	r.File, r.Line, r.Column, r.Rest = at.Filename(), int(at.Line), b.nameBefore(at), words[1:]
	for _, first := range words[0] {
		r.First = first
		e.rules = append(e.rules, r)
	}
	b.policy.Calls++
	b.policy.Rules = append(b.policy.Rules, e.rules...)
	b.examples = append(b.examples, e)
	return starlark.None, nil
}

func patternElement(v starlark.Value) ([]string, error) {
	if s, ok := starlark.AsString(v); ok {
		return []string{s}, nil
	}
	list, ok := v.(*starlark.List)
	if !ok {
		return nil, fmt.Errorf("a pattern's element is a text or a list of texts, not %s", v.Type())
	}
	if list.Len() == 0 {
		return nil, errors.New("alternatives can't be empty")
	}
	return texts(list, "an alternative")
}

// examples reads the commands of match or not_match: each a list of words, or a
// text that is split as a POSIX shell would.
func examples(list *starlark.List) ([][]string, error) {
	if list == nil {
		return nil, nil
	}
	var out [][]string
	for i := range list.Len() {
		var words []string
		switch v := list.Index(i).(type) {
		case starlark.String:
			var err error
			if words, err = splitWords(string(v)); err != nil {
				return nil, fmt.Errorf("invalid example: %w", err)
			}
		case *starlark.List:
			var err error
			if words, err = texts(v, "an example's word"); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("an example is a text or a list of texts, not %s", v.Type())
		}
		if len(words) == 0 {
			return nil, errors.New("an example can't be empty")
		}
		out = append(out, words)
	}
	return out, nil
}

func texts(list *starlark.List, what string) ([]string, error) {
	var out []string
	for i := range list.Len() {
		s, ok := starlark.AsString(list.Index(i))
		if !ok {
			return nil, fmt.Errorf("%s is a text, not %s", what, list.Index(i).Type())
		}
		out = append(out, s)
	}
	return out, nil
}

func reason(v starlark.Value) (string, error) {
	if v == nil {
		return "", nil
	}
	s, ok := starlark.AsString(v)
	if !ok {
		return "", fmt.Errorf("a justification is a text, not %s", v.Type())
	}
	if strings.TrimSpace(s) == "" {
		return "", errors.New("a justification can't be empty")
	}
	return s, nil
}

func (b *builder) hostExecutable(_ *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	var list *starlark.List
	if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "name", &name, "paths", &list); err != nil {
		return nil, err
	}
	if name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
		return nil, fmt.Errorf("a host_executable's name is a program's bare name, not %q", name)
	}
	paths, err := texts(list, "a path")
	if err != nil {
		return nil, err
	}
	for i, p := range paths {
		if !path.IsAbs(p) {
			return nil, fmt.Errorf("the path %q of a host_executable isn't absolute", p)
		}
		if paths[i] = path.Clean(p); path.Base(paths[i]) != name {
			return nil, fmt.Errorf("the path %q of a host_executable must end in %q", p, name)
		}
	}
	b.policy.Hosts[name] = paths
	return starlark.None, nil
}

func (b *builder) networkRule(_ *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var r NetworkRule
	var decision string
	var justification starlark.Value
	if err := starlark.UnpackArgs(fn.Name(), args, kwargs, "host", &r.Host, "protocol", &r.Protocol, "decision", &decision, "justification?", &justification); err != nil {
		return nil, err
	}
	switch r.Protocol {
	case "http", "https", "https_connect", "http-connect", "socks5_tcp", "socks5_udp":
	default:
		return nil, fmt.Errorf("unknown protocol %q: use http, https, socks5_tcp or socks5_udp", r.Protocol)
	}
	if decision == "deny" {
		decision = Forbidden.String()
	}
	if r.Decision = Decision(max(0, slices.Index(decisionWords, decision))); r.Decision == Unmatched {
		return nil, fmt.Errorf("invalid decision: %q: use allow, deny or prompt", decision)
	}
	var err error
	if r.Justification, err = reason(justification); err != nil {
		return nil, err
	}
	if r.Host, err = networkHost(r.Host); err != nil {
		return nil, err
	}
	b.policy.Network = append(b.policy.Network, r)
	return starlark.None, nil
}

// nameBefore is the column of the name before the bracket at a place: where a call
// begins.
func (b *builder) nameBefore(at syntax.Position) int {
	lines := strings.Split(b.text, "\n")
	if int(at.Line) > len(lines) || at.Line < 1 {
		return 0
	}
	line := []rune(lines[at.Line-1])
	column := min(int(at.Col), len(line)+1)
	for column > 1 && (line[column-2] == '_' || unicode.IsLetter(line[column-2]) || unicode.IsDigit(line[column-2])) {
		column--
	}
	return column
}
