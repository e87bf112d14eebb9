package opencode2

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// writer makes a session's rules, in blocks: the profile's first; the mode's
// rules; the policy's; the session's grants; again what the policy denies, so that
// no grant undoes it; the interaction mode's; what the adapter declines; the
// agent's path allows; and the profile's last.
type writer struct {
	opencode.Writer
	profile profile
}

// Write makes the session's rules. It never denies shell or read: OpenCode 2
// refuses such sessions on its free tier, so a deny is sent as an ask that the
// adapter declines.
func (dialect) Write(in compiler.Intent, env evaluator.Env) (compiler.Written, error) {
	var r policies.Reader
	var p profile
	if in.Profile != nil {
		p = readProfile(&r, in.Profile)
	}
	if in.Cell.Mode == evaluator.FullAccess {
		p.first = nil
	}
	if err := r.Problems.Err(); err != nil {
		return compiler.Written{}, err
	}
	at := placeOf(env)
	w := &writer{opencode.Writer{In: in, Env: env, Names: names, Workspace: at.Directory, Root: at.Directory, Soften: soften}, p}
	for _, r := range p.first {
		w.Add(r.Rule, r.source)
	}
	w.Section(compiler.ModeRules, nil)
	w.Section(compiler.PolicyRules, nil)
	w.Grants()
	w.Section(compiler.InteractionRules, fromRule)
	if !p.person {
		w.Declines(func(compiler.Rule) bool { return true }, evaluator.Command, evaluator.FileRead)
	}
	again := w.agentPaths()
	for _, r := range p.last {
		w.Add(r.Rule, r.source)
	}
	out := compiler.Written{Sources: w.Sources}
	if env.Agents == nil {
		out.Assumed = append(out.Assumed, "no agent list: rules are compiled without the agent's own paths")
	}
	agent, _, err := agentRules(env)
	if err != nil {
		return out, err
	}
	out.Gaps = func() []evaluator.Gap { return w.declare(at, agent, again) }
	out.Native, err = strictjson.Encode(list(w.Rules))
	return out, err
}

// fromRule reports whether a rule of the interaction mode is sent. The plan
// folder is the plan agent's own: its rules open it.
func fromRule(r compiler.Rule) bool {
	return r.Match != compiler.PlanFiles || r.Effect != evaluator.Allow
}

// deniable are the actions that a session may deny.
var deniable = []string{"edit", "webfetch", "websearch", "subagent", "question", names[evaluator.MCPTool]}

// soften takes back what OpenCode 2 refuses: a deny of shell or read. A deny of
// everything is said action by action.
func soften(r lastmatch.Rule) []lastmatch.Rule {
	if r.Effect != evaluator.Deny || r.Action != "shell" && r.Action != "read" && r.Action != "*" {
		return []lastmatch.Rule{r}
	}
	everything := r.Action == "*"
	r.Effect = evaluator.Ask
	out := []lastmatch.Rule{r}
	if everything {
		for _, action := range deniable {
			out = append(out, lastmatch.Rule{Action: action, Resource: r.Resource, Effect: evaluator.Deny})
		}
	}
	return out
}

// list is the rules as the wire has them.
func list(rules []lastmatch.Rule) []rule {
	out := make([]rule, len(rules))
	for i := range rules {
		out[i] = rule{Action: &rules[i].Action, Resource: &rules[i].Resource, Effect: &rules[i].Effect}
	}
	return out
}

// agentPaths says again which paths the session's agent allows, and in plan the
// plan agent, because the rules before would close them: allow rules for edit or
// external_directory on something else than "*", each once.
func (w *writer) agentPaths() []evaluator.AgentRule {
	if !NeedsAgents(w.In.Cell) {
		return nil
	}
	plan := w.In.Cell.Interaction == evaluator.Plan
	agents := []string{agentOf(w.Env)}
	if plan {
		agents = append(agents, "plan")
	}
	var said []evaluator.AgentRule
	for _, id := range agents {
		for _, r := range rulesOf(w.Env, id) {
			if !isPathAllow(r) || slices.Contains(said, r) || w.profile.own && !w.isOwn(r) {
				continue
			}
			said = append(said, r)
			w.Add(lastmatch.Rule(r), evaluator.Source{ID: "agent-" + id})
		}
	}
	return said
}

// NeedsAgents reports whether the rules of a cell repeat those of the session's
// agent: full access closes none of its paths.
func NeedsAgents(cell evaluator.Cell) bool {
	return cell.Mode != evaluator.FullAccess || cell.Interaction == evaluator.Plan
}

// isOwn reports whether a rule of an agent is one that OpenCode itself gives its
// agents for their data, output and plans; its configuration is none of these. The
// data folder lies where XDG_DATA_HOME says.
func (w *writer) isOwn(r evaluator.AgentRule) bool {
	for _, output := range []string{shellOutput, toolOutput} {
		if data, ok := strings.CutSuffix(r.Resource, output); ok && r.Action == "external_directory" {
			return paths.Rooted(data) && !strings.ContainsAny(data, "*?")
		}
	}
	return r.Resource != paths.Home(w.Env.Home, configFolder) && slices.Contains(defaults("plan", w.Env.Home), lastmatch.Rule(r))
}

func isPathAllow(r evaluator.AgentRule) bool {
	return r.Effect == evaluator.Allow && r.Resource != "*" && (r.Action == "edit" || r.Action == "external_directory")
}

func agentOf(env evaluator.Env) string {
	if env.Agent == "" {
		return "build"
	}
	return env.Agent
}

// rulesOf returns the rules of an agent, nil when it isn't known.
func rulesOf(env evaluator.Env, id string) []evaluator.AgentRule {
	for _, a := range env.Agents {
		if a.ID == id {
			return a.Permissions
		}
	}
	return nil
}
