package claude

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler/lint"
)

// lintSession is a session of no machine, in which rules are compared.
func (l *linter) lintSession() *session {
	return &session{version: l.version, cwd: "/a-workspace", workspace: "/a-workspace", home: "/a-home", dirs: []string{"/a-workspace"}}
}

// sample is one thing that a rule speaks of.
type sample struct {
	tool, text string // of a path: absolute
}

const (
	someName  = "zqx"
	someOther = "zqy-longer.zq"
)

// samples are things of all the shapes that a rule matches.
func (l *linter) samples(r lintRule) []sample {
	c := r.Content
	if c == "" {
		if strings.Contains(r.Tool, "*") {
			return nil // a name with wildcards stands for many tools
		}
		if r.Tool == "Bash" {
			return []sample{{r.Tool, someName}, {r.Tool, someName + " " + someOther}}
		}
		return []sample{{r.Tool, "/" + someName}, {r.Tool, "/a-workspace/" + someName}}
	}
	var out []sample
	switch r.Tool {
	case "Bash":
		for _, s := range commandTexts(c) {
			out = append(out, sample{r.Tool, s})
		}
	case "Read", "Edit":
		for _, s := range l.pathTexts(r) {
			out = append(out, sample{r.Tool, s})
		}
	case "WebFetch":
		host := strings.TrimPrefix(c, "domain:")
		for _, fill := range []string{someName, "zqy"} {
			out = append(out, sample{r.Tool, strings.ReplaceAll(host, "*", fill)})
		}
	case "Agent", "Skill":
		if !strings.ContainsAny(c, ":*") {
			out = append(out, sample{r.Tool, c})
		}
	}
	return out
}

// commandTexts are commands that a pattern matches.
func commandTexts(c string) []string {
	if prefix, ok := strings.CutSuffix(c, ":*"); ok && !strings.Contains(prefix, "*") {
		c = prefix + " *"
	}
	if !strings.Contains(c, "*") {
		return []string{c}
	}
	out := []string{strings.ReplaceAll(c, "*", someName), strings.ReplaceAll(c, "*", someName+" "+someOther)}
	if prefix, ok := strings.CutSuffix(c, " *"); ok && !strings.Contains(prefix, "*") {
		out = append(out, prefix)
	}
	return out
}

// pathTexts are paths that a pattern matches. Only those are kept that it really
// does: there are patterns that no filling fits.
func (l *linter) pathTexts(r lintRule) []string {
	s := l.lintSession()
	root, pattern, ok := s.rooted(&r.Rule, r.List == "allow")
	if !ok {
		return nil
	}
	floating := !strings.Contains(strings.Trim(pattern, "/"), "/") && !strings.HasPrefix(pattern, "/")
	var out []string
	for _, fill := range []struct{ folders, tree, star, mark string }{
		{"", someName, someName, "z"}, {someName + "/", someName + "/" + someOther, someOther, "q"},
	} {
		p := strings.NewReplacer("**/", fill.folders, "**", fill.tree, "*", fill.star, "?", fill.mark).Replace(strings.Trim(pattern, "/"))
		list := []string{strings.TrimSuffix(root, "/") + "/" + p, strings.TrimSuffix(root, "/") + "/" + p + "/" + someName}
		if floating {
			list = append(list, strings.TrimSuffix(root, "/")+"/"+someName+"/"+p)
		}
		for _, path := range list {
			if s.matchPath(&r.Rule, path, r.List == "allow") {
				out = append(out, path)
			}
		}
	}
	return out
}

// speaksOf reports whether a deny or ask rule holds for a sample. A rule that
// denies reading a path denies changing it as well.
func (l *linter) speaksOf(r lintRule, s sample) bool {
	if r.whole(s.tool, false) {
		return true
	}
	switch s.tool {
	case "Bash":
		return r.about("Bash") && matchCommand(r.Content, s.text)
	case "Read", "Edit":
		mine := r.Tool == s.tool || r.Tool == "Read" && r.List == "deny" && l.version != V197
		return mine && r.Content != "" && l.lintSession().matchPath(&r.Rule, s.text, false)
	case "WebFetch":
		return r.about("WebFetch") && matchHost(r.Content, s.text)
	case "Agent", "Skill":
		return r.about(s.tool) && r.Content == s.text
	}
	return false
}

// stricterLists are the lists that beat another one, whatever the order in the file.
var stricterLists = map[string][]string{"allow": {"deny", "ask"}, "ask": {"deny"}}

// dead finds rules that stricter ones take out of force: Claude looks at deny, then
// at ask, then at allow.
func (l *linter) dead() []lint.Finding {
	var out []lint.Finding
	for i, r := range l.rules {
		list := l.samples(r)
		if r.inert || len(list) == 0 {
			continue
		}
		var over []lintRule
		hidden := !slices.ContainsFunc(list, func(s sample) bool {
			k := slices.IndexFunc(l.rules, func(o lintRule) bool {
				return !o.inert && slices.Contains(stricterLists[r.List], o.List) && l.speaksOf(o, s)
			})
			if k < 0 {
				return true
			}
			if !slices.ContainsFunc(over, func(o lintRule) bool { return o.Pointer == l.rules[k].Pointer }) {
				over = append(over, l.rules[k])
			}
			return false
		})
		if !hidden {
			continue
		}
		f := l.rules[i].Find(lint.DeadRule, fmt.Sprintf("never decides: %s holds for all that it speaks of, and Claude looks at deny, then at ask, then at allow, whatever the order is", over[0].Quote()),
			fmt.Sprintf("make %s narrower, or remove this rule", over[0].Quote()))[0]
		for _, o := range over {
			f = f.With(o.Ref, "this rule decides instead")
		}
		out = append(out, f)
	}
	return out
}

// glued is a star right behind a word, so that longer words match, too.
var glued = regexp.MustCompile(`[A-Za-z0-9_]\*$`)

// grants finds allow rules that open more than they look.
func (l *linter) grants() []lint.Finding {
	if slices.ContainsFunc(l.rules, func(r lintRule) bool { return r.List == "allow" && r.read && r.Tool == "Bash" && r.Content == "" }) {
		return nil // everything is allowed, and says so
	}
	var out []lint.Finding
	for i := range l.rules {
		r := &l.rules[i]
		if r.inert || r.List != "allow" || r.Tool != "Bash" || r.Content == "" {
			continue
		}
		c := r.Content
		if prefix, ok := strings.CutSuffix(c, ":*"); ok && !strings.Contains(prefix, "*") {
			c = prefix + " *"
		}
		head, rest, open := strings.Cut(c, "*")
		words := strings.Fields(head)
		how := lint.Launcher(words, open)
		switch {
		case how != "":
			out = append(out, r.Find("launcher", "allows everything: "+how, lint.LauncherInstead)...)
		case open && len(words) == 0:
			out = append(out, r.Find("wide-grant", fmt.Sprintf("allows every program, as long as %q stands somewhere in its arguments", strings.Trim(rest, "* ")), "begin the pattern with the program's name")...)
		case open && len(words) == 1 && strings.HasSuffix(head, "="):
			out = append(out, r.Find("launcher", "allows everything: a command with an assignment in front is compared together with it", lint.LauncherInstead)...)
		case glued.MatchString(c):
			word := strings.TrimSuffix(c, "*")
			out = append(out, r.Find("wide-grant", fmt.Sprintf("allows longer words, too: %q as well as %q", word+"-x", word),
				fmt.Sprintf("write %q: it allows %q alone and with any arguments", "Bash("+word+" *)", word))...)
		}
	}
	return out
}

// otherTools finds rules that are taken to hold for more than the tool that they
// name. In what an adapter sends, the policy itself is asked.
func (l *linter) otherTools() []lint.Finding {
	if l.in.Written {
		return nil
	}
	var out []lint.Finding
	for i := range l.rules {
		r := &l.rules[i]
		if r.inert || r.List == "allow" {
			continue
		}
		switch {
		case r.Content == "" && (r.Tool == "Edit" || r.Tool == "Write"):
			other := map[string]string{"Edit": "Write", "Write": "Edit"}[r.Tool]
			if !l.held(other) {
				out = append(out, r.Find("other-tool", fmt.Sprintf("speaks of %s alone: %s changes files, too", r.Tool, other), fmt.Sprintf("add %q, or write a path rule such as %q, which holds for both", other, "Edit(**)"))...)
			}
		case r.Content == "" && r.Tool == "Read" && !l.held("Bash"):
			out = append(out, r.Find("other-tool", "takes the Read tool away, and commands such as cat still read", `add a rule for "Bash", or write path rules, which hold for commands that print files`)...)
		case r.List == "ask" && r.Content != "" && (r.Tool == "Read" || r.Tool == "Edit"):
			verb := map[string]string{"Read": "prints", "Edit": "changes"}[r.Tool]
			out = append(out, r.Find("other-tool", fmt.Sprintf("speaks of the tools for files alone: a command that %s the file isn't asked about by it, as a deny rule's would be stopped", verb),
				"deny it, or ask about the commands as well")...)
		}
	}
	return out
}

// held reports whether a deny or ask rule speaks of every use of a tool.
func (l *linter) held(tool string) bool {
	return slices.ContainsFunc(l.rules, func(r lintRule) bool { return r.read && r.List != "allow" && r.whole(tool, false) })
}
