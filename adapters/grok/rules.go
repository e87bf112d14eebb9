package grok

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/bash"
)

// rule is one rule of a settings file, taken apart: Tool or Tool(pattern).
type rule struct {
	fileRule
	index   int // within its layer
	tool    string
	pattern string
	inert   string // why it never decides, "" when it may
}

// ruleTools are the words before the bracket, and the class of tools they mean
// (22-permissions-and-safety.md of 1.0.41). Rules that name others are skipped.
var ruleTools = map[string]string{
	"Bash": "Bash", "Read": "Read", "Edit": "Edit", "Write": "Edit", "Grep": "Grep", "Glob": "Grep",
	"MCPTool": "MCPTool", "WebFetch": "WebFetch", "WebSearch": "WebSearch", "*": "*",
}

// readRules takes the rules apart and marks those that are never applied.
func readRules(f facts) []rule {
	count := map[string]int{}
	out := make([]rule, 0, len(f.Rules))
	for _, r := range f.Rules {
		tool, pattern, bracket := strings.Cut(r.Rule, "(")
		if bracket {
			pattern = strings.TrimSuffix(pattern, ")")
		}
		one := rule{fileRule: r, index: count[r.Layer], pattern: pattern}
		count[r.Layer]++
		switch class, ok := ruleTools[tool]; {
		case ok:
			one.tool = class
		case strings.HasPrefix(tool, "mcp__"):
			one.tool, one.pattern = "MCPTool", claudeTool(tool)
		default:
			one.inert = "Grok skips rules of a tool that it doesn't have"
		}
		if !f.trusted() && (r.Layer == projectLayer || r.Layer == claudeProjectLayer) {
			one.inert = "not enforced until the folder is trusted: Grok skips the rules of an untrusted project without a word"
		}
		out = append(out, one)
	}
	return out
}

// claudeTool rewrites Claude's names of MCP tools.
func claudeTool(name string) string {
	name = strings.TrimPrefix(name, "mcp__")
	if !strings.Contains(name, "__") && name != "*" {
		name += "__*"
	}
	return name
}

// target is what a request's rules are compared with.
type target struct {
	classes []string // of rules that speak of it
	text    string   // path, URL or tool name
	rel     string   // the path relative to the workspace, "" for none or outside
	line    *line    // for commands
	raw     string   // the command as it was written
	unasked bool     // ask rules don't hold for it: web_search

	denied, asked func() []string // of a command: what deny and ask rules are compared with
}

// matches reports whether a rule speaks of the target. An allow rule must cover
// every command of a line; ask and deny rules need one.
func (r rule) matches(t target) bool {
	switch {
	case r.inert != "", t.unasked && r.Effect == evaluator.Ask:
		return false
	case r.tool == "*":
		return r.pattern == "" || r.pattern == "*"
	case !contains(t.classes, r.tool):
		return false
	case r.pattern == "" || r.pattern == "*":
		return true
	case t.line != nil:
		return r.matchesLine(t)
	case r.tool == "Read" || r.tool == "Edit" || r.tool == "Grep":
		return matchPath(r.pattern, t.text, t.rel)
	case r.tool == "WebFetch" && strings.HasPrefix(r.pattern, "domain:"):
		return matchDomain(r.pattern[len("domain:"):], t.text)
	}
	return wild(r.pattern, t.text, true)
}

func (r rule) matchesLine(t target) bool {
	if r.Effect == evaluator.Allow {
		return false // judged over all allow rules together: see allows
	}
	texts := t.asked
	if r.Effect == evaluator.Deny {
		texts = t.denied
	}
	return slices.ContainsFunc(texts(), func(text string) bool { return matchCommand(r.pattern, text, r.Effect) })
}

// matchCommand compares a Bash pattern with a command: as what it begins with, or
// as a glob over the whole. For ask and deny rules the beginning may end within a
// word. (The guide says so of allow rules too; for those it may not.)
func matchCommand(pattern, text string, e evaluator.Effect) bool {
	prefix := strings.TrimSuffix(pattern, ":*")
	if rest, ok := strings.CutPrefix(text, prefix); ok && (e != evaluator.Allow || rest == "" || rest[0] == ' ') {
		return true
	}
	return wild(pattern, text, true)
}

// everyCommand lists the commands that deny and ask rules see: also those in
// subshells, substitutions, control flow and the scripts of bash -c, without
// wrappers and assignments; not what sudo, xargs, eval or nohup start. written says
// to give what is written, too, as deny rules see it (1.0.41, 2026-12-01): the whole
// text, and a command with a redirect among its words.
func everyCommand(text string, written bool) []string {
	var out []string
	if written {
		out = append(out, strings.TrimLeft(text, " \t\n"))
	}
	queue := []string{text}
	for n := 0; n < len(queue) && n < 20; n++ {
		script, err := bash.Parse(queue[n])
		if err != nil {
			continue
		}
		blind := hidden(script)
		for _, c := range script.Commands() {
			words, static := ruleWords(script, c)
			if len(words) == 0 || blind(c.Node) {
				continue
			}
			inner := peelAll(words)
			if strings.Contains(inner[0], " ") || words[0] == "timeout" && negative(words[1:]) {
				continue
			}
			if text, split := interrupted(script, c); written && split && len(inner) == len(words) {
				out = append(out, text)
			} else if !split {
				out = append(out, strings.Join(inner, " "))
			}
			if shells[inner[0]] {
				queue = append(queue, scripts(inner, static[len(words)-len(inner):])...)
			}
		}
	}
	return out
}

// peelAll takes off wrappers, and env's own arguments with them.
func peelAll(words []string) []string {
	for {
		inner, why := peel(words)
		if why == "" {
			return inner
		}
		inner, ok := behindEnv(inner[1:])
		if !ok || len(inner) == 0 {
			return words
		}
		words = inner
	}
}

// allows reports whether the allow rules cover every command of the line. What
// is guarded none covers. (The guide says that rm and the like are.)
func allows(rules []rule, t target) (rule, bool) {
	var hit rule
	if t.line == nil || !t.line.split || t.line.rating == guarded || len(t.line.segments) == 0 {
		return hit, false
	}
	for _, s := range t.line.segments {
		found := false
		for _, r := range rules {
			if r.inert == "" && r.Effect == evaluator.Allow && (r.tool == "Bash" || r.tool == "*") &&
				(r.pattern == "" || r.pattern == "*" || r.tool == "Bash" && matchCommand(r.pattern, s.text, r.Effect)) {
				hit, found = r, true
				break
			}
		}
		if !found {
			return rule{}, false
		}
	}
	return hit, true
}

// matchPath compares a path pattern with a path: anywhere when it begins with
// "**" or "/", else within the workspace. (The guide says that a leading "*"
// matches at any depth too; it doesn't.)
func matchPath(pattern, file, rel string) bool {
	if strings.HasPrefix(pattern, "**") || strings.HasPrefix(pattern, "/") {
		return wild(pattern, file, false)
	}
	return rel != "" && wild(strings.TrimPrefix(pattern, "./"), rel, false)
}

func matchDomain(domain, url string) bool {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		rest = url
	}
	host := strings.ToLower(rest[:endOfHost(rest)])
	host, domain = strings.TrimPrefix(host, "www."), strings.ToLower(strings.TrimPrefix(domain, "www."))
	return host == domain || strings.HasSuffix(host, "."+domain)
}

func endOfHost(s string) int {
	if i := strings.IndexAny(s, "/:?#"); i >= 0 {
		return i
	}
	return len(s)
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}
