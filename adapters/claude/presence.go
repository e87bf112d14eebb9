package claude

// absent reports whether the session doesn't offer a tool: a deny rule that
// speaks of every use of it takes it away, and without prompts the tools that
// only a person answers are missing. The call is then an error, and the host
// isn't asked.
func (s *session) absent(tool string, t *tracer) (*Rule, string, bool) {
	if s.noPrompts && (tool == "AskUserQuestion" || tool == "ExitPlanMode") {
		return nil, "without prompts nobody could answer: " + tool + " isn't offered", true
	}
	rule := t.first(s.rules.Deny, func(r *Rule) bool { return r.whole(tool, false) }, tool)
	if rule == nil {
		return nil, "", false
	}
	return rule, "the rule takes the tool " + tool + " away", true
}
