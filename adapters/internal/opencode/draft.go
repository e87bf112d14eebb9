package opencode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/policies"
)

// DraftCallback says in an imported profile that a person answers what OpenCode
// asks, as it was.
const DraftCallback = "callback: person"

// Drafting is what turns rules of OpenCode into those of a policy.
type Drafting struct {
	Names   Names
	Env     evaluator.Env
	Servers []string // the MCP servers that are known by name
}

// Rule says one rule in a policy's words. ok is false where it has none.
func (d Drafting) Rule(r lastmatch.Rule) (out policies.Rule, ok bool) {
	out.Effect = r.Effect
	for kind, action := range d.Names {
		if action == r.Action && kind != evaluator.MCPTool {
			out.Kind = kind
		}
	}
	home := paths.Home(d.Env.Home, "~")
	switch out.Kind {
	case evaluator.AnyKind, evaluator.Question, evaluator.Command, evaluator.WebFetch, evaluator.WebSearch, evaluator.Subagent:
		out.Match = r.Resource
	case evaluator.FileRead, evaluator.FileChange:
		out.Match = draftPath(r.Resource, home)
	case evaluator.OutsideWorkspace:
		out.Match = draftPath(r.Resource, home)
		if folder, whole := strings.CutSuffix(r.Resource, "/*"); whole {
			out.Match = draftPath(folder, home) + "/**"
		}
	default:
		out.Kind, out.Match = evaluator.MCPTool, d.tool(r.Action)
		if out.Match == "" || r.Resource != "*" {
			return out, false
		}
	}
	if r.Resource == "*" && out.Kind != evaluator.MCPTool {
		out.Match = compiler.Everything
	}
	return out, policies.CheckMatch(out.Kind, out.Match) == nil
}

// tool splits an action that names MCP tools into SERVER/TOOL: by a server that is
// known, or at the end of what every tool of one begins with. It is "" where the
// action may as well be something else.
func (d Drafting) tool(action string) string {
	for _, server := range d.Servers {
		if tool, ok := strings.CutPrefix(action, strings.TrimSuffix(ToolName(server, "*"), "*")); ok && tool != "" {
			return server + "/" + tool
		}
	}
	if server, ok := strings.CutSuffix(action, "_*"); ok && server != "" && !strings.ContainsAny(server, "*?") {
		return server + "/*"
	}
	return ""
}

// draftPath writes a path pattern as a policy does: what crosses folders is **.
func draftPath(resource, home string) string {
	if rest, ok := strings.CutPrefix(resource, home+"/"); ok {
		resource = "~/" + rest
	}
	switch {
	case resource == "*":
		return compiler.Everything
	case strings.HasPrefix(resource, "*") && !strings.Contains(resource, "/"):
		return "**/" + resource
	case strings.HasSuffix(resource, "/*"):
		return strings.TrimSuffix(resource, "*") + "**"
	}
	return resource
}

// Sayable drops the rules that no policy file can have, and says which they were.
func Sayable(rules []PlacedRule) (kept []PlacedRule, losses []compiler.Loss) {
	for _, r := range rules {
		if policies.Sayable(r.Action) && policies.Sayable(r.Resource) {
			kept = append(kept, r)
			continue
		}
		losses = append(losses, compiler.Loss{Source: r.Source, Message: fmt.Sprintf("%q %q: a policy can't have a blank text, or one with control characters", r.Action, r.Text),
			Covers: func(evaluator.Action) bool { return true }})
	}
	return kept, losses
}

// Apart says which rules stay in OpenCode's own words: those that must, and those
// that would change places with one of them, because own rules stand before all
// others (before), or behind them. Rules of which no request can be both's may
// change places.
func Apart(rules []PlacedRule, must func(int) bool, before bool) []bool {
	own := make([]bool, len(rules))
	order := make([]int, len(rules))
	for i := range order {
		order[i] = i
	}
	if before {
		slices.Reverse(order)
	}
	for at, i := range order {
		own[i] = must(i) || slices.ContainsFunc(order[:at], func(j int) bool { return own[j] && meet(rules[i].Action, rules[j].Action) })
	}
	return own
}

// meet reports whether one action may match both patterns, for all that is known:
// names without wildcards meet when they are the same.
func meet(a, b string) bool {
	if !strings.ContainsAny(a+b, "*?") {
		return a == b
	}
	wild := func(s string) string { return s[:strings.IndexAny(s+"*", "*?")] }
	x, y := wild(a), wild(b)
	return strings.HasPrefix(x, y) || strings.HasPrefix(y, x)
}

// Sorted lists rules as they are sent: own ones before the others, or behind them.
func Sorted(rules []PlacedRule, own []bool, before bool) (out []lastmatch.Rule, from []int) {
	for _, first := range []bool{before, !before} {
		for i, r := range rules {
			if own[i] == first {
				out, from = append(out, r.Rule), append(from, i)
			}
		}
	}
	return out, from
}

// Follows compares the rules that were written with those of the files, in order.
// It returns the number of the first one that is missing, changed or out of place;
// ok is true when there is none. A rule that changes nothing behind those before it
// may be left out.
func Follows(written, wanted []lastmatch.Rule) (first int, ok bool) {
	at := 0
	for i, rule := range wanted {
		switch {
		case at < len(written) && same(written[at], rule):
			at++
		case !Redundant(wanted[:i], rule):
			return i, false
		}
	}
	return len(wanted) - 1, at == len(written)
}

// same compares two rules; several stars in a row are one.
func same(a, b lastmatch.Rule) bool {
	plain := func(s string) string {
		for strings.Contains(s, "**") {
			s = strings.ReplaceAll(s, "**", "*")
		}
		return s
	}
	return a.Action == b.Action && a.Effect == b.Effect && plain(a.Resource) == plain(b.Resource)
}

// DraftProbes lists requests and Actions inside and just outside of each rule.
func DraftProbes(rules []PlacedRule, names Names, request func(action, resource string) evaluator.Action) []evaluator.Action {
	var out []evaluator.Action
	letters := strings.NewReplacer("*", "x", "?", "y")
	for _, r := range rules {
		at, action := letters.Replace(r.Resource), letters.Replace(r.Action)
		for _, text := range []string{at, at + "x", "x" + at, strings.TrimSuffix(at, " x"), strings.TrimSuffix(at, "x")} {
			if text != "" {
				out = append(out, request(action, text))
			}
		}
		switch r.Action {
		case names[evaluator.Command]:
			for _, c := range []string{at, at + " x", at + "x", "ls && " + at} {
				out = append(out, evaluator.Action{Kind: evaluator.Command, Command: c})
			}
		case names[evaluator.FileChange], names[evaluator.FileRead], names[evaluator.OutsideWorkspace]:
			for _, p := range []string{at, at + "x", "x/" + strings.TrimPrefix(at, "/")} {
				out = append(out, evaluator.Action{Kind: evaluator.FileRead, Path: p}, evaluator.Action{Kind: evaluator.FileChange, Path: p})
			}
		case names[evaluator.Subagent]:
			out = append(out, evaluator.Action{Kind: evaluator.Subagent, Agent: at}, evaluator.Action{Kind: evaluator.Subagent, Agent: at + "x"})
		}
	}
	return slices.DeleteFunc(out, func(a evaluator.Action) bool { return a.Check() != nil })
}

// DraftComment says where a rule came from.
func DraftComment(r PlacedRule) string {
	return fmt.Sprintf("%s: %s %s %s", At(r.Source), r.Action, quote(r.Text), r.Effect)
}
