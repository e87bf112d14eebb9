package opencode

import (
	"strings"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// Names are the actions that a generation has for the kinds of Action.
type Names map[evaluator.Kind]string

// Lowered is a policy rule in OpenCode's words.
type Lowered struct {
	Rules []lastmatch.Rule // none when the rule can't be said
	Loss  string           // what the rules don't say, "" when they are exact
}

// Lower says a policy rule in a generation's words. Where the pattern languages
// part, it says what is stricter: an allow that would open more isn't said at
// all, and an ask or a deny covers more.
func Lower(r compiler.Rule, names Names, env evaluator.Env) Lowered {
	effect := r.Effect
	if effect == evaluator.Review {
		effect = evaluator.Ask // OpenCode has no reviewer
	}
	action := names[r.Kind]
	if r.Match == compiler.Everything {
		return say(effect, "", action, "*")
	}
	switch r.Kind {
	case evaluator.Command:
		return say(effect, wild(r.Match), action, r.Match)
	case evaluator.FileRead, evaluator.FileChange:
		return lowerPath(r.Match, effect, action, env)
	case evaluator.OutsideWorkspace:
		return lowerOutside(r.Match, effect, action, env)
	case evaluator.WebFetch, evaluator.WebSearch, evaluator.Subagent:
		return say(effect, question(r.Match), action, r.Match)
	case evaluator.MCPTool:
		server, tool, _ := strings.Cut(r.Match, "/")
		return say(effect, question(r.Match), ToolName(server, tool), "*")
	}
	return Lowered{Loss: "OpenCode has no rule for this"}
}

// say makes one rule. What is lost makes an allow unsayable, because it would
// open more than it should.
func say(effect evaluator.Effect, loss, action string, resources ...string) Lowered {
	if loss != "" && effect == evaluator.Allow {
		return Lowered{Loss: loss + ", so the allow isn't sent"}
	}
	out := Lowered{Loss: loss}
	for _, resource := range resources {
		out.Rules = append(out.Rules, lastmatch.Rule{Action: action, Resource: resource, Effect: effect})
	}
	return out
}

func question(match string) string {
	if strings.Contains(match, "?") {
		return `OpenCode's "?" is any one character`
	}
	return ""
}

// wild reports what OpenCode would take for a wildcard in a command pattern.
func wild(match string) string {
	if strings.ContainsAny(strings.TrimSuffix(match, " *"), "*?") {
		return "OpenCode would take a character of the command for a wildcard"
	}
	return ""
}

// lowerPath says a glob relative to the workspace. "*" stays within one folder
// in a policy and crosses folders in OpenCode.
func lowerPath(match string, effect evaluator.Effect, action string, env evaluator.Env) Lowered {
	pattern := paths.Home(env.Home, match)
	loss := ""
	if crosses(pattern) {
		loss = `OpenCode's "*" and "?" cross folders`
	}
	flat := strings.ReplaceAll(strings.ReplaceAll(pattern, "**/", "\x00"), "**", "*")
	rest, anywhere := strings.CutPrefix(flat, "\x00")
	flat = strings.ReplaceAll(flat, "\x00", "*")
	if anywhere && !strings.HasPrefix(rest, "*") {
		rest = strings.ReplaceAll(rest, "\x00", "*")
		return say(effect, loss, action, rest, "*/"+rest)
	}
	return say(effect, loss, action, flat)
}

// crosses reports whether a glob has a wildcard that must not cross folders.
func crosses(pattern string) bool {
	rest := strings.ReplaceAll(strings.ReplaceAll(pattern, "**/*", ""), "**", "")
	return strings.ContainsAny(rest, "*?")
}

// lowerOutside says a glob of paths outside: OpenCode compares the folder that
// a path lies in, with "/*" behind it.
func lowerOutside(match string, effect evaluator.Effect, action string, env evaluator.Env) Lowered {
	pattern := paths.Home(env.Home, match)
	folder, ok := strings.CutSuffix(pattern, "/**")
	if !ok || strings.ContainsAny(folder, "*?") {
		return say(effect, "OpenCode compares folders here, not files", action, parent(strings.TrimSuffix(pattern, "/**"))+"/*")
	}
	return say(effect, "", action, folder+"/*")
}

// ToolName is the action that an MCP tool has: characters other than letters,
// digits, "_" and "-" become "_" (measured on 1.18.33). A "*" of a pattern stays.
func ToolName(server, tool string) string {
	clean := func(s string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case r == '*', r == '_', r == '-', r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z':
				return r
			}
			return '_'
		}, s)
	}
	return clean(server) + "_" + clean(tool)
}

// Redundant reports whether a rule for everything of an action changes nothing
// behind the rules before it.
func Redundant(before []lastmatch.Rule, r lastmatch.Rule) bool {
	if r.Resource != "*" {
		return false
	}
	for i := len(before) - 1; i >= 0; i-- {
		b := before[i]
		if overlaps(b.Action, r.Action) && (b.Effect != r.Effect || b.Resource == "*" && wildcard.Compile(b.Action).Match(r.Action)) {
			return b.Effect == r.Effect
		}
	}
	return false
}

// overlaps reports whether two action patterns may match the same action, for
// names and "*".
func overlaps(a, b string) bool {
	return wildcard.Compile(a).Match(b) || wildcard.Compile(b).Match(a)
}
