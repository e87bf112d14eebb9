package codex

import (
	"path"
	"slices"
	"strings"

	"github.com/modegate/modegate/evaluator"
)

// differs lists older versions of Codex that answer a request otherwise, each by
// the last one that did. Measured on eleven older binaries with the same harness,
// 2026-11-30. Rules that match change none of these answers.
func (m *meaning) differs(q request, o outcome) []evaluator.Difference {
	if o.match != nil {
		return nil
	}
	word := m.settings.Approval.Word
	switch {
	case q.Tool == execCommand && word == never && m.box.Full && o.effect == evaluator.Deny && (q.Permissions == "" || q.Permissions == useDefault) && m.removes(q):
		return []evaluator.Difference{{Version: "0.142.5", Effect: evaluator.Allow, Reason: "until 0.142.5 a forced rm ran under never with dangerFullAccess"}}
	case q.Tool == execCommand && word == untrusted && q.Permissions == escalated && o.effect == evaluator.Ask:
		return []evaluator.Difference{{Version: "0.149.1", Effect: evaluator.Deny, Reason: "until 0.149.1 untrusted rejected an escalated call"}}
	case q.Tool == execCommand && word == untrusted && o.effect == evaluator.Ask && m.wasSafe(q):
		return []evaluator.Difference{{Version: "0.148.0", Effect: evaluator.Allow, Reason: "until 0.148.0 untrusted ran commands that are known to read only, such as this, without asking"}}
	case strings.HasPrefix(q.Tool, mcpPrefix) && !q.Elicits && word == never && o.effect == evaluator.Deny:
		return []evaluator.Difference{{Version: "0.147.0", Effect: evaluator.Ask, Reason: "until 0.147.0 never asked about an MCP tool that needs approval in a sandbox"}}
	}
	return nil
}

func (m *meaning) removes(q request) bool {
	return slices.ContainsFunc(splitScript(m.argv(q)).Units, func(u unit) bool { return forcedRemoval(u) == byForce })
}

// wasSafe knows the commands that were measured; the old list was longer.
func (m *meaning) wasSafe(q request) bool {
	s := splitScript(m.argv(q))
	return s.Plain && !slices.ContainsFunc(s.Units, func(u unit) bool {
		switch path.Base(u[0]) {
		case "ls", "cat":
			return false
		case "git":
			return len(u) < 2 || u[1] != "status"
		}
		return true
	})
}
