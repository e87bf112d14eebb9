package codex

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// drafter makes a policy of configuration and rule files.
type drafter struct {
	env      evaluator.Env
	settings settings
	rules    []fileRule // one for each prefix_rule
	hosts    map[string][]string
	network  []execpolicy.NetworkRule
}

// Rules is how many rules the files have.
func (d *drafter) Rules() int { return len(d.rules) }

// effects are what a policy calls the decisions.
var effects = map[execpolicy.Decision]evaluator.Effect{
	execpolicy.Allow: evaluator.Allow, execpolicy.Prompt: evaluator.Ask, execpolicy.Forbidden: evaluator.Deny,
}

// ordered lists the rules from loose to strict: of all that match Codex takes the
// strictest, and a policy the last.
func (d *drafter) ordered() []int {
	out := make([]int, len(d.rules))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return int(d.rules[a].decision()) - int(d.rules[b].decision()) })
	return out
}

// Draft says the rules in a policy's words, but for those that stay as they are.
func (d *drafter) Draft(verbatim map[int]bool, modes []evaluator.Mode) (policies.Draft, []compiler.Loss) {
	out := policies.Draft{Profiles: map[evaluator.Provider][]string{}}
	var losses []compiler.Loss
	own := d.ownCalls()
	for _, i := range d.ordered() {
		f := d.rules[i]
		from := placeOf(f.source) + ": " + f.text()
		matches, ok := f.matches()
		if !ok || verbatim[i] {
			own = append(own, "# "+policies.Visible(from), "- "+policies.Quote(f.call()))
			continue
		}
		if why := f.rules[0].Justification; why != "" {
			losses = append(losses, compiler.Loss{Source: f.source, Message: fmt.Sprintf("the justification %q: the model is told the policy rule's id", why)})
		}
		for n, match := range matches {
			id := compiler.DraftID(i)
			if n > 0 {
				id = fmt.Sprint(id, "-", n+1)
			}
			rule := policies.Rule{ID: id, Kind: evaluator.Command, Match: match, Effect: effects[f.decision()]}
			if len(modes) < len(evaluator.Modes()) {
				rule.Modes = modes
			}
			out.Rules = append(out.Rules, policies.DraftRule{Rule: rule, Comment: from})
		}
	}
	lines := []string{"modes:"}
	for _, m := range modes {
		lines = append(lines, fmt.Sprintf("  %s: {%s}", m, strings.Join(d.values(), ", ")))
	}
	if own != nil {
		lines = append(lines, "rules: # in Codex's own words, which other providers don't see")
		for _, line := range own {
			lines = append(lines, "  "+line)
		}
	}
	out.Profiles[evaluator.Codex] = lines
	return out, losses
}

// ownCalls are the calls that no policy has words for.
func (d *drafter) ownCalls() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(d.hosts)) {
		out = append(out, "- "+policies.Quote(call("host_executable", "name", name, "paths", d.hosts[name])))
	}
	for _, n := range d.network {
		decision := n.Decision.String()
		if n.Decision == execpolicy.Forbidden {
			decision = "deny"
		}
		out = append(out, "- "+policies.Quote(call("network_rule", "host", n.Host, "protocol", n.Protocol, "decision", decision)))
	}
	return out
}

// call writes a call with named arguments: JSON texts and lists are Starlark's.
func call(name string, arguments ...any) string {
	var parts []string
	for i := 0; i+1 < len(arguments); i += 2 {
		text, err := strictjson.Encode(arguments[i+1])
		if err != nil { // only text that isn't UTF-8; no file has such
			text = []byte(`""`)
		}
		parts = append(parts, fmt.Sprintf("%s=%s", arguments[i], text))
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// values are the profile's values of a mode.
func (d *drafter) values() []string {
	s := d.settings
	approval := s.Approval.Word
	if approval == granular {
		g := s.Approval.Granular
		approval = fmt.Sprintf("{granular: {sandbox_approval: %v, rules: %v, mcp_elicitations: %v, request_permissions: %v, skill_approval: %v}}",
			g.SandboxApproval, g.Rules, g.MCPElicitations, g.RequestPermissions, g.SkillApproval)
	}
	reviewer := s.Reviewer
	if reviewer == byGuardian {
		reviewer = byAutoReview // the newer name
	}
	out := []string{"approvalPolicy: " + approval, "sandbox: " + s.Sandbox, "approvalsReviewer: " + reviewer}
	p := s.SandboxPolicy
	for _, f := range []struct {
		name string
		on   bool
	}{{"networkAccess", p.NetworkAccess}, {"excludeSlashTmp", p.ExcludeSlashTmp}, {"excludeTmpdirEnvVar", p.ExcludeTmpdirEnvVar}} {
		if f.on {
			out = append(out, f.name+": true")
		}
	}
	if len(p.WritableRoots) > 0 {
		var roots []string
		for _, root := range p.WritableRoots {
			if rest, ok := strings.CutPrefix(root, paths.Home(d.env.Home, "~")+"/"); ok {
				root = "~/" + rest
			}
			roots = append(roots, policies.Quote(root))
		}
		out = append(out, "writableRoots: ["+strings.Join(roots, ", ")+"]")
	}
	return out
}

// Lost lists the rules that the written settings don't have, and those that brought
// one which the files don't have.
func (d *drafter) Lost(w compiler.Written) []int {
	var n struct {
		Rules string `json:"rules"`
	}
	if json.Unmarshal(w.Native, &n) != nil {
		return nil
	}
	p, err := execpolicy.Parse(execpolicy.File{Name: "rules", Text: n.Rules})
	if err != nil {
		return nil
	}
	keys := func(f fileRule) []string {
		var out []string
		for _, words := range f.prefixes() {
			out = append(out, fmt.Sprintf("%s %q", f.decision(), words))
		}
		if out == nil {
			out = []string{f.call()}
		}
		return out
	}
	there, wanted := map[string]bool{}, map[string]bool{}
	for _, f := range d.rules {
		for _, k := range keys(f) {
			wanted[k] = true
		}
	}
	var excess []string // ids of the rules behind what is too much
	for i := range p.Calls {
		var f fileRule
		for _, r := range p.Rules {
			if r.Call == i {
				f.rules = append(f.rules, r)
			}
		}
		for _, k := range keys(f) {
			if there[k] = true; !wanted[k] {
				for _, s := range w.Sources {
					if s.Pointer == (&ruleCall{layer: sessionLayer, index: i}).pointer() {
						excess = append(excess, s.ID)
					}
				}
			}
		}
	}
	var out []int
	for i, f := range d.rules {
		missing := slices.ContainsFunc(keys(f), func(k string) bool { return !there[k] })
		brought := func(id string) bool {
			return id == compiler.DraftID(i) || strings.HasPrefix(id, compiler.DraftID(i)+"-")
		}
		if missing || slices.ContainsFunc(excess, brought) {
			out = append(out, i)
		}
	}
	return out
}

// Probes lists commands inside and just outside of each rule, and paths inside and
// outside of what may be written.
func (d *drafter) Probes() []evaluator.Action {
	var out []evaluator.Action
	for _, f := range d.rules {
		list := f.prefixes()
		if len(list) > 4 {
			list = list[:4]
		}
		for _, words := range list {
			var quoted []string
			for _, w := range words {
				quoted = append(quoted, quote(w))
			}
			at := strings.Join(quoted, " ")
			for _, c := range []string{at, at + " x", at + "x", "/usr/bin/" + at, "ls && " + at, at + " > out.txt", strings.Join(quoted[:len(quoted)-1], " ")} {
				out = append(out, evaluator.Action{Kind: evaluator.Command, Command: c})
			}
		}
	}
	for _, root := range d.settings.SandboxPolicy.WritableRoots {
		out = append(out, evaluator.Action{Kind: evaluator.FileChange, Path: root + "/a"}, evaluator.Action{Kind: evaluator.FileChange, Path: root + "x/a"})
	}
	return append(out, evaluator.Action{Kind: evaluator.FileChange, Path: "/tmp/a"}, evaluator.Action{Kind: evaluator.FileChange, Path: ".git/config"})
}
