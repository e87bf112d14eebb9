package claude

import (
	"path"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// command is the Bash tool for a probe. Deny and ask rules see through more
// spellings than allow rules; path rules that deny reach the files that a command
// names, where Claude knows the command; those that ask don't.
func (d *declarer) command(p compiler.Probe) compiler.Outcome {
	text := d.text(p)
	seen := func(e evaluator.Effect) bool {
		return d.bash(e, func(match string) bool {
			return slices.ContainsFunc(d.seen(p, text), func(text string) bool { return matchesLine(match, text) })
		})
	}
	looks := d.looks(text)
	switch {
	case d.bashAs(evaluator.Deny), seen(evaluator.Deny), looks.denied:
		return forbidden
	case seen(evaluator.Ask), d.bashAs(evaluator.Ask):
		return ruled
	case d.mode == Bypass:
		return bypassed
	case looks.guarded:
		return d.unpermitted()
	case d.bashAs(evaluator.Allow) && d.mode != Auto: // which drops rules that would run anything
		return runsUnasked("an allow rule speaks of every command")
	case looks.outside, looks.writes, !d.runs(p, text):
		return d.unpermitted()
	}
	return runsUnasked("commands that only read run in every mode, those that change files in some, and those that a rule allows")
}

// text is the command's text. A file is moved by mv, and a folder is gone to by cd.
func (d *declarer) text(p compiler.Probe) string {
	text := p.Command
	if p.To != "" {
		text, _ = quote("mv", p.Path, p.To)
	}
	if p.Cwd != "" {
		move, _ := quote("cd", p.Cwd)
		text = move + " && " + text
	}
	return text
}

// bash reports whether a Bash rule for certain commands matches.
func (d *declarer) bash(e evaluator.Effect, matches func(string) bool) bool {
	return slices.ContainsFunc(d.sent, func(s sent) bool {
		return s.tool == "Bash" && s.rule.Effect == e && s.rule.Match != compiler.Everything && matches(s.rule.Match)
	})
}

// bashAs reports whether there is a rule for the whole of Bash.
func (d *declarer) bashAs(e evaluator.Effect) bool {
	return slices.ContainsFunc(d.sent, func(s sent) bool {
		return s.tool == "Bash" && s.rule.Effect == e && s.rule.Match == compiler.Everything
	})
}

// matchesLine compares a rule's words with one line of text, blanks included.
func matchesLine(match, line string) bool {
	prefix, open := strings.CutSuffix(match, " *")
	return line == prefix || open && strings.HasPrefix(line, prefix+" ")
}

// seen are the lines that deny and ask rules are compared with: the text, and
// every command in it without quotes, assignments and, beside it, its folder.
func (d *declarer) seen(p compiler.Probe, text string) []string {
	base := strings.Join(strings.Fields(p.Base), " ")
	out := []string{text, strings.Join(strings.Fields(text), " ")}
	switch p.Form {
	case compiler.QuotedName, compiler.Escaped, compiler.Assigned, compiler.Substituted, compiler.Redirected, compiler.FullPath, compiler.ByEnv:
		out = append(out, base)
	case compiler.AfterFolder, compiler.AfterOther, compiler.AfterExport:
		first, _, _ := strings.Cut(text, " && ")
		out = append(out, first, base)
	case compiler.Continued:
		out = append(out, base, "quux")
	case compiler.Plain:
		out = append(out, strings.Split(text, " && ")...)
	}
	for _, line := range out { // a program's path is no other program
		name, rest, more := strings.Cut(line, " ")
		if name = path.Base(name); more {
			name += " " + rest
		}
		out = append(out, name)
	}
	return out
}

// sight is what the paths of a command come to.
type sight struct {
	denied, guarded bool
	outside         bool // or a path that goes back up, which Claude doesn't follow
	writes          bool // by a redirect that nothing permits
}

// looks at the files that a text's commands name.
func (d *declarer) looks(text string) sight {
	var out sight
	for _, part := range parseShell(text).parts {
		words := strip(part.words, V332)
		var uses []use
		if len(words) > 0 {
			uses = operands(words[0].text, words[1:], V332)
			if len(words) == 1 && words[0].text == "cd" {
				uses = []use{{word: literalWord(d.env.Home), reads: true}}
			}
		}
		for _, r := range part.redirects {
			at := d.at(r.target.text)
			uses = append(uses, use{word: r.target, write: true, edits: true})
			out.writes = out.writes || !((d.mode == AcceptEdits || d.mode == Auto) && d.inside(at) || d.about("Edit", evaluator.Allow, at))
		}
		for _, u := range uses {
			at := d.at(u.word.text)
			out.denied = out.denied || u.edits && d.about("Edit", evaluator.Deny, at) || u.reads && d.about("Read", evaluator.Deny, at)
			out.guarded = out.guarded || u.write && d.guarded(at)
			opened := d.about("Read", evaluator.Allow, at)
			if u.write {
				opened = d.about("Edit", evaluator.Allow, at)
			}
			out.outside = out.outside || !d.inside(at) && !opened || climbs(u.word.text)
		}
	}
	return out
}

// runs reports whether every command of a text is permitted for itself: by an
// allow rule that matches it as it is written, by the mode, or because it only
// reads.
func (d *declarer) runs(p compiler.Probe, text string) bool {
	if p.Form == compiler.Substituted || strings.HasPrefix(text, ">") {
		return false
	}
	s := session{version: V332, mode: d.mode}
	for _, part := range parseShell(text).parts {
		allowed := d.bash(evaluator.Allow, func(match string) bool {
			return matchesLine(match, part.text) && !(d.mode == Auto && runsAnything(match, V332))
		})
		switch {
		case len(part.words) == 0, part.program() == "cd", allowed:
		case (d.mode == AcceptEdits || d.mode == Auto) && s.edits(part), s.onlyReads(part):
		default:
			return false
		}
	}
	return true
}
