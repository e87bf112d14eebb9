package codex_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"
)

// tools tries the tools that the corpus doesn't have: which of them ask, under
// every approval policy and sandbox.
func (total *tally) tools(t *testing.T, bin string) {
	a := startAgent(t, bin, "")
	for _, reviewer := range []string{"user", "auto_review"} {
		for _, approval := range []any{"untrusted", "on-request", "never"} {
			for _, sandbox := range []string{"readOnly", "workspaceWrite", "dangerFullAccess"} {
				row := liveRow{Approval: approval, Sandbox: sandbox, Reviewer: reviewer, Mode: "default"}
				for _, tool := range []map[string]any{
					{"tool": "spawn_agent"}, {"tool": "view_image"}, {"tool": "read_mcp_resource"},
					{"tool": "write_stdin"}, {"tool": "write_stdin", "sessionUnsandboxed": true},
				} {
					row.Action = tool
					if tool["sessionUnsandboxed"] == true && approval == "never" {
						continue // no session gets out
					}
					got, want := a.tool(row), row.ours(t).Outcome
					if want == "runs-sandboxed" || want == "runs-unsandboxed" {
						want = "runs"
					}
					total.cases++
					if got != want {
						total.disagreements++
						t.Errorf("%s: real %s, ours %s", row, got, want)
					}
				}
			}
		}
	}
}

// tool runs one of those tools and says whether its own call was asked about.
func (a *agent) tool(r liveRow) string {
	a.resetWorkspace()
	var thread struct{ Thread struct{ ID string } }
	start := map[string]any{"cwd": filepath.Join(a.base, "ws"), "ephemeral": true, "sandbox": "read-only", "approvalPolicy": r.Approval, "approvalsReviewer": r.Reviewer}
	if err := json.Unmarshal(a.call("thread/start", start), &thread); err != nil {
		a.t.Fatal(err)
	}
	turn := map[string]any{"approvalPolicy": r.Approval, "approvalsReviewer": r.Reviewer, "sandboxPolicy": map[string]any{"type": r.Sandbox}}
	launch := map[string]any{"cmd": "cat", "yield_time_ms": 300, "tty": true}
	before := 0 // approvals of the launch
	switch {
	case r.Action["tool"] != "write_stdin":
	case r.Approval == "untrusted":
		before = 1
	case r.Action["sessionUnsandboxed"] == true && r.Sandbox != "dangerFullAccess":
		before = 1
	}
	if r.Action["sessionUnsandboxed"] == true {
		launch["sandbox_permissions"], launch["justification"] = "require_escalated", "May I?"
	}
	var calls []func(string) map[string]any
	switch r.Action["tool"] {
	case "spawn_agent":
		calls = append(calls, func(string) map[string]any {
			c := call("spawn_agent", map[string]any{"message": "hello"})
			c["namespace"] = "multi_agent_v1"
			return c
		})
	case "view_image":
		calls = append(calls, func(string) map[string]any { return call("view_image", map[string]any{"path": "/etc/hostname"}) })
	case "read_mcp_resource":
		calls = append(calls, func(string) map[string]any {
			return call("read_mcp_resource", map[string]any{"server": "probe", "uri": "x"})
		})
	case "write_stdin":
		calls = append(calls,
			func(string) map[string]any { return call("exec_command", launch) },
			func(heard string) map[string]any {
				id := 0
				if m := regexp.MustCompile(`session ID (\d+)`).FindStringSubmatch(heard); m != nil {
					fmt.Sscan(m[1], &id)
				}
				return call("write_stdin", map[string]any{"session_id": id, "chars": "hello\n\u0004", "yield_time_ms": 300})
			})
	}
	s := a.turn(thread.Thread.ID, turn, calls...)
	switch {
	case len(s.asks) > before:
		return "asks-user"
	case s.reviews > 0 && len(s.asks)+s.reviews > before:
		return "auto-reviewer"
	}
	return "runs"
}
