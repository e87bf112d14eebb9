package codex

import (
	"fmt"
	"path"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// patch judges a patch of these paths, relative to dir. Rules never apply to
// patches. The check is textual: what a link leads to shows only when the sandbox
// stops it.
func (m *meaning) patch(list []string, dir string) outcome {
	p := m.settings.Approval
	if p.Word == untrusted {
		o := m.ask("approvalPolicy untrusted asks for every patch")
		o.writes = true
		return o
	}
	outside := ""
	for _, f := range list {
		if at := paths.Abs(dir, f); !m.box.writable(at) {
			outside = f
			break
		}
	}
	var o outcome
	switch {
	case outside == "":
		o = m.applied(list, dir)
	case p.Word == never, p.Word == granular && !p.Granular.SandboxApproval:
		o = rejected(fmt.Sprintf("%s can't be written under %s, and approvalPolicy %s asks nobody about it", outside, m.settings.SandboxPolicy.Type, p.Word))
	default:
		o = m.ask(fmt.Sprintf("%s isn't writable under %s", outside, m.settings.SandboxPolicy.Type))
	}
	o.writes = true
	o.assumed = append(o.assumed, m.box.Assumed...)
	return o
}

// applied is a patch that nobody is asked about.
func (m *meaning) applied(list []string, dir string) outcome {
	o := outcome{effect: evaluator.Allow, decider: evaluator.ByMode, enforcer: evaluator.EnforcedBySandbox, confinement: m.box.confinement(true)}
	if m.box.Full {
		o.enforcer = evaluator.EnforcedByNobody
		o.reason = fmt.Sprintf("%s has no sandbox, and approvalPolicy %s asks for no patch", m.settings.SandboxPolicy.Type, m.settings.Approval.Word)
		return o
	}
	for _, f := range list {
		if m.box.writable(m.real(dir, f)) {
			continue
		}
		// Measured: the sandbox stops it; on-request then asks, and an approval
		// didn't help; never lets it fail.
		if m.settings.Approval.Word == never {
			o := deny(evaluator.BySandbox, evaluator.EnforcedBySandbox, f+" is a link out of what is writable: the patch passes the check and fails in the sandbox")
			o.hidden = true
			return o
		}
		return m.ask(f + " is a link out of what is writable: the patch passes the check, fails in the sandbox and asks then")
	}
	o.reason = "every path lies where " + m.settings.SandboxPolicy.Type + " may write, so the patch is applied without asking"
	return o
}

// real is the path that a write ends at.
func (m *meaning) real(dir, p string) string {
	return paths.Resolve(m.box.Workspace, paths.Abs(dir, p), m.env.Resolved)
}

// The approval modes of MCP tools in Codex's configuration.
var mcpModes = []string{mcpAuto, mcpPrompt, mcpWrites, mcpApprove}

const (
	mcpAuto    = "auto"
	mcpPrompt  = "prompt"
	mcpWrites  = "writes"
	mcpApprove = "approve"
)

// mcp judges a call of an MCP tool. MCP servers run outside the sandbox and the
// rules in every mode; what a tool says of itself is the server's own claim.
func (m *meaning) mcp(q request) outcome {
	o := m.mcpCall(q)
	o.writes = !hint(q.annotations().ReadOnlyHint, false)
	if !q.Elicits || o.effect == evaluator.Deny {
		return o
	}
	e := m.elicitation()
	e.writes = o.writes
	if o.effect == evaluator.Review && e.effect == evaluator.Ask {
		e.reason = o.reason + "; then " + e.reason
	}
	return e
}

func (q request) annotations() evaluator.Annotations {
	if q.Annotations == nil {
		return evaluator.Annotations{}
	}
	return *q.Annotations
}

func hint(h *bool, absent bool) bool {
	if h == nil {
		return absent
	}
	return *h
}

func (m *meaning) mcpCall(q request) outcome {
	mode := mcpAuto
	tool := strings.TrimPrefix(q.Tool, mcpPrefix)
	for _, key := range []string{q.Server, q.Server + "/" + tool} {
		if s, ok := m.facts.MCPApproval[key]; ok {
			mode = s
		}
	}
	needs, why := needsApproval(q.annotations(), mode)
	o := outcome{effect: evaluator.Allow, decider: evaluator.ByMode, enforcer: evaluator.EnforcedByNobody, reason: why}
	switch {
	case !needs:
	case m.settings.Approval.Word == never && m.box.Full:
		o.reason = why + ", but approvalPolicy never with " + m.settings.SandboxPolicy.Type + " runs every MCP tool"
	case m.settings.Approval.Word == never:
		return deny(evaluator.ByMode, evaluator.EnforcedByMode, why+", and approvalPolicy never rejects what would ask")
	default:
		o = m.ask(why)
	}
	if q.Annotations == nil && mode == mcpAuto {
		o.assumed = append(o.assumed, "the tool's annotations aren't given: it is taken to have none")
	}
	return o
}

// needsApproval: without annotations a tool is taken for destructive and open. A
// tool that says it only reads is believed, also when it says that it is
// destructive.
func needsApproval(a evaluator.Annotations, mode string) (bool, string) {
	readOnly := hint(a.ReadOnlyHint, false)
	switch mode {
	case mcpApprove:
		return false, "its approval_mode is approve"
	case mcpPrompt:
		return true, "its approval_mode is prompt"
	case mcpWrites:
		return !readOnly, fmt.Sprintf("its approval_mode is writes, and its readOnlyHint is %v", readOnly)
	}
	switch {
	case readOnly:
		return false, "the MCP tool says that it only reads"
	case !hint(a.DestructiveHint, true) && !hint(a.OpenWorldHint, true):
		return false, "the MCP tool says that it destroys nothing and stays in a closed world"
	}
	return true, "the MCP tool doesn't say that it only reads, or that it destroys nothing in a closed world"
}

// elicitation is an MCP server's own question to the client. It never goes to the
// reviewer.
func (m *meaning) elicitation() outcome {
	p := m.settings.Approval
	if p.Word == never || p.Word == granular && !p.Granular.MCPElicitations {
		return deny(evaluator.ByMode, evaluator.EnforcedByMode, fmt.Sprintf("approvalPolicy %s declines an MCP server's question by itself", p.Word))
	}
	return outcome{effect: evaluator.Ask, decider: evaluator.ByPerson, enforcer: evaluator.EnforcedByMode, reason: "an MCP server's question goes to the person, never to the reviewer"}
}

// question judges request_user_input: it depends on the collaboration mode alone.
func (m *meaning) question() outcome {
	if m.settings.Collaboration.Mode == planMode || m.facts.DefaultModeUserInput {
		return outcome{effect: evaluator.Ask, decider: evaluator.ByPerson, enforcer: evaluator.EnforcedByMode, reason: "request_user_input asks the person, whatever the approval policy"}
	}
	return deny(evaluator.ByMode, evaluator.EnforcedByMode, "request_user_input is unavailable in the default collaboration mode")
}

// permissions judges request_permissions, which a feature turns on.
func (m *meaning) permissions() outcome {
	p := m.settings.Approval
	switch {
	case !m.facts.RequestPermissions:
		o := deny(evaluator.ByMode, evaluator.EnforcedByMode, "the feature request_permissions is off")
		o.absent = true
		return o
	case p.Word == never, p.Word == granular && !p.Granular.RequestPermissions:
		return deny(evaluator.ByMode, evaluator.EnforcedByMode, fmt.Sprintf("approvalPolicy %s grants nothing and asks nobody", p.Word))
	}
	return m.ask("request_permissions asks")
}

// stdin judges write_stdin to a session that runs already. What counts is whether
// the session got out of the turn's sandbox.
func (m *meaning) stdin(q request) outcome {
	o := outcome{effect: evaluator.Allow, decider: evaluator.ByMode, enforcer: evaluator.EnforcedBySandbox, confinement: m.box.confinement(true), writes: true}
	switch {
	case m.box.Full:
		o.enforcer = evaluator.EnforcedByNobody
		o.reason = "input to a session isn't asked about where there is no sandbox"
		return o
	case !q.Unsandboxed:
		o.reason = "input to a sandboxed session is never asked about"
		return o
	case !m.retries() && m.settings.Approval.Word != onRequest:
		return unknown("input to a session that an allow rule let out of the sandbox wasn't measured where nothing may be asked")
	}
	o = m.ask("input to a session that got out of the sandbox asks")
	o.writes = true
	return o
}

// The tools that no approval policy, sandbox or interaction mode asks about: all
// were tried under four policies, three sandboxes and both interaction modes on
// 0.171.0, 2026-11-30.
var unasked = map[string]string{
	"spawn_agent":                 "starting a subagent is never asked about; it inherits approval policy, sandbox, reviewer and rules",
	viewImage:                     "view_image reads without asking, outside the workspace too",
	"read_mcp_resource":           "reading what an MCP server offers is never asked about",
	"list_mcp_resources":          "listing what an MCP server offers is never asked about",
	"list_mcp_resource_templates": "listing what an MCP server offers is never asked about",
}

const viewImage = "view_image"

// isImage reports whether view_image may show a file, by its name alone.
func isImage(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return true
	}
	return false
}

// webSearch judges the search that the model's own provider runs. The request
// offers it in every mode, with external_web_access under dangerFullAccess alone.
func (m *meaning) webSearch() outcome {
	if m.facts.WebSearch == "disabled" {
		o := deny(evaluator.ByMode, evaluator.EnforcedByMode, "the configuration turns web search off")
		o.absent = true
		return o
	}
	what := "in the provider's index alone"
	if m.facts.WebSearch == "live" || m.facts.WebSearch == "" && m.settings.SandboxPolicy.Type == fullAccess {
		what = "with access to the web"
	}
	return outcome{effect: evaluator.Allow, decider: evaluator.ByNobody, enforcer: evaluator.EnforcedByNobody,
		reason: "the model's provider searches, " + what + ", and nothing asks"}
}
