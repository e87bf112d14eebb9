package claude

import (
	"path"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/internal/paths"
)

// text returns a text of the input, "" when it has none.
func (r request) text(name string) string {
	var s string
	if raw, ok := r.input[name]; ok && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return ""
}

// filePath is what a file tool works on.
func (r request) filePath() string {
	for _, name := range []string{"file_path", "notebook_path", "path"} {
		if p := r.text(name); p != "" {
			return p
		}
	}
	return ""
}

// pathRule finds a Read(…) or Edit(…) rule that touches or covers a place.
func (s *session) pathRule(list []Rule, tool string, p place, allow bool, t *tracer) *Rule {
	return t.first(list, func(r *Rule) bool {
		if !r.about(tool) {
			return false
		}
		if allow {
			return s.covers(r, p)
		}
		return s.touches(r, p)
	}, p.given)
}

// checkRead is the Read tool: its rules, then the working directories.
func (s *session) checkRead(r request, t *tracer) finding {
	p := s.place(r.filePath())
	if rule := s.pathRule(s.rules.Deny, "Read", p, false, t); rule != nil {
		return finding{denied, rule, "the rule denies reading this path"}
	}
	if rule := s.pathRule(s.rules.Ask, "Read", p, false, t); rule != nil {
		return finding{asked, rule, "the rule asks before this path is read"}
	}
	if f, ok := s.byTool(r.tool, t); ok {
		return f
	}
	if s.inside(p) {
		return finding{runs, nil, "a working directory may be read"}
	}
	if s.classifies() {
		return finding{runs, nil, "auto mode reads everywhere"}
	}
	if rule := s.pathRule(s.rules.Allow, "Read", p, true, t); rule != nil {
		return finding{runs, rule, "the rule allows reading this path"}
	}
	if rule := s.pathRule(s.rules.Allow, "Edit", p, true, t); rule != nil &&
		s.pathRule(s.rules.Deny, "Edit", p, false, t) == nil && s.pathRule(s.rules.Ask, "Edit", p, false, t) == nil {
		return finding{runs, rule, "what the rule allows to change may be read"}
	}
	if rule := s.allowed("Read", t); rule != nil {
		return finding{runs, rule, "the rule allows reading everywhere"}
	}
	return finding{asks, nil, "the path is outside the working directories"}
}

// checkEdit is the tools that write files. Rules about paths are Edit(…) for all
// of them; Write(…) and the like do nothing.
func (s *session) checkEdit(r request, t *tracer) finding {
	p := s.place(r.filePath())
	if f, ok := s.editDenied(r.tool, p, t); ok {
		return f
	}
	if rule := s.pathRule(s.rules.Ask, "Edit", p, false, t); rule != nil {
		return finding{asked, rule, "the rule asks before this path is changed"}
	}
	if f, ok := s.byTool(r.tool, t); ok {
		return f
	}
	if s.mode == Plan && s.planFile(p) {
		return finding{runs, nil, "plan writes its own plan file"}
	}
	if s.protected(p) {
		return finding{guarded, nil, "the path is protected"}
	}
	if s.mode == Plan {
		return finding{planned, nil, "plan asks before every change of a file"}
	}
	if (s.mode == AcceptEdits || s.mode == Auto) && s.inside(p) {
		return finding{runs, nil, string(s.mode) + " changes files in the working directories"}
	}
	if rule := s.allowed(r.tool, t); rule != nil {
		return finding{runs, rule, "the rule allows the tool everywhere"}
	}
	if rule := s.pathRule(s.rules.Allow, "Edit", p, true, t); rule != nil {
		return finding{runs, rule, "the rule allows changing this path"}
	}
	if !s.inside(p) {
		return finding{asks, nil, "the path is outside the working directories"}
	}
	return finding{asks, nil, "changing files isn't permitted"}
}

// editDenied looks at the rules that deny a change. What may not be read may not
// be written: in 2.1.197 that held for a path rule and the Edit tool alone.
func (s *session) editDenied(tool string, p place, t *tracer) (finding, bool) {
	if rule := s.pathRule(s.rules.Deny, "Edit", p, false, t); rule != nil {
		return finding{denied, rule, "the rule denies changing this path"}, true
	}
	old := s.version == V197
	if !old || tool == "Edit" {
		if rule := s.pathRule(s.rules.Deny, "Read", p, false, t); rule != nil {
			return finding{denied, rule, "the rule denies reading this path, and so changing it"}, true
		}
	}
	if !old {
		if rule := t.first(s.rules.Deny, func(r *Rule) bool { return r.Tool == "Read" && r.Content == "" }, p.given); rule != nil {
			return finding{denied, rule, "the rule denies reading, and so changing"}, true
		}
	}
	return finding{}, false
}

// planFile reports whether a path is the session's own plan file. Where the
// session's isn't known, any plan file is taken for it.
func (s *session) planFile(p place) bool {
	if s.facts.PlanFile != "" {
		return p.given == paths.Abs(s.cwd, s.facts.PlanFile)
	}
	return path.Dir(p.given) == s.config+"/plans" && path.Ext(p.given) == ".md"
}
