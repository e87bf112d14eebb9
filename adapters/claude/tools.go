package claude

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
)

// checkOther is every tool without a check of its own. AskUserQuestion and
// ExitPlanMode are for a person, whatever is allowed.
func (s *session) checkOther(r request, t *tracer) finding {
	if f, ok := s.byTool(r.tool, t); ok {
		return f
	}
	switch r.tool {
	case "AskUserQuestion", "ExitPlanMode":
		return finding{user, nil, r.tool + " is for a person"}
	case "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "TaskOutput", "TaskStop", "TodoWrite", "EnterPlanMode", "ToolSearch":
		return finding{runs, nil, r.tool + " needs no permission"}
	case "WebSearch":
		if rule := s.allowed(r.tool, t); rule != nil {
			return finding{runs, rule, "the rule allows the tool"}
		}
		return finding{asks, nil, "searching the web isn't permitted"}
	}
	return finding{step: unclear, reason: "the tool " + r.tool + " wasn't measured"}
}

// rewritten reports whether a browser's reading of a URL, which is Claude's, may
// have another host than the one that is written: letters outside of ASCII, numbers
// that stand for an address, slashes too few or too many (2.1.332, 2026-12-01:
// domain:127.0.0.1 speaks of https://127.1/, and domain:a.test of https:a.test/).
// Without a scheme there is no URL to read.
func rewritten(u *url.URL) bool {
	if u.Scheme == "" {
		return false
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	number := last != "" && strings.Trim(last, "0123456789") == "" || strings.HasPrefix(strings.ToLower(last), "0x")
	if address, err := netip.ParseAddr(host); err == nil {
		number = address.Is6() && address.String() != host
	}
	return host == "" || number || strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII })
}

// checkWebFetch compares hosts. A rule's content is domain:HOST; URL patterns
// match nothing.
func (s *session) checkWebFetch(r request, t *tracer) finding {
	u, err := url.Parse(r.text("url"))
	if err != nil {
		return finding{step: unclear, reason: "the URL can't be read"}
	}
	about := func(r Rule) bool { return r.about("WebFetch") }
	if rewritten(u) && (slices.ContainsFunc(s.rules.Deny, about) || slices.ContainsFunc(s.rules.Ask, about) || slices.ContainsFunc(s.rules.Allow, about)) {
		return finding{step: unclear, reason: "Claude reads another host in this URL, as browsers do"}
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	at := func(r *Rule) bool { return r.about("WebFetch") && matchHost(r.Content, host) }
	if rule := t.first(s.rules.Deny, at, host); rule != nil {
		return finding{denied, rule, "the rule denies this host"}
	}
	if rule := t.first(s.rules.Ask, at, host); rule != nil {
		return finding{asked, rule, "the rule asks for this host"}
	}
	if f, ok := s.byTool(r.tool, t); ok {
		return f
	}
	if rule := s.allowed(r.tool, t); rule != nil {
		return finding{runs, rule, "the rule allows every host"}
	}
	if rule := t.first(s.rules.Allow, at, host); rule != nil {
		return finding{runs, rule, "the rule allows this host"}
	}
	if documentation(strings.ToLower(u.Hostname()), u.Path, s.version) {
		return finding{runs, nil, "a documentation host that Claude fetches unasked"}
	}
	return finding{asks, nil, "fetching from this host isn't permitted"}
}

// matchHost matches domain:HOST. A first *. is any subdomain, any other * is
// part of one label.
func matchHost(content, host string) bool {
	pattern, ok := strings.CutPrefix(content, "domain:")
	if !ok {
		return false
	}
	pattern = strings.ToLower(pattern)
	if pattern == "*" {
		return true
	}
	if rest, ok := strings.CutPrefix(pattern, "*."); ok {
		for h := host; ; {
			_, after, found := strings.Cut(h, ".")
			if !found {
				return false
			}
			if matchLabels(rest, after) {
				return true
			}
			h = after
		}
	}
	return matchLabels(pattern, host)
}

func matchLabels(pattern, host string) bool {
	want, have := strings.Split(pattern, "."), strings.Split(host, ".")
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if !star(want[i], have[i]) {
			return false
		}
	}
	return true
}

// mcpTool splits mcp__server__tool.
func mcpTool(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	server, tool, ok = strings.Cut(rest, "__")
	return server, tool, ok
}

// checkMCP is the tools of MCP servers. A tool that says it needs the user asks
// whatever is allowed (2.1.197 didn't look); plan keeps those back that don't
// say they only read (2.1.197 let an allow rule pass).
func (s *session) checkMCP(r request, t *tracer) finding {
	if f, ok := s.byTool(r.tool, t); ok {
		return f
	}
	server, tool, _ := mcpTool(r.tool)
	facts := s.facts.MCP[server][tool]
	if facts.Meta[needsUser] && s.version != V197 {
		return finding{user, nil, "the server says that the tool needs the user"}
	}
	if s.mode == Plan && !facts.ReadOnlyHint && !r.reads && s.version != V197 {
		return finding{planned, nil, "plan asks for a tool that doesn't say it only reads"}
	}
	if rule := s.allowed(r.tool, t); rule != nil {
		return finding{runs, rule, "the rule allows the tool"}
	}
	return finding{asks, nil, "the tool isn't permitted"}
}

// checkAgent starts a subagent, which needs no permission but in auto. An ask
// rule with an agent's name does nothing.
func (s *session) checkAgent(r request, t *tracer) finding {
	kind := r.text("subagent_type")
	named := func(rule *Rule) bool { return rule.about("Agent") && (rule.Content == kind || s.parameter(rule, r)) }
	if rule := t.first(s.rules.Deny, named, kind); rule != nil {
		return finding{denied, rule, "the rule denies this agent"}
	}
	if rule := t.first(s.rules.Ask, func(rule *Rule) bool { return rule.about("Agent") && s.parameter(rule, r) }, kind); rule != nil {
		return finding{asked, rule, "the rule asks for this parameter"}
	}
	if f, ok := s.byTool(r.tool, t); ok {
		return f
	}
	if s.classifies() {
		return finding{asks, nil, "auto mode doesn't start agents unasked"}
	}
	return finding{runs, nil, "starting an agent needs no permission"}
}

// checkSkill runs a skill, which needs no permission unless the skill brings
// some of its own. An ask rule with a skill's name does nothing.
func (s *session) checkSkill(r request, t *tracer) finding {
	name := r.text("skill")
	named := func(rule *Rule) bool {
		return rule.about("Skill") && (rule.Content == name || rule.Content == name+":*")
	}
	if rule := t.first(s.rules.Deny, named, name); rule != nil {
		return finding{denied, rule, "the rule denies this skill"}
	}
	if f, ok := s.byTool(r.tool, t); ok {
		return f
	}
	if rule := s.allowed(r.tool, t); rule != nil {
		return finding{runs, rule, "the rule allows every skill"}
	}
	if rule := t.first(s.rules.Allow, named, name); rule != nil {
		return finding{runs, rule, "the rule allows this skill"}
	}
	if s.bringsPermissions(name) {
		return finding{asks, nil, "the skill brings permissions of its own"}
	}
	return finding{runs, nil, "a skill without permissions of its own needs none"}
}

// bringsPermissions looks for allowed-tools in the head of a skill's file.
func (s *session) bringsPermissions(name string) bool {
	for _, folder := range []string{s.cwd + "/.claude", s.config} {
		data, ok := s.facts.file(folder + "/skills/" + name + "/SKILL.md")
		if !ok {
			continue
		}
		_, head, _ := strings.Cut(string(data), "---\n")
		head, _, _ = strings.Cut(head, "\n---")
		for line := range strings.Lines(head) {
			if strings.HasPrefix(line, "allowed-tools:") {
				return true
			}
		}
	}
	return false
}

// parameters are the inputs that a rule may name, as in Bash(timeout:*). What a
// tool's other rules are about isn't one.
var parameters = map[string]map[string]bool{
	"Bash":  set("run_in_background timeout description dangerouslyDisableSandbox"),
	"Agent": set("subagent_type model description prompt run_in_background isolation name"),
}

// parameter reports whether a deny or ask rule names an input of the request and
// its value.
func (s *session) parameter(rule *Rule, r request) bool {
	name, want, ok := strings.Cut(rule.Content, ":")
	raw, given := r.input[name]
	if !ok || !given || !parameters[r.tool][name] {
		return false
	}
	have := string(raw)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		have = text
	}
	return star(want, have)
}
