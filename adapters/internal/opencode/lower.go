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

// External is the action that both generations ask about folders outside.
const External = "external_directory"

// Lowered is a policy rule in OpenCode's words.
type Lowered struct {
	Rules []lastmatch.Rule // none when the rule can't be said
	Loss  string           // what the rules don't say, "" when they are exact
}

// lower says a policy rule in a generation's words. Where the pattern languages
// part, it says what is stricter: an allow that would open more isn't said at
// all, and an ask or a deny covers more.
func (w *Writer) lower(r compiler.Rule) Lowered {
	action := w.Names[r.Kind]
	if r.Match == compiler.Everything {
		return say(r.Effect, "", action, "*")
	}
	switch r.Kind {
	case evaluator.Command:
		return say(r.Effect, wild(r.Match), action, r.Match)
	case evaluator.FileRead, evaluator.FileChange:
		return w.lowerPath(r, action)
	case evaluator.OutsideWorkspace:
		return w.lowerOutside(r, action)
	case evaluator.WebFetch, evaluator.WebSearch, evaluator.Subagent:
		return say(r.Effect, question(r.Match), action, r.Match)
	case evaluator.MCPTool:
		return lowerTool(r)
	}
	return Lowered{Loss: "OpenCode has no rule for some questions alone"}
}

// say makes rules. What is lost makes an allow unsayable, because it would open
// more than it should. OpenCode has no reviewer, so a person is asked.
func say(effect evaluator.Effect, loss, action string, resources ...string) Lowered {
	if loss != "" && effect == evaluator.Allow {
		return Lowered{Loss: loss + ", so the allow isn't sent"}
	}
	if effect == evaluator.Review {
		effect = evaluator.Ask
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

// lowerPath says a glob of files, in the texts by which a generation names them.
func (w *Writer) lowerPath(r compiler.Rule, action string) Lowered {
	if r.Match == compiler.PlanFiles {
		var out Lowered
		for _, glob := range w.In.PlanFiles {
			one := r
			one.Match = glob
			said := w.lowerPath(one, action)
			out.Rules = append(out.Rules, said.Rules...)
			out.Loss = max(out.Loss, said.Loss)
		}
		return out
	}
	pattern := paths.Home(w.Env.Home, r.Match)
	if !paths.Rooted(pattern) {
		pattern = strings.TrimSuffix(w.Workspace, "/") + "/" + pattern
	} else if w.Lexical && w.Root == paths.UnknownWorkspace {
		return say(r.Effect, "OpenCode 1.x names files from the repository's root, and where that is isn't known", action, "*"+flatten(pattern)[0])
	}
	text, ok := w.text(pattern)
	if !ok {
		return say(r.Effect, "OpenCode names files in the workspace and outside of it in two ways, and this pattern may match both", action, "*")
	}
	loss := ""
	switch {
	case crosses(text):
		loss = `OpenCode's "*" and "?" cross folders`
	case strings.HasPrefix(text, "*") && pattern != "/**" && !w.closedOutside(r):
		loss = `OpenCode's leading "*" matches files outside the workspace, too`
	}
	return say(r.Effect, loss, action, flatten(text)...)
}

// text is the text that stands for the files of an absolute glob; ok is false
// when it may match files on both sides of the workspace's border.
func (w *Writer) text(pattern string) (text string, ok bool) {
	root := strings.TrimSuffix(w.Root, "/") + "/"
	fixed := pattern
	if i := strings.IndexAny(pattern, "*?"); i >= 0 {
		fixed = pattern[:i]
	}
	rest, inside := strings.CutPrefix(pattern, root)
	switch {
	case pattern == "/**":
		return "**", true
	case fixed != pattern && fixed != root && strings.HasPrefix(root, fixed):
		return "", false
	case inside:
		return rest, true
	case w.Lexical:
		return paths.Rel(w.Root, pattern), true
	}
	return pattern, true
}

// closedOutside reports whether what a file rule opens outside the workspace is
// still decided by the outside-workspace rules: each is at least as strict as
// everything that the policy says of the rule's kind.
func (w *Writer) closedOutside(r compiler.Rule) bool {
	closed := false
	for _, o := range w.In.Effective() {
		if o.Kind != evaluator.OutsideWorkspace {
			continue
		}
		closed = closed || o.Match == compiler.Everything
		for _, f := range w.In.Effective() {
			if (f.Kind == r.Kind || f.Kind == evaluator.AnyKind) && compiler.Looser(o.Effect, f.Effect) {
				return false
			}
		}
	}
	return closed
}

// crosses reports whether a glob has a wildcard that must not cross folders.
func crosses(pattern string) bool {
	return strings.ContainsAny(strings.ReplaceAll(strings.ReplaceAll(pattern, "**/*", ""), "**", ""), "*?")
}

// flatten writes a glob in OpenCode's wildcards, in which "*" is any text: a
// "**/" before a name is either nothing or some folders, which takes a pattern
// for each.
func flatten(pattern string) []string {
	before, after, found := strings.Cut(pattern, "**/")
	if !found {
		return []string{strings.ReplaceAll(pattern, "**", "*")}
	}
	var out []string
	for _, rest := range flatten(after) {
		if strings.HasPrefix(rest, "*") {
			out = append(out, before+rest)
			continue
		}
		out = append(out, before+rest, before+"*/"+rest)
	}
	return out
}

// lowerOutside says a glob of paths outside: OpenCode compares the folder that
// a path lies in, with "/*" behind it.
func (w *Writer) lowerOutside(r compiler.Rule, action string) Lowered {
	pattern := paths.Home(w.Env.Home, r.Match)
	folder, ok := strings.CutSuffix(pattern, "/**")
	if !ok || strings.ContainsAny(folder, "*?") {
		if !ok {
			folder = parent(pattern)
		}
		return say(r.Effect, "OpenCode compares folders here, not files", action, wildFolder(folder)+"/*")
	}
	return say(r.Effect, "", action, folder+"/*")
}

// wildFolder writes the folder of a glob; what can't be told apart is left open.
func wildFolder(folder string) string {
	if i := strings.IndexAny(folder, "*?"); i >= 0 {
		folder = strings.TrimSuffix(folder[:strings.LastIndexByte(folder[:i], '/')+1], "/")
	}
	return strings.TrimSuffix(folder, "/")
}

// lowerTool says a rule for MCP tools: a tool's action is made from its server's
// name and its own, see ToolName. A pattern without "/" has it in one of its "*".
// A server whose name is another's with "_…" behind it can't be told from a tool.
func lowerTool(r compiler.Rule) Lowered {
	var out Lowered
	for _, action := range toolPatterns(r.Match) {
		one := say(r.Effect, question(r.Match), action, "*")
		out.Rules, out.Loss = append(out.Rules, one.Rules...), one.Loss
	}
	return out
}

func toolPatterns(match string) []string {
	if server, tool, ok := strings.Cut(match, "/"); ok {
		return []string{ToolName(server, tool)}
	}
	var out []string
	for i, c := range match {
		if c == '*' {
			out = append(out, ToolName(match[:i+1], match[i:]))
		}
	}
	return out
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
// behind the rules before it. A deny also takes the tool away from the model, for
// which 1.x looks at the last rule alone.
func Redundant(before []lastmatch.Rule, r lastmatch.Rule) bool {
	if r.Resource != "*" {
		return false
	}
	for i := len(before) - 1; i >= 0; i-- {
		b := before[i]
		if !overlaps(b.Action, r.Action) {
			continue
		}
		covers := b.Resource == "*" && wildcard.Compile(b.Action).Match(r.Action)
		if b.Effect != r.Effect || covers || r.Effect == evaluator.Deny {
			return b.Effect == r.Effect && covers
		}
	}
	return false
}

// overlaps reports whether two action patterns may match the same action, for
// names and "*".
func overlaps(a, b string) bool {
	return wildcard.Compile(a).Match(b) || wildcard.Compile(b).Match(a)
}
