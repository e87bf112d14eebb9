package claude

// hookAnswer is what the PreToolUse hooks say together.
type hookAnswer uint8

const (
	hookNone hookAnswer = iota
	hookAllow
	hookAsk
	hookDeny
)

// preToolUse combines what the PreToolUse hooks answered: a deny wins over an
// ask, an ask over an allow. Exit code 2 denies, any other code but 0 is
// ignored. PermissionRequest hooks only race with the host's answer.
func (s *session) preToolUse(tool string) hookAnswer {
	out := hookNone
	for _, h := range s.facts.Hooks {
		if h.Event == "PreToolUse" && (h.Matcher == "" || star(h.Matcher, tool)) {
			out = max(out, h.answer())
		}
	}
	return out
}

func (h HookResult) answer() hookAnswer {
	switch {
	case h.Exit == 2:
		return hookDeny
	case h.Exit != 0:
		return hookNone
	}
	word, _ := h.Output.Specific["permissionDecision"].(string)
	if word == "" {
		word = h.Output.Decision
	}
	switch word {
	case "allow", "approve":
		return hookAllow
	case "ask":
		return hookAsk
	case "deny", "block":
		return hookDeny
	}
	return hookNone
}
