package claude

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"

	"mvdan.cc/sh/v3/syntax"
)

// Read takes native settings apart.
func (d dialect) Read(native []byte, s compiler.Setting) (evaluator.Meaning, error) {
	version := s.Version
	if version == "" {
		version = V332
	}
	if !slices.Contains(d.Versions(), version) {
		return nil, fmt.Errorf("claude %s isn't known: use %s or %s", version, V332, V197)
	}
	n, err := decodeNative(native)
	if err != nil {
		return nil, err
	}
	m, err := newSession(n, version, s.Env)
	if err != nil {
		return nil, err
	}
	for _, v := range d.Versions() {
		if v != version {
			if m.other, err = newSession(n, v, s.Env); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// Judge turns an Action into the calls of the tools that could do it. Claude
// decides each, our callback answers what it asks, and the loosest end is the
// Action's: the agent may choose the tool.
func (s *session) Judge(a evaluator.Action, explain bool) (evaluator.Verdict, error) {
	requests, err := s.requests(a)
	if err != nil {
		return evaluator.Verdict{}, err
	}
	v := evaluator.Verdict{
		Provider: evaluator.ProviderVersion{Name: evaluator.Claude, Version: s.version},
		Assumed:  slices.Clone(s.assumed),
	}
	var ends, natives []evaluator.Effect
	var all []decision
	for i, r := range requests {
		var t *tracer
		if explain {
			t = &tracer{part: i}
		}
		d := s.decide(r, t)
		t.decided(d.rule)
		end, by := s.answered(r, d.effect)
		d.answer = by
		if t != nil {
			v.Trace = append(v.Trace, t.steps...)
			if d.effect == evaluator.Ask {
				v.Trace = append(v.Trace, s.callbackSteps(r, i, end)...)
			}
		}
		all, natives, ends = append(all, d), append(natives, d.effect), append(ends, end)
		v.Parts = append(v.Parts, evaluator.Part{Request: r.raw, Effect: d.effect, Rule: d.rule.ref()})
	}
	v.Effect, v.Native.Effect = evaluator.Loosest(ends...), evaluator.Loosest(natives...)
	i := max(0, slices.Index(ends, v.Effect))
	d := all[i]
	v.Decider, v.Rule, v.Reason, v.ToolAbsent = d.decider, d.rule.ref(), d.reason, d.absent
	v.Differs = s.differs(requests, natives)
	v.Enforcer = evaluator.EnforcedByMode
	switch {
	case d.effect == evaluator.Unknown:
		v.Enforcer = evaluator.EnforcedByNobody
	case ends[i] != d.effect:
		v.Decider, v.Enforcer = evaluator.ByAdapter, evaluator.EnforcedByAdapter
		v.Reason += "; the callback answers " + ends[i].String() + " to what Claude asks"
		v.Rule = s.callbackRef(requests[i], d.answer)
	case d.rule != nil:
		v.Enforcer = evaluator.EnforcedByRule
	}
	return v, nil
}

// differs says where the other measured version decides otherwise.
func (s *session) differs(requests []request, ours []evaluator.Effect) []evaluator.Difference {
	var theirs []evaluator.Effect
	var reasons []string
	for _, r := range requests {
		d := s.other.decide(r, nil)
		theirs, reasons = append(theirs, d.effect), append(reasons, d.reason)
	}
	e := evaluator.Loosest(theirs...)
	if e == evaluator.Loosest(ours...) {
		return nil
	}
	return []evaluator.Difference{{Version: s.other.version, Effect: e, Reason: reasons[max(0, slices.Index(theirs, e))]}}
}

// requests are the tool calls that an Action may be.
func (s *session) requests(a evaluator.Action) ([]request, error) {
	call := func(tool string, input map[string]any) request {
		raw, err := strictjson.Encode(struct {
			Tool  string         `json:"tool"`
			Input map[string]any `json:"input"`
		}{tool, input})
		if err != nil {
			return request{}
		}
		r, _ := readRequest(raw)
		return r
	}
	switch a.Kind {
	case evaluator.Command:
		if a.Cwd == "" || s.place(a.Cwd).given == s.cwd {
			return []request{call("Bash", map[string]any{"command": a.Command})}, nil
		}
		move, err := quote("cd", a.Cwd) // Claude's shell has no other way there
		return []request{call("Bash", map[string]any{"command": move + " && " + a.Command})}, err
	case evaluator.FileRead:
		return []request{call("Read", map[string]any{"file_path": a.Path})}, nil
	case evaluator.FileChange:
		if a.To != "" {
			move, err := quote("mv", a.Path, a.To)
			return []request{call("Bash", map[string]any{"command": move})}, err
		}
		return []request{
			call("Write", map[string]any{"file_path": a.Path, "content": ""}),
			call("Edit", map[string]any{"file_path": a.Path, "old_string": "", "new_string": ""}),
		}, nil
	case evaluator.WebFetch:
		return []request{call("WebFetch", map[string]any{"url": a.URL, "prompt": ""})}, nil
	case evaluator.WebSearch:
		return []request{call("WebSearch", map[string]any{"query": a.Query})}, nil
	case evaluator.MCPTool:
		q := call("mcp__"+a.Server+"__"+a.Tool, map[string]any{})
		q.reads = a.Annotations != nil && a.Annotations.ReadOnlyHint != nil && *a.Annotations.ReadOnlyHint
		return []request{q}, nil
	case evaluator.Subagent:
		return []request{call("Agent", map[string]any{"subagent_type": a.Agent, "description": "", "prompt": ""})}, nil
	case evaluator.Question:
		return []request{call("AskUserQuestion", map[string]any{"questions": []any{}})}, nil
	case evaluator.Native:
		r, err := readRequest(a.Request)
		return []request{r}, err
	}
	return nil, fmt.Errorf("claude has no tool for %s", a.Kind)
}

// quote writes a command line.
func quote(words ...string) (string, error) {
	out := make([]string, len(words))
	for i, w := range words {
		q, err := syntax.Quote(w, syntax.LangBash)
		if err != nil {
			return "", fmt.Errorf("no command can name %q: %w", w, err)
		}
		out[i] = q
	}
	return strings.Join(out, " "), nil
}

// readRequest reads {"tool", "input"}.
func readRequest(raw jsontext.Value) (request, error) {
	var w struct {
		Tool  string                    `json:"tool"`
		Input map[string]jsontext.Value `json:"input"`
	}
	if err := strictjson.Decode(raw, &w); err != nil {
		return request{}, fmt.Errorf("request: %w", err)
	}
	if w.Tool == "" {
		return request{}, errors.New(`request: "tool" is missing`)
	}
	if to, ok := aliases[w.Tool]; ok {
		w.Tool = to
	}
	for _, need := range required[w.Tool] {
		var text string
		if v, ok := w.Input[need]; !ok || json.Unmarshal(v, &text) != nil {
			return request{}, fmt.Errorf("request: %s needs the text %q", w.Tool, need)
		}
	}
	return request{tool: w.Tool, input: w.Input, raw: raw}, nil
}

// required are the inputs without which a call is an error before any
// permission is looked at.
var required = map[string][]string{
	"Bash": {"command"}, "Read": {"file_path"}, "Write": {"file_path"}, "Edit": {"file_path"}, "NotebookEdit": {"notebook_path"},
	"WebFetch": {"url"}, "WebSearch": {"query"}, "Skill": {"skill"},
}
