package oclint

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// glued is a star right behind a word, so that longer words match, too.
var glued = regexp.MustCompile(`[A-Za-z0-9_]\*$`)

// shell judges a rule about commands.
func (j *judge) shell(i int) []lint.Finding {
	r := j.list.rules[i]
	if everything(r.resource) {
		return nil
	}
	others, _ := j.decide(j.Shell, someName) // what no rule speaks of
	if r.effect != evaluator.Allow {
		return j.textualBan(r, others)
	}
	if others == evaluator.Allow || !j.opens(i) {
		return nil
	}
	head, open := cutWild(r.resource)
	words := strings.Fields(head)
	find := func(id, why, instead string) []lint.Finding {
		return []lint.Finding{r.find(id, fmt.Sprintf("allows %s", why), instead)}
	}
	how := lint.Launcher(words, open)
	switch {
	case how != "":
		return find("launcher", "everything: "+how, lint.LauncherInstead)
	case strings.HasPrefix(r.resource, "*"):
		return find("wide-grant", fmt.Sprintf("every program, as long as %q stands somewhere in its arguments", strings.Trim(r.resource, "* ")), "begin the pattern with the program's name")
	case open && len(words) == 1 && strings.HasSuffix(head, "="):
		return find("launcher", "everything: a command with an assignment in front is compared together with it", lint.LauncherInstead)
	case glued.MatchString(r.resource):
		word := strings.TrimSuffix(r.resource, "*")
		return find("wide-grant", fmt.Sprintf("longer words, too: %q as well as %q", word+"-x", word),
			fmt.Sprintf("write %q: it allows %q alone and with any arguments", word+" *", word))
	}
	return nil
}

// opens reports whether a rule decides anything.
func (j *judge) opens(i int) bool {
	for _, text := range samples(j.rules[i].Resource) {
		if _, by := j.decide(j.list.rules[i].action, text); by == i {
			return true
		}
	}
	return false
}

// cutWild is what stands before a pattern's first wildcard.
func cutWild(p string) (head string, open bool) {
	if i := strings.IndexAny(p, "*?"); i >= 0 {
		return p[:i], true
	}
	return p, false
}

// textualBan finds bans on a name anywhere in a command, where other commands run.
func (j *judge) textualBan(r rule, others evaluator.Effect) []lint.Finding {
	name := strings.Trim(r.resource, "*? ")
	if others != evaluator.Allow || !strings.HasPrefix(r.resource, "*") || len(name) < 2 {
		return nil
	}
	return []lint.Finding{r.find("textual-ban", fmt.Sprintf("is walked around by a variable or another spelling, as in f=%s && cat \"$f\": commands are compared as they are written", name),
		"put rules on read and edit for files, and ask about commands that you don't know")}
}

// otherTool finds a rule on reading or changing files that a command which the
// list allows walks around. In what an adapter sends, the policy itself is asked.
func (j *judge) otherTool(i int) []lint.Finding {
	r := j.list.rules[i]
	if j.in.Written || r.action != "read" && r.action != "edit" || r.effect == evaluator.Allow || everything(r.resource) {
		return nil
	}
	verb := map[string]string{"read": "reads", "edit": "changes"}[r.action]
	by, open := j.around(i)
	switch {
	case !open:
		return nil
	case by < 0:
		f := r.find("other-tool", fmt.Sprintf("speaks of the %s tool alone, and a command that %s the same files runs unasked: OpenCode allows what no rule speaks of to its own agents", r.action, verb),
			fmt.Sprintf("add a rule for %s", j.Shell))
		f.Severity = lint.Note
		return []lint.Finding{f}
	}
	other := j.list.rules[by]
	f := r.find("other-tool", fmt.Sprintf("speaks of the %s tool alone, and a command that %q allows %s the same files", r.action, other.text(), verb),
		fmt.Sprintf("ask about %s, or allow commands that touch no files", j.Shell))
	return []lint.Finding{f.With(other.at, "this rule allows the command")}
}

// around is the number of a rule by which a command reaches what rule i holds
// back, -1 when OpenCode's own defaults let it. open is false when nothing does.
func (j *judge) around(i int) (by int, open bool) {
	r := j.list.rules[i]
	file := ""
	for _, text := range samples(j.rules[i].Resource) {
		if _, by := j.decide(r.action, text); by == i && text != "" {
			file = "'" + text + "'"
			break
		}
	}
	if file == "" {
		return -1, false // it decides nothing
	}
	for _, p := range j.touching(r.action) {
		if e, by := j.decide(j.Shell, p+" "+file); e == evaluator.Allow || by < 0 {
			return by, true
		}
	}
	return -1, false
}

// most bounds how many programs are tried.
const most = 100

// touching are programs that read, or change, the files in their arguments: some
// that everybody has, and those that the rules name.
func (j *judge) touching(action string) []string {
	if list, ok := j.programs[action]; ok {
		return list
	}
	touches, list := lint.Reads, []string{"cat", "rg"}
	if action == "edit" {
		touches, list = lint.Writes, []string{"tee", "rm"}
	}
	for _, s := range j.list.rules {
		head, wild := cutWild(s.resource)
		words := strings.Fields(head)
		if s.effect == evaluator.Allow && wild && len(words) > 0 && touches(words[0]) && matches(s.action, j.Shell) && len(list) < most {
			list = append(list, strings.TrimRight(head, " "))
		}
	}
	j.programs[action] = list
	return list
}
