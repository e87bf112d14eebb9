package claude

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/adapters/internal/permlist"
	"github.com/modegate/modegate/compiler/lint"
)

// Lint finds what is wrong with the rules of a session, or of a settings file.
func (dialect) Lint(in lint.Settings) ([]lint.Finding, error) {
	root, err := filetree.JSON(in.File, in.Text, true)
	if err != nil {
		return nil, err
	}
	entries, found := permlist.Read(root, []string{"allow", "ask", "deny"}, permissionKeys)
	session := root.Get("callback") != nil
	if !session {
		found = append(found, ignoredKeys(root)...)
	}
	l := &linter{in: in, inline: in.Written || session, version: in.Setting.Version}
	if l.version == "" {
		l.version = V332
	}
	for _, e := range entries {
		r, ok := parseRule(e.Text, e.List == "allow", l.version)
		l.rules = append(l.rules, lintRule{Rule: r, Entry: e, read: ok})
	}
	for i := range l.rules {
		bad := l.form(&l.rules[i])
		l.rules[i].inert = len(bad) > 0
		found = append(found, bad...)
	}
	found = append(found, l.grants()...)
	found = append(found, l.dead()...)
	return append(found, l.otherTools()...), nil
}

// linter judges the rules of one text.
type linter struct {
	in      lint.Settings
	inline  bool // a session's own settings, which have no folder
	version string
	rules   []lintRule
}

// lintRule is one rule as it was written and as Claude reads it.
type lintRule struct {
	Rule
	permlist.Entry
	read  bool // it is a rule at all
	inert bool // it never applies
}

// tools are those that a rule may name.
var tools = set(`Bash Read Edit Write MultiEdit NotebookEdit NotebookRead WebFetch WebSearch Glob Grep LS Agent Task Skill
	AskUserQuestion ExitPlanMode EnterPlanMode TodoWrite TaskCreate TaskUpdate TaskList TaskGet TaskOutput TaskStop
	ToolSearch BashOutput KillShell Monitor SendMessage SlashCommand PowerShell LSP ListMcpResourcesTool ReadMcpResourceTool`)

// otherNames are what other agents call Claude's tools.
var otherNames = map[string]string{"shell": "Bash", "command": "Bash", "fetch": "WebFetch", "search": "WebSearch", "patch": "Edit", "subagent": "Agent", "mcp": "mcp__SERVER__TOOL"}

// form finds rules that Claude reads and never applies.
func (l *linter) form(r *lintRule) []lint.Finding {
	allow := r.List == "allow"
	switch {
	case !r.read:
		return r.Find("inert-rule", "isn't one: Claude passes over it without a word", "write TOOL, or TOOL(PATTERN) with the bracket closed")
	case strings.HasPrefix(r.Tool, "mcp__") || r.Tool == "*" || strings.Contains(r.Tool, "*"):
		return l.globForm(r, allow)
	case !tools[r.Tool]:
		return l.toolName(r)
	}
	switch r.Tool {
	case "Bash":
		return l.bashForm(r, allow)
	case "Read", "Edit":
		return l.pathForm(r, allow)
	case "Write", "MultiEdit", "NotebookEdit":
		if r.Content != "" {
			return r.Find("inert-rule", "does nothing: a path is looked for in rules of Edit alone", fmt.Sprintf("write %q: it holds for every tool that changes files", "Edit("+r.Content+")"))
		}
	case "WebFetch":
		return l.hostForm(r)
	case "WebSearch":
		if r.Content != "" {
			return r.Find("never-matches", "never matches: a search isn't compared with a text", `write "WebSearch"`)
		}
	case "Agent":
		if r.List == "ask" && r.Content != "" && !strings.Contains(r.Content, ":") {
			return r.Find("inert-rule", "has no effect: an agent's name isn't asked about in this form", fmt.Sprintf("write %q", "Agent(subagent_type:"+r.Content+")"))
		}
	case "Skill":
		switch {
		case r.List == "ask" && r.Content != "":
			return r.Find("inert-rule", "has no effect: a skill's name isn't asked about", `deny it, or ask about "Skill"`)
		case strings.Contains(strings.TrimSuffix(r.Content, ":*"), "*"):
			return r.Find("never-matches", "never matches: a skill's name has no wildcards", "write its whole name")
		}
	case "AskUserQuestion", "ExitPlanMode":
		if allow {
			return r.Find("inert-rule", "has no effect: only a person answers that, whatever is allowed", "remove it")
		}
	}
	return nil
}

// toolName speaks of a tool that Claude doesn't have.
func (l *linter) toolName(r *lintRule) []lint.Finding {
	for name := range tools {
		if strings.EqualFold(name, r.Tool) {
			return r.Find("unknown-action", "does nothing: tools are compared letter by letter, capitals too", fmt.Sprintf("write %q", name))
		}
	}
	if to, ok := otherNames[strings.ToLower(r.Tool)]; ok {
		return r.Find("unknown-action", fmt.Sprintf("does nothing: Claude has no tool %s", r.Tool), fmt.Sprintf("write %q", to))
	}
	f := r.Find("unknown-action", fmt.Sprintf("does nothing: %s knows no tool %s", l.version, r.Tool), "write one of Claude's tools, or mcp__SERVER__TOOL")
	f[0].Severity = lint.Warning // another version, or a plugin, may have it
	return f
}

// globForm judges the tools of MCP servers, and wildcards in a tool's name.
func (l *linter) globForm(r *lintRule, allow bool) []lint.Finding {
	server, tool, isTool := mcpTool(r.Tool)
	switch {
	case strings.HasPrefix(r.Tool, "mcp__") && r.Content != "":
		return r.Find("inert-rule", "does nothing: the arguments of an MCP tool aren't compared", fmt.Sprintf("write %q", r.Tool))
	case !allow:
		return nil
	case !strings.HasPrefix(r.Tool, "mcp__"):
		return r.Find("inert-rule", "does nothing: a name with wildcards counts in ask and deny rules alone", "name each tool")
	case strings.Contains(r.Tool, "*") && (!isTool || strings.Contains(server, "*") || server == ""):
		return r.Find("inert-rule", "does nothing: an allow rule can't leave the server open", `write "mcp__SERVER" for everything of one server`)
	case isTool && tool == "":
		return r.Find("never-matches", "never matches: the tool's name is empty", fmt.Sprintf("write %q", "mcp__"+server))
	}
	return nil
}

// operators join commands, each of which is compared by itself.
var operators = regexp.MustCompile(`&&|\|\||[;|&]|\n`)

var middleColon = regexp.MustCompile(`:\*.`)

// bashForm judges the pattern of a command.
func (l *linter) bashForm(r *lintRule, allow bool) []lint.Finding {
	c := r.Content
	name, _, isParameter := strings.Cut(c, ":")
	switch {
	case c == "":
		return nil
	case c == ":*":
		return r.Find("never-matches", "never matches: nothing stands before the colon", `write "Bash"`)
	case isParameter && parameters["Bash"][name] && allow:
		return r.Find("inert-rule", "has no effect: a parameter counts in ask and deny rules alone", "remove it, or write the command's words")
	case strings.HasPrefix(c, "command:"):
		return r.Find("inert-rule", "does nothing: the command isn't a parameter that is compared", fmt.Sprintf("write %q", "Bash("+strings.TrimPrefix(c, "command:")+")"))
	case isParameter && parameters["Bash"][name]:
		return nil
	case !strings.ContainsAny(c, `'"`) && operators.MatchString(c):
		return r.Find("never-matches", "never matches: each command of a line is compared by itself", "write a rule for each command")
	case allow && (strings.Contains(c, "$(") || strings.Contains(c, "`") || strings.Contains(c, "${")):
		return r.Find("never-matches", "never matches: Claude asks about every command with a substitution", "remove it")
	case middleColon.MatchString(c):
		return r.Find("literal-pattern", "has a : that is an ordinary character: only at the end does :* stand for any arguments", "write * for any text")
	}
	if why := lint.Foreign(c, true); why != "" {
		return r.Find("literal-pattern", fmt.Sprintf("means something else than it looks: %s (only * is special)", why), "write one rule for each choice")
	}
	return nil
}

// hostForm judges the host of WebFetch.
func (l *linter) hostForm(r *lintRule) []lint.Finding {
	host, ok := strings.CutPrefix(r.Content, "domain:")
	switch {
	case r.Content == "":
		return nil
	case !ok:
		host = strings.TrimPrefix(strings.TrimPrefix(r.Content, "https://"), "http://")
		host, _, _ = strings.Cut(host, "/")
		return r.Find("never-matches", "never matches: addresses aren't compared, only hosts are", fmt.Sprintf("write %q", "WebFetch(domain:"+host+")"))
	case strings.ContainsAny(host, "/:?#@ "):
		clean := strings.TrimPrefix(strings.TrimPrefix(host, "https://"), "http://")
		clean, _, _ = strings.Cut(clean, "/")
		clean, _, _ = strings.Cut(clean, ":")
		return r.Find("never-matches", "never matches: the host stands alone, without scheme, port and path", fmt.Sprintf("write %q", "WebFetch(domain:"+clean+")"))
	}
	if why := lint.Foreign(host, true); why != "" {
		return r.Find("literal-pattern", "means something else than it looks: "+why, "write one rule for each host")
	}
	return nil
}

// rootNames are folders that stand at the root of a disk and hardly in a project.
var rootNames = set("tmp etc home Users usr var opt root mnt srv dev proc sys private Volumes Library")

// pathForm judges the pattern of a path: gitignore's, in Claude's own anchors.
func (l *linter) pathForm(r *lintRule, allow bool) []lint.Finding {
	c := r.Content
	first, _, _ := strings.Cut(strings.TrimPrefix(c, "/"), "/")
	never := func(why, instead string) []lint.Finding {
		return r.Find("path-form", "never matches: "+why, instead)
	}
	switch {
	case c == "*" && allow && r.Tool == "Read":
		return r.Find("inert-rule", "allows nothing that isn't allowed without it", `write "Read"`)
	case c == "":
		return nil
	case strings.HasPrefix(c, "/") && !strings.HasPrefix(c, "//") && l.inline:
		return never("one leading slash is relative to the settings' folder, and a session's settings have none", fmt.Sprintf("write %q for an absolute path, or %q for one in the workspace", "/"+c, strings.TrimPrefix(c, "/")))
	case strings.HasPrefix(c, "/") && !strings.HasPrefix(c, "//") && rootNames[first]:
		return never("one leading slash is relative to the folder of the settings, not to the root", fmt.Sprintf("write %q", r.Tool+"(/"+c+")"))
	case strings.HasPrefix(c, "$HOME"), strings.HasPrefix(c, "${"), strings.HasPrefix(c, "%"):
		return never("no variable is put in", "begin it with ~/ for the home folder")
	case strings.HasPrefix(c, "~") && !strings.HasPrefix(c, "~/"):
		return never("the home folder is ~/", "begin it with ~/")
	case strings.HasPrefix(c, "../"), c == "..", strings.Contains(c, "/../"):
		return never("a pattern doesn't lead out of its folder", "write the absolute path, with two slashes in front")
	case strings.HasPrefix(c, "!"):
		return never("a pattern that negates matches nothing", "write a rule of the opposite effect")
	case strings.HasSuffix(c, ":*"):
		return never(":* is for commands", fmt.Sprintf("write %q", strings.TrimSuffix(c, ":*")+"/**"))
	case regexp.MustCompile(`^[A-Za-z]:[/\\]`).MatchString(c):
		return never("a drive isn't known here", "write //c/… for a path on drive C")
	}
	if m := lint.Route(c); m != "" {
		return r.Find("special-pattern", fmt.Sprintf("doesn't match what it looks like: %s is one character of these", m), fmt.Sprintf("write %q for a name in brackets", strings.ReplaceAll(m, "[", `\[`)))
	}
	if why := lint.Foreign(c, false); why != "" && !strings.Contains(why, "class of characters") {
		return r.Find("literal-pattern", "means something else than it looks: "+why, "write one rule for each choice")
	}
	return nil
}
