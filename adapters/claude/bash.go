package claude

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/internal/paths"
)

// checkBash is the Bash tool. Deny and ask rules look into the whole text; then
// come removals that nothing may pass, paths, and a rule that allows Bash as a
// whole. Short of that every command must be allowed for itself, and a text that
// can't be checked is never allowed by its parts.
func (s *session) checkBash(r request, t *tracer) finding {
	sh := parseShell(r.text("command"))
	about := func(r Rule) bool { return r.about("Bash") }
	if sh.tooLong || sh.broken && (slices.ContainsFunc(s.rules.Deny, about) || slices.ContainsFunc(s.rules.Ask, about)) {
		return finding{step: unclear, reason: "what rules see in a text that isn't a shell's wasn't measured"}
	}
	denies := s.speaksOf(r, sh, true)
	if rule := t.first(s.rules.Deny, denies, sh.text); rule != nil {
		return finding{denied, rule, "the rule denies a command in it"}
	}
	if s.version != V197 && slices.ContainsFunc(sh.all(), func(p *part) bool { return p.doubtful }) && (slices.ContainsFunc(s.rules.Deny, about) || slices.ContainsFunc(s.rules.Ask, about)) {
		return finding{step: unclear, reason: "a nested command stands where rules make Claude ask, whatever they say, but not always"}
	}
	looks := s.lookAll(sh, t)
	moves := slices.ContainsFunc(looks, func(l look) bool { return l.cd })
	for _, l := range looks {
		switch {
		case l.step != denied:
		case sh.veiled != "":
			return finding{unclear, l.rule, "rules for paths may not see what is named beside " + sh.veiled}
		case sh.grouped && moves:
			return finding{unclear, l.rule, "rules for paths don't follow a change of the working directory into or in a subshell"}
		default:
			return l.finding
		}
	}
	speaks := denies
	if s.version == V197 {
		speaks = s.speaksOf(r, sh, false)
	}
	if rule := t.first(s.rules.Ask, speaks, sh.text); rule != nil {
		return finding{asked, rule, "the rule asks for a command in it"}
	}
	if f, ok := s.byTool(r.tool, t); ok {
		return f
	}
	if why, ok := s.removes(sh); ok {
		return finding{danger, nil, why}
	}
	for _, l := range looks {
		if l.step == guarded || l.step == linked {
			return l.finding
		}
	}
	if rule := s.allowed(r.tool, t); rule != nil {
		return finding{runs, rule, "the rule allows every command"}
	}
	return s.everyPart(sh, looks, t)
}

// speaksOf tells which deny and ask rules with a content speak of a call: of its
// commands, wherever they stand, or of the tool's other inputs. Only rules that deny
// see what export assigns in 2.1.197, where blanks count to a rule without a *.
func (s *session) speaksOf(r request, sh *shell, deny bool) func(*Rule) bool {
	texts, open := []string{strings.TrimSpace(sh.text)}, []string(nil)
	if s.version == V197 && (sh.sealed || len(sh.parts) > 1) {
		texts = nil
	}
	exact := slices.Clone(texts)
	for _, p := range s.seen(sh) {
		if p.doubtful || !deny && p.exported && s.version == V197 {
			continue
		}
		t, o := denyTexts(p, s.version)
		texts, open = append(texts, t...), append(open, o...)
		if strings.Contains(p.text, "  ") {
			t = []string{p.text}
		}
		exact = append(exact, t...)
	}
	return func(rule *Rule) bool {
		matches := func(text string) bool { return matchCommand(rule.Content, text) }
		texts := texts
		if s.version == V197 && !strings.Contains(rule.Content, "*") {
			texts = exact
		}
		return rule.about("Bash") && (s.parameter(rule, r) || slices.ContainsFunc(texts, matches) ||
			strings.Contains(rule.Content, "*") && slices.ContainsFunc(open, matches))
	}
}

// seen lists the commands that deny rules see: in 2.1.197 not those of groups,
// functions and substitutions, but for what export assigns, and nothing at all
// beside a subshell.
func (s *session) seen(sh *shell) []*part {
	if s.version != V197 {
		return sh.all()
	}
	var out []*part
	for _, p := range sh.all() {
		if sh.sealed {
			break
		}
		if !p.nested && !p.grouped || p.exported {
			out = append(out, p)
		}
	}
	return out
}

// everyPart is the end of the check when Bash as a whole isn't allowed.
func (s *session) everyPart(sh *shell, looks []look, t *tracer) finding {
	if sh.after {
		return finding{asks, nil, "a job in the background goes on after the check"}
	}
	if sh.grouped {
		return finding{asks, nil, "a subshell can't be checked before it runs"}
	}
	if why := pathAsk(looks); why != "" {
		return finding{asks, nil, why}
	}
	if why := s.moves(sh, looks); why != "" {
		return finding{asks, nil, why}
	}
	if whole := strings.TrimSpace(sh.text); !sh.piped {
		if rule := t.first(s.rules.Allow, func(r *Rule) bool { return r.about("Bash") && r.Content == whole && !s.dropped(r) }, whole); rule != nil {
			return finding{runs, rule, "the rule allows exactly this text"}
		}
	}
	if sh.broken && slices.ContainsFunc(s.rules.Allow, func(r Rule) bool { return r.about("Bash") }) {
		return finding{step: unclear, reason: "a text that isn't a shell's may run by a rule that allows what it begins with"}
	}
	if sh.opaque != "" && !(sh.opaque == severalSet && s.version == V197) {
		return finding{asks, nil, sh.opaque + " can't be checked before it runs"}
	}
	var last *Rule
	for i, p := range sh.parts {
		if looks[i].soft != "" {
			return finding{asks, nil, looks[i].soft + " can't be checked before it runs"}
		}
		ok, rule := s.permits(p, looks[i], t)
		if !ok {
			return finding{asks, nil, "no rule allows " + show(p.text) + ", and it isn't one of the commands that only read"}
		}
		if rule != nil {
			last = rule
		}
	}
	f := finding{runs, last, "every command is allowed"}
	if last == nil {
		f.reason = "every command is one that the mode runs or that only reads"
	}
	if sh.later {
		f.reason += afterConditions
	}
	return f
}

// afterConditions is what 2.1.332 adds to for loops and to variables that are set
// from commands: a session that has run no condition (if, while) before asks for
// them, as was seen on 2026-11-30 in every fresh session.
const afterConditions = "; a session that has run no if or while before asks"

func pathAsk(looks []look) string {
	for _, l := range looks {
		if l.step == asks {
			return l.reason
		}
	}
	return ""
}

// permits reports whether one command may run: a rule allows it, the mode's
// commands for files have it, or it only reads.
func (s *session) permits(p *part, l look, t *tracer) (bool, *Rule) {
	if len(p.words) == 0 {
		return true, nil // it only sets a variable
	}
	texts, open := allowTexts(p.text)
	allows := func(r *Rule) bool {
		if !r.about("Bash") || s.dropped(r) {
			return false
		}
		for _, text := range texts {
			if matchCommand(r.Content, text) {
				return true
			}
		}
		return strings.Contains(r.Content, "*") && slices.ContainsFunc(open, func(text string) bool { return matchCommand(r.Content, text) })
	}
	if rule := t.first(s.rules.Allow, allows, p.text); rule != nil {
		return true, rule
	}
	if l.cd {
		return true, nil
	}
	if (s.mode == AcceptEdits || s.mode == Auto) && s.edits(p) {
		return true, nil
	}
	return s.onlyReads(p), nil
}

// moves reports what is wrong with changes of the working directory: one may
// come before commands that read, but not before a write, a redirect or git
// elsewhere, and not twice.
func (s *session) moves(sh *shell, looks []look) string {
	count, away := 0, false
	for i, p := range sh.parts {
		if len(p.words) == 0 {
			continue
		}
		if looks[i].cd {
			count++
			away = away || looks[i].cwd != s.cwd
			continue
		}
	}
	if count > 1 {
		return "it changes the working directory more than once"
	}
	if count == 0 || !away {
		return ""
	}
	for i, p := range sh.parts {
		if looks[i].cd {
			continue
		}
		for _, r := range p.redirects {
			if !r.fd && r.write && !(r.target.text == "/dev/null" && s.version != V197) {
				return "a redirect after a change of the working directory"
			}
		}
		if looks[i].writes {
			return "a write after a change of the working directory"
		}
		if len(p.words) > 0 && p.program() == "git" {
			return "git after a change of the working directory"
		}
	}
	return ""
}

// program is the name of what runs, behind harmless wrappers.
func (p *part) program() string {
	words := strip(p.words, V332)
	if len(words) == 0 {
		return ""
	}
	return words[0].text
}

func show(s string) string {
	if len(s) > 60 {
		return s[:57] + "…"
	}
	return s
}

// cwdAfter follows a cd that stays where it can be seen.
func (s *session) cwdAfter(cwd string, words []word) (string, bool) {
	args := words[1:]
	for len(args) > 0 && (args[0].text == "--" || args[0].text == "-P" || args[0].text == "-L") {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		return s.home, true
	case len(args) > 1:
		return cwd, false
	case args[0].text == "-":
		return cwd, true
	}
	p, ok := s.expand(args[0], cwd)
	if !ok {
		return cwd, false
	}
	return paths.Abs(cwd, p), true
}
