package grok

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// freeTools run in every mode unless a rule or a plan stops them.
var freeTools = map[string]string{
	readTool: "Read", listTool: "Read", grepTool: "Grep", searchTool: "WebSearch",
	"todo_write": "", "enter_plan_mode": "", "search_tool": "", "scheduler_list": "",
	"get_command_or_subagent_output": "", "kill_command_or_subagent": "",
}

// otherTools ask in default and go to the classifier in auto.
var otherTools = map[string]string{
	mcpTool: "MCPTool", subagentTool: "", fetchTool: "WebFetch", "scheduler_create": "", "scheduler_delete": "",
}

// engine answers one request: deny rules, plan, always-approve, ask rules, allow
// rules, what was saved, the read-only list, then the mode. (Order:
// 22-permissions-and-safety.md of 1.0.41, and measured.)
func (m *meaning) engine(r request, in input) answer {
	switch r.Tool {
	case askTool:
		return answer{effect: evaluator.Ask, shape: question, mode: true, reason: "Grok asks the person its question, in every mode"}
	case planExitTool:
		return answer{effect: evaluator.Ask, shape: planExit, mode: true, reason: "Grok shows its plan to the person, in every mode"}
	}
	t, known := m.target(r, in)
	if !known {
		return answer{reason: fmt.Sprintf("what Grok does with its tool %q wasn't measured", r.Tool)}
	}
	edit := r.Tool == writeTool || r.Tool == replaceTool
	if hit, ok := m.first(evaluator.Deny, t); ok {
		return byRule(hit, "Grok refuses it, in every mode")
	}
	var files operands
	if t.line != nil {
		files = readOperands(t.raw)
		for _, f := range files.written {
			if full, _ := m.place(paths.Home(m.env.Home, f)); protected(full) {
				t.line.worse(guarded, full+" is one of the files that Grok guards")
			}
		}
	}
	hit, denied, unsure := m.onFiles(evaluator.Deny, files)
	if denied {
		return byRule(hit, "Grok refuses a command that names such a file, in every mode")
	}
	if m.state.plan && edit && wild(paths.Home(m.env.Home, planFiles), t.text, false) {
		return answer{effect: evaluator.Allow, mode: true, reason: "Grok's plan mode writes its plan file unasked", assume: t.text + " is the plan file of this very session"}
	}
	if m.state.plan && edit {
		return answer{effect: evaluator.Deny, mode: true, reason: "Grok's plan mode refuses every edit but that of the plan file, in every permission mode"}
	}
	ask, asks := m.first(evaluator.Ask, t)
	var askLoose *rule
	if !asks {
		ask, asks, askLoose = m.onFiles(evaluator.Ask, files)
	}
	if loose := cmp.Or(askLoose, unsure); !asks && loose != nil {
		ask, asks = *loose, true
	}
	if m.state.always && !(asks && t.line != nil) {
		return answer{effect: evaluator.Allow, mode: true, by: m.state.origin["always"], reason: "Grok runs everything unasked in always-approve"}
	}
	if asks {
		if m.state.policy == denyPolicy && !m.state.always {
			a := byRule(ask, "Grok would ask, and dontAsk refuses what would ask")
			a.effect = evaluator.Deny
			return a
		}
		a := byRule(ask, "Grok asks")
		a.effect = evaluator.Ask
		return a
	}
	if hit, ok := m.allowed(t); ok {
		return byRule(hit, "Grok runs it unasked")
	}
	if a, ok := m.remembered(t); ok {
		return a
	}
	if _, free := freeTools[r.Tool]; free {
		return answer{effect: evaluator.Allow, mode: true, reason: r.Tool + " runs unasked in every mode"}
	}
	if t.line != nil {
		if t.line.rating == readOnly {
			return answer{effect: evaluator.Allow, mode: true, reason: "every command of it is on Grok's read-only list, which runs unasked in every mode"}
		}
		a := m.state.fallThrough(t.line.rating, false, t.line.why)
		a.assume = t.line.assume()
		return a
	}
	if edit && protected(t.text) {
		return m.state.fallThrough(guarded, true, t.text+" is one of the files that Grok guards")
	}
	a := m.state.fallThrough(plain, edit, r.Tool+" isn't read-only")
	a.absent = r.Tool == fetchTool
	return a
}

// target is what rules are compared with; false for a tool that isn't known.
func (m *meaning) target(r request, in input) (target, bool) {
	t := target{text: in.ToolName}
	file := ""
	switch r.Tool {
	case shellTool, monitorTool:
		l := readLine(in.Command)
		t.line, t.raw, t.classes = &l, in.Command, []string{"Bash"}
		t.denied = sync.OnceValue(func() []string { return everyCommand(in.Command, true) })
		t.asked = sync.OnceValue(func() []string { return everyCommand(in.Command, false) })
		return t, true
	case writeTool, replaceTool:
		t.classes, file = []string{"Edit"}, in.FilePath
	case readTool:
		t.classes, file = []string{"Read"}, in.Target
	case listTool:
		t.classes, file = []string{"Read"}, in.Directory
	case grepTool:
		t.classes, file = []string{"Grep", "Read"}, in.Path
		if file == "" {
			file = "."
		}
	case fetchTool:
		t.classes, t.text = []string{"WebFetch"}, in.URL
	case searchTool:
		t.classes = []string{"WebSearch"}
		t.unasked = true
	default:
		class, ok := freeTools[r.Tool]
		if !ok {
			class, ok = otherTools[r.Tool]
		}
		if !ok {
			return t, false
		}
		if class != "" {
			t.classes = []string{class}
		}
	}
	if file != "" {
		t.text, t.rel = m.place(file)
	}
	return t, true
}

func (m *meaning) workspace() string { return workspaceOf(m.env) }

func workspaceOf(env evaluator.Env) string {
	if env.Workspace == "" {
		return paths.UnknownWorkspace
	}
	return paths.Abs("/", env.Workspace)
}

// first returns the first rule of an effect that speaks of the target: which of
// several is the same to Grok.
func (m *meaning) first(e evaluator.Effect, t target) (rule, bool) {
	for _, r := range m.rules {
		if r.Effect == e && r.matches(t) {
			return r, true
		}
	}
	return rule{}, false
}

func (m *meaning) allowed(t target) (rule, bool) {
	if t.line != nil {
		return allows(m.rules, t)
	}
	return m.first(evaluator.Allow, t)
}

// remembered looks at the grants that Grok keeps for the project: an exact
// command, or a whole class of tools.
func (m *meaning) remembered(t target) (answer, bool) {
	for i, g := range m.env.Saved {
		if contains(t.classes, g.Action) && (g.Resource == "*" && t.line == nil || t.line != nil && g.Resource == t.raw) {
			r := rule{fileRule: fileRule{Layer: savedLayer, Effect: evaluator.Allow, Rule: g.Action + "(" + g.Resource + ")"}, index: i}
			return byRule(r, "Grok runs it unasked, because it was always allowed before"), true
		}
	}
	return answer{}, false
}

func byRule(r rule, what string) answer {
	return answer{effect: r.Effect, rule: &r, reason: fmt.Sprintf("%s: the %s rule %s %s", what, r.Layer, r.Effect, r.Rule)}
}
