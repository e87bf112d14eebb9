package cursor

import (
	"fmt"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// A writer can't say a rule to Cursor, so what becomes of one depends on the
// session mode, the user's approval mode and our callback. declare says so before
// anything is read back: from this table of what Cursor does with each kind, and
// from the policy.
func declare(in compiler.Intent, env evaluator.Env, n Native, f facts) []evaluator.Gap {
	d := declarer{env: env, asks: f.ApprovalMode == allowlist, callback: n.Callback.Permission, answers: callback.New(n.Callback.Rules, in.PlanFiles)}
	for _, arg := range n.Argv {
		switch arg {
		case "--force", "-f", "--yolo":
			d.asks, d.force = false, true
		case "--auto-review":
			d.review = true
		}
	}
	d.review = d.review && !d.force
	if m, ok := choose(n.ModeAliases, f.Modes); ok {
		d.session = m.ID
	} else if d.session = f.CurrentMode; d.session == "" && f.advertises(agentMode) {
		d.session = agentMode
	}
	return compiler.Declare(in, env, d.outcome)
}

type declarer struct {
	env                 evaluator.Env
	session             string // the session mode's id
	asks, force, review bool
	callback            Permission
	answers             callback.Answerer
}

func (d declarer) outcome(p compiler.Probe) compiler.Outcome {
	known := d.session == agentMode || d.session == planMode || d.session == askMode
	switch {
	case p.Kind == evaluator.Question:
		return compiler.Outcome{Effect: evaluator.Ask, Reason: "Cursor asks its questions in every mode"}
	case !known:
		return compiler.Outcome{Reason: fmt.Sprintf("what Cursor does with a %s in its mode %q isn't documented", p.Kind, d.session)}
	case p.Kind == evaluator.FileRead:
		return compiler.Outcome{Effect: evaluator.Allow, Reason: "Cursor never asks about reading"}
	case p.Kind == evaluator.FileChange && d.session == agentMode:
		return compiler.Outcome{Effect: evaluator.Allow, Reason: "Cursor never asks about edits in its mode agent"}
	case p.Kind == evaluator.FileChange:
		return compiler.Outcome{Effect: evaluator.Deny, Reason: "Cursor's mode " + d.session + " blocks every edit"}
	case d.review:
		return compiler.Outcome{Effect: evaluator.Review, Reason: "Cursor's classifier decides with --auto-review"}
	case !d.asks:
		return compiler.Outcome{Effect: evaluator.Allow, Reason: "Cursor never asks with --force or the user's approvalMode unrestricted, which is its default"}
	case p.Kind == evaluator.WebSearch || p.Kind == evaluator.Subagent:
		return compiler.Outcome{Effect: evaluator.Allow, Reason: "Cursor asks about shell and fetch alone"}
	case p.Kind == evaluator.MCPTool:
		return compiler.Outcome{Reason: "what Cursor does with MCP tools under approvalMode allowlist isn't documented"}
	}
	a := p.Action
	a.Cwd = ""
	if e, _, ok := d.answers.Answer(a, d.env); ok && answerable[a.Kind] {
		return compiler.Outcome{Effect: e, Reason: "Cursor asks, and the callback answers as the policy says of the request that it sees"}
	}
	if d.callback == AllowPermission {
		return compiler.Outcome{Effect: evaluator.Allow, Reason: "Cursor asks, and the callback allows what its rules don't speak of"}
	}
	return compiler.Outcome{Effect: evaluator.Ask, Reason: "Cursor asks with approvalMode allowlist, and takes no rules from an adapter"}
}
