package claude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/policies"
)

// drafter makes a policy of settings files.
type drafter struct {
	env    evaluator.Env
	config string // Claude's own folder
	mode   Mode   // that a session starts in
	rules  []fileRule
	losses []compiler.Loss
}

// fileRule is one rule of a settings file.
type fileRule struct {
	Rule
	effect evaluator.Effect
	source evaluator.Source
	where  string // what it compares, the same for two spellings of one rule
}

// newDrafter orders the rules of the files as they are asked: what allows, then what
// asks, then what denies, so that the last one that matches decides as in Claude.
func (r *settingsReader) newDrafter(all []*settingsFile) *drafter {
	d := &drafter{env: r.env, config: r.config(), mode: r.startMode(all)}
	managed := slices.ContainsFunc(all, func(f *settingsFile) bool {
		return f.layer == ManagedLayer && f.settings.AllowManagedPermissionRulesOnly
	})
	for _, effect := range []evaluator.Effect{evaluator.Allow, evaluator.Ask, evaluator.Deny} {
		start := len(d.rules)
		for _, f := range all {
			list := f.root.Get("permissions").Get(effect.String())
			if list == nil || managed && f.layer != ManagedLayer {
				continue
			}
			for _, item := range list.Items {
				rule, ok := parseRule(item.Text, effect == evaluator.Allow, V332)
				if ok && !policies.Sayable(item.Text) {
					d.losses = append(d.losses, lost(item.Source, fmt.Sprintf("%q has a character that no policy can have", item.Text), anything))
					continue
				}
				if !ok {
					d.losses = append(d.losses, lost(item.Source, fmt.Sprintf("%q is no rule: Claude skips it", item.Text), nil))
					continue
				}
				rule.anchor = f.folder
				fr := fileRule{Rule: rule, effect: effect, source: item.Source}
				fr.where = d.compared(rule, effect)
				d.rules = append(d.rules, fr)
			}
		}
		// A rule for everything of its kind takes those before it out of force.
		slices.SortStableFunc(d.rules[start:], func(a, b fileRule) int { return min(len(a.Content), 1) - min(len(b.Content), 1) })
	}
	return d
}

// startMode is the mode that the files start a session in.
func (r *settingsReader) startMode(all []*settingsFile) Mode {
	var layers []layer
	for _, f := range all {
		layers = append(layers, layer{name: f.layer, settings: f.settings})
	}
	s := &session{version: V332, auto: yes}
	return s.permitted(*s.defaultMode(layers), layers)
}

// Rules is how many rules the files have.
func (d *drafter) Rules() int { return len(d.rules) }

// compared writes what a rule compares: paths anchored at the root, so that two
// spellings of one rule are the same text.
func (d *drafter) compared(r Rule, effect evaluator.Effect) string {
	if r.Content == "" {
		if strings.HasPrefix(r.Tool, "mcp__") { // mcp__S and mcp__S__* speak of the same
			return effect.String() + " " + strings.TrimSuffix(r.Tool, "__*")
		}
		return effect.String() + " " + r.Tool
	}
	content := r.Content
	switch r.Tool {
	case "Bash":
		if prefix, ok := strings.CutSuffix(content, ":*"); ok {
			content = prefix + " *"
		}
	case "Read", "Edit":
		s := &session{version: V332, cwd: workspaceOf(d.env), home: paths.Home(d.env.Home, "~")}
		root, pattern, ok := s.rooted(&r, effect == evaluator.Allow)
		if !ok {
			return effect.String() + " nothing"
		}
		content = anchoredAt(root, pattern)
	}
	return effect.String() + " " + r.Tool + "(" + content + ")"
}

// anchoredAt writes a gitignore pattern from the root: one without a slash floats.
func anchoredAt(root, pattern string) string {
	tree := strings.TrimSuffix(strings.TrimSuffix(pattern, "/**"), "/")
	if !strings.Contains(tree, "/") && tree != "**" {
		pattern = "**/" + pattern
	}
	return strings.TrimSuffix(root, "/") + "/" + strings.TrimPrefix(pattern, "/")
}

// policyRule says a rule in a policy's words. ok is false where it has none.
func (d *drafter) policyRule(r fileRule) (kind evaluator.Kind, match string, ok bool) {
	switch server, tool, mcp := mcpTool(r.Tool); {
	case mcp && tool == "":
		kind, match = evaluator.MCPTool, server+"/*"
	case mcp:
		kind, match = evaluator.MCPTool, server+"/"+tool
	case strings.HasPrefix(r.Tool, "mcp__"):
		kind, match = evaluator.MCPTool, strings.TrimPrefix(r.Tool, "mcp__")+"/*"
	case r.Content == "":
		kind, match = wholeKinds[r.Tool], compiler.Everything
	case r.Tool == "Bash":
		kind, match = evaluator.Command, r.Content
		if prefix, ok := strings.CutSuffix(match, ":*"); ok {
			match = prefix + " *"
		}
	case r.Tool == "Read" || r.Tool == "Edit":
		kind = evaluator.FileRead
		if r.Tool == "Edit" {
			kind = evaluator.FileChange
		}
		match = d.glob(r)
	case r.Tool == "WebFetch":
		host, isHost := strings.CutPrefix(r.Content, "domain:")
		kind, match = evaluator.WebFetch, "*://"+host+"/*"
		if !isHost {
			return "", "", false
		}
	case r.Tool == "Agent":
		kind, match = evaluator.Subagent, strings.TrimPrefix(r.Content, "subagent_type:")
	}
	return kind, match, kind != "" && match != "" && policies.CheckMatch(kind, match) == nil
}

// wholeKinds are the kinds that a rule for every use of a tool speaks of.
var wholeKinds = map[string]evaluator.Kind{
	"Bash": evaluator.Command, "WebFetch": evaluator.WebFetch, "WebSearch": evaluator.WebSearch, "Agent": evaluator.Subagent,
	"AskUserQuestion": evaluator.Question,
}

// glob writes a path pattern as a policy does.
func (d *drafter) glob(r fileRule) string {
	_, where, _ := strings.Cut(r.where, "(")
	where = strings.TrimSuffix(where, ")")
	rest, inside := strings.CutPrefix(where, strings.TrimSuffix(workspaceOf(d.env), "/")+"/")
	if inside {
		return rest
	}
	if rest, atHome := strings.CutPrefix(where, paths.Home(d.env.Home, "~")+"/"); atHome {
		return "~/" + rest
	}
	return where
}

// Draft says the rules in a policy's words, but for those that stay as they are.
func (d *drafter) Draft(verbatim map[int]bool, modes []evaluator.Mode) (policies.Draft, []compiler.Loss) {
	out := policies.Draft{Profiles: map[evaluator.Provider][]string{}}
	native := map[evaluator.Effect][]string{}
	for i, r := range d.rules {
		from := placeOf(r.source) + ": " + r.text
		kind, match, ok := d.policyRule(r)
		if !ok || verbatim[i] {
			native[r.effect] = append(native[r.effect], "# "+policies.Visible(from), "- "+policies.Quote(d.spelled(r)))
			continue
		}
		rule := policies.Rule{ID: compiler.DraftID(i), Kind: kind, Match: match, Effect: r.effect, Modes: modesOf(modes)}
		out.Rules = append(out.Rules, policies.DraftRule{Rule: rule, Comment: from})
	}
	lines := []string{"modes:"}
	for _, m := range modes {
		value := fmt.Sprintf("  %s: {permissionMode: %s, callback: %s}", m, d.mode, personAnswers)
		if d.mode == Bypass {
			value = strings.TrimSuffix(value, "}") + ", allowDangerouslySkipPermissions: true}"
		}
		lines = append(lines, value)
	}
	if len(native) > 0 {
		lines = append(lines, "rules: # in Claude's own words, which other providers don't see")
		for _, effect := range []evaluator.Effect{evaluator.Allow, evaluator.Ask, evaluator.Deny} {
			if native[effect] != nil {
				lines = append(lines, "  "+effect.String()+":")
				for _, line := range native[effect] {
					lines = append(lines, "    "+line)
				}
			}
		}
	}
	out.Profiles[evaluator.Claude] = lines
	return out, slices.Clone(d.losses)
}

// modesOf are the modes of a rule: none for all of them.
func modesOf(modes []evaluator.Mode) []evaluator.Mode {
	if len(modes) == len(evaluator.Modes()) {
		return nil
	}
	return modes
}

// spelled is a rule as a session's own settings must have it: there a pattern with
// one leading slash would match nothing.
func (d *drafter) spelled(r fileRule) string {
	if (r.Tool == "Read" || r.Tool == "Edit") && strings.HasPrefix(r.Content, "/") && !strings.HasPrefix(r.Content, "//") {
		_, where, _ := strings.Cut(r.where, "(")
		return r.Tool + "(/" + where
	}
	return r.text
}

// Lost lists the rules that the written settings don't have, and those that brought
// one which the files don't have.
func (d *drafter) Lost(w compiler.Written) []int {
	var n Native
	if json.Unmarshal(w.Native, &n) != nil {
		return nil
	}
	there, wanted := map[string]bool{}, map[string]bool{}
	for _, r := range d.rules {
		wanted[r.where] = true
	}
	var excess []string // ids of the rules behind what is too much
	for effect, list := range map[evaluator.Effect][]string{evaluator.Allow: n.Permissions.Allow, evaluator.Ask: n.Permissions.Ask, evaluator.Deny: n.Permissions.Deny} {
		for i, text := range list {
			rule, ok := parseRule(text, effect == evaluator.Allow, V332)
			if !ok {
				continue
			}
			where := d.compared(rule, effect)
			there[where] = true
			if !wanted[where] {
				excess = append(excess, sourceID(w, "/permissions/"+effect.String()+"/"+itoa(i)))
			}
		}
	}
	var out []int
	for i, r := range d.rules {
		if !there[r.where] || slices.Contains(excess, compiler.DraftID(i)) {
			out = append(out, i)
		}
	}
	return out
}

func sourceID(w compiler.Written, pointer string) string {
	for _, s := range w.Sources {
		if s.Pointer == pointer {
			return s.ID
		}
	}
	return ""
}

// Probes lists calls inside and just outside of each rule.
func (d *drafter) Probes() []evaluator.Action {
	var out []evaluator.Action
	letters := strings.NewReplacer("**", "x", "*", "x", "?", "x")
	for _, r := range d.rules {
		kind, match, ok := d.policyRule(r)
		inside := letters.Replace(match)
		switch {
		case r.Tool == "Bash":
			bare := strings.TrimSuffix(strings.TrimSuffix(strings.ReplaceAll(r.Content, "*", "x"), ":x"), " x")
			for _, c := range []string{bare, bare + " x", bare + "x", "x " + bare, "ls && " + bare} {
				out = append(out, evaluator.Action{Kind: evaluator.Command, Command: c})
			}
		case r.Tool == "Read" || r.Tool == "Edit" || r.Tool == "Write":
			at := letters.Replace(d.glob(r))
			at = paths.Home(d.env.Home, at)
			for _, p := range []string{at, at + "x", at + "/x", "x/" + strings.TrimPrefix(at, "/")} {
				out = append(out, evaluator.Action{Kind: evaluator.FileRead, Path: p}, evaluator.Action{Kind: evaluator.FileChange, Path: p}, evaluator.Action{Kind: evaluator.Command, Command: "cat " + p})
			}
		case kind == evaluator.WebFetch:
			host := letters.Replace(strings.TrimPrefix(r.Content, "domain:"))
			out = append(out, evaluator.Action{Kind: kind, URL: "https://" + host + "/a"}, evaluator.Action{Kind: kind, URL: "https://x." + host + "/"}, evaluator.Action{Kind: kind, URL: "https://x" + host + "/"})
		case kind == evaluator.MCPTool && ok:
			server, tool, _ := strings.Cut(inside, "/")
			out = append(out, evaluator.Action{Kind: kind, Server: server, Tool: tool}, evaluator.Action{Kind: kind, Server: server, Tool: tool + "x"}, evaluator.Action{Kind: kind, Server: server + "x", Tool: tool})
		case kind == evaluator.Subagent && ok:
			out = append(out, evaluator.Action{Kind: kind, Agent: inside}, evaluator.Action{Kind: kind, Agent: inside + "x"})
		}
	}
	return out
}
