package claude

import (
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// hookAnswer is what the PreToolUse hooks say together.
type hookAnswer uint8

const (
	hookNone hookAnswer = iota
	hookAllow
	hookAsk
	hookDefer // the run ends, for the host to go on later
	hookDeny
)

// preToolUse combines what the PreToolUse hooks answered: a deny wins over an
// ask, an ask over an allow. An input that a hook puts in the place of the
// model's is the one that is checked. PermissionRequest hooks only race with the
// host's answer.
func (s *session) preToolUse(r request) (hookAnswer, request) {
	out := hookNone
	for _, h := range s.facts.Hooks {
		if h.Event != "PreToolUse" || !h.concerns(r.tool) {
			continue
		}
		out = max(out, h.answer())
		if raw := h.Output.Specific["updatedInput"]; len(raw) > 0 {
			var input map[string]jsontext.Value
			if json.Unmarshal(raw, &input) == nil {
				r.input = input
			}
		}
	}
	return out, r
}

// concerns reports whether a hook's matcher, a regular expression, names a tool.
func (h HookResult) concerns(tool string) bool {
	if h.Matcher == "" || h.Matcher == "*" {
		return true
	}
	m, err := regexp.Compile("^(?:" + h.Matcher + ")$")
	return err == nil && m.MatchString(tool)
}

// answer reads what a hook printed. Exit code 2 denies, any other code but 0 is
// ignored.
func (h HookResult) answer() hookAnswer {
	switch {
	case h.Exit == 2:
		return hookDeny
	case h.Exit != 0:
		return hookNone
	}
	word := h.Output.Decision
	if raw := h.Output.Specific["permissionDecision"]; len(raw) > 0 && json.Unmarshal(raw, &word) != nil {
		return hookNone
	}
	switch word {
	case "allow", "approve":
		return hookAllow
	case "ask":
		return hookAsk
	case "defer":
		return hookDefer
	case "deny", "block":
		return hookDeny
	}
	return hookNone
}
