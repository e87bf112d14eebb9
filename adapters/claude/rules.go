package claude

import (
	"strings"
)

// Layer is where rules came from, in Claude's own names (the sources that its
// list_permission_rules shows).
type Layer string

// The layers. Deny beats ask and ask beats allow whatever their layers are.
const (
	ManagedLayer Layer = "policySettings"
	UserLayer    Layer = "userSettings"
	ProjectLayer Layer = "projectSettings"
	LocalLayer   Layer = "localSettings"
	FlagLayer    Layer = "flagSettings" // --settings, and the SDK's settings object: ours
	ArgLayer     Layer = "cliArg"       // --allowedTools, --disallowedTools
	SessionLayer Layer = "session"
)

// Rule is one permission rule: a tool, or a tool and what it must be asked for.
type Rule struct {
	Tool    string
	Content string // "" for every use of the tool

	text    string
	layer   Layer
	index   int
	anchor  string // the folder that a pattern with one leading slash is relative to, "" for none
	pointer string // into the native settings, for our own rules
}

// aliases are other names of tools (Task was Agent's old name).
var aliases = map[string]string{"Task": "Agent"}

// wholeTool lists the tools for which a content of "*" is no content at all.
var wholeTool = map[string]bool{"Bash": true, "Edit": true, "Write": true, "WebFetch": true}

// parseRule reads a rule. What isn't a rule does nothing in Claude, silently,
// and neither does a rule with empty brackets. A content of * is no content; in
// an allow rule for Read only in 2.1.197.
func parseRule(text string, allow bool, version string) (Rule, bool) {
	r := Rule{Tool: strings.TrimSpace(text), text: text}
	if i := strings.IndexByte(r.Tool, '('); i >= 0 {
		content, closed := strings.CutSuffix(r.Tool[i+1:], ")")
		r.Tool, r.Content = r.Tool[:i], strings.TrimLeft(content, " ")
		if !closed || r.Content == "" {
			return Rule{}, false
		}
	}
	if r.Tool == "" {
		return Rule{}, false
	}
	if to, ok := aliases[r.Tool]; ok {
		r.Tool = to
	}
	if r.Content == "*" && (wholeTool[r.Tool] || r.Tool == "Read" && (!allow || version == V197)) {
		r.Content = ""
	}
	return r, true
}

// whole reports whether a rule without content speaks of the tool. Globs in the
// name count in deny and ask rules; in allow rules only behind a server's name.
func (r *Rule) whole(tool string, allow bool) bool {
	if r.Content != "" {
		return false
	}
	if r.Tool == tool {
		return true
	}
	server, _, isMCP := mcpTool(tool)
	if isMCP && r.Tool == "mcp__"+server {
		return true
	}
	if !strings.Contains(r.Tool, "*") {
		return false
	}
	if allow && !(isMCP && strings.HasPrefix(r.Tool, "mcp__"+server+"__")) {
		return false
	}
	return star(r.Tool, tool)
}

// about reports whether the rule is about some uses of the tool.
func (r *Rule) about(tool string) bool { return r.Content != "" && r.Tool == tool }

// star matches a text with a pattern in which * is any text.
func star(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	last := len(parts) - 1
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, p := range parts[1:last] {
		i := strings.Index(text, p)
		if i < 0 {
			return false
		}
		text = text[i+len(p):]
	}
	return strings.HasSuffix(text, parts[last])
}

// Rules are the rules of a session, by what they do, in order of their layers.
type Rules struct{ Allow, Ask, Deny []Rule }

// add reads the rules of one layer. pointers is the JSON Pointer of the lists in
// the native settings, "" for rules that aren't ours.
func (rs *Rules) add(p Permissions, layer Layer, anchor, pointers, version string) {
	read := func(into *[]Rule, texts []string, name string) {
		for i, t := range texts {
			r, ok := parseRule(t, name == "allow", version)
			if !ok {
				continue
			}
			r.layer, r.index, r.anchor = layer, i, anchor
			if pointers != "" {
				r.pointer = pointers + "/" + name + "/" + itoa(i)
			}
			*into = append(*into, r)
		}
	}
	read(&rs.Allow, p.Allow, "allow")
	read(&rs.Ask, p.Ask, "ask")
	read(&rs.Deny, p.Deny, "deny")
}
