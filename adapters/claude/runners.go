package claude

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Deny and ask rules look for a command behind what starts it, in two ways
// (measured on 2.1.332 and 2.1.197, 2026-12-01, in testdata/claude/runners.json).
// In a spelling that neither way reads, the program is hidden: no rule for it
// speaks of the text.
//
// First come launchers, whose options are skipped word by word, again and again.
// What stands behind each is then a text of its own, from which wrappers in
// certain spellings and assignments are taken off, but no launchers any more:
// with a rule for danger, "env nice danger" is seen and "nice env danger" isn't.

// launcher says how the words between a launcher and its program are skipped.
type launcher struct {
	flags   string         // its options, "" for whatever starts with a dash
	valued  string         // the options whose value is the next word; # is for all versions but 2.1.197
	whole   string         // the options behind which no operand stands, but the program
	operand *regexp.Regexp // what stands between the options and the program
	must    bool           // the operand must be there
	once    bool           // it takes one option
	assigns bool           // NAME=VALUE may stand before the program
}

var (
	anyWord  = regexp.MustCompile(`(?s)^`)
	duration = regexp.MustCompile(`^\d+(\.\d+)?[smhd]?$`)
	mask     = regexp.MustCompile(`^(?:0x[0-9a-f]+|\d+)$`)
	priority = regexp.MustCompile(`^\d+$`)
	niceness = regexp.MustCompile(`^-?\d+$`)
	signal   = regexp.MustCompile(`^[A-Za-z0-9_.+-]+$`)
)

var starts = map[string]launcher{
	"nohup":   {flags: "none"}, // of its options, none hides nothing
	"command": {flags: "-p"},
	"builtin": {}, "noglob": {}, "nocorrect": {}, "setsid": {},
	"time":    {flags: "-p", once: true},
	"timeout": {flags: "-v --verbose --foreground --preserve-status", valued: "-k -s --kill-after --signal", operand: duration, must: true},
	"env":     {valued: "-u -C --unset --chdir", assigns: true},
	"sudo": {valued: `-a -g -h -p -r -t -u -C -D -R -T -U --close-from --chdir --group --host --prompt --chroot --role --type
		--command-timeout --other-user --user`, assigns: true},
	"doas":   {valued: "-a -u -C"},
	"exec":   {valued: "-a"},
	"ionice": {valued: "-c -n -p -u -P --class --classdata --pid --pgid --uid"},
	"watch":  {valued: "-n --interval --equexit"},
	"strace": {valued: `-a -b -e -o -p -s -u -E -I -O -P -S -U -X --trace --output --attach --user --env --string-limit --columns
		--summary-sort-by --interruptible --const-print-style --detach-on --trace-path`},
	"ltrace":  {valued: "-a -e -l -n -o -p -s -u -w -x -A -D -F --output --library --config --align --where --indent"},
	"script":  {valued: "-m -o -B -E -I -O -T --echo --log-in --log-out --log-io --log-timing --logging-format --output-limit", whole: "-c --command", operand: anyWord, must: true},
	"flock":   {valued: "-w -E --timeout --wait --conflict-exit-code", whole: "-c --command", operand: anyWord, must: true},
	"taskset": {valued: "-c", operand: mask},
	"chrt":    {valued: "-p -D -P -T --sched-runtime --sched-period --sched-deadline", operand: priority},
	"unshare": {valued: "-w -G -R -S --root --wd --setuid --setgid --propagation --setgroups --monotonic --boottime"},
	"nsenter": {valued: "-t -G -S --target --setuid --setgid"},
	"pkexec":  {valued: "--user"},
}

// behindLauncher gives the words that a launcher starts, nil when there are none
// or they are hidden.
func behindLauncher(words []word, version string) []word {
	name, rest := nameOf(words[0], version), words[1:]
	if name == "nice" && len(rest) > 2 && rest[0].text == "-n" && niceness.MatchString(rest[1].text) {
		return program(rest[2:], true)
	}
	l, ok := starts[name]
	if !ok {
		return nil
	}
	if name == "time" && version == V197 {
		l.flags = "none"
	}
	rest, end := l.options(rest, version)
	if end != atProgram && l.operand != nil {
		switch {
		case len(rest) > 1 && l.operand.MatchString(rest[0].text):
			if rest, end = rest[1:], atProgram; l.flags == "" {
				rest, end = l.options(rest, version)
			}
		case l.must:
			return nil
		}
	}
	for l.assigns && len(rest) > 1 && assigns(rest[0].text, version) {
		rest, end = rest[1:], atWord
	}
	return program(rest, end == atWord)
}

// program drops words that don't start with a program's name. dashes says that
// "--" may stand before it.
func program(words []word, dashes bool) []word {
	if dashes && len(words) > 0 && words[0].text == "--" {
		words = words[1:]
	}
	if len(words) == 0 || strings.HasPrefix(words[0].text, "-") {
		return nil
	}
	return words
}

// end is how a launcher's options end.
type end int

const (
	atWord    end = iota // at a word that is no option
	atDashes             // behind "--"
	atProgram            // behind an option that stands before the program
)

// options skips a launcher's options, and gives nothing where one isn't known.
func (l launcher) options(words []word, version string) ([]word, end) {
	for n := 0; len(words) > 0; n++ {
		t := words[0].text
		name, value, attached := strings.Cut(t, "=")
		switch {
		case t == "--":
			return words[1:], atDashes
		case !strings.HasPrefix(t, "-"):
			return words, atWord
		case l.once && n > 0:
			return nil, atProgram
		case lists(l.whole, t):
			return words[1:], atProgram
		case l.takes(t, version):
			if len(words) < 2 || l.flags != "" && !signal.MatchString(words[1].text) {
				return nil, atProgram
			}
			words = words[1:]
		case l.flags == "", lists(l.flags, t):
		case attached && strings.HasPrefix(t, "--") && l.takes(name, version) && signal.MatchString(value):
		case t[1] != '-' && len(t) > 2 && l.takes(t[:2], version) && signal.MatchString(t[2:]):
		default:
			return nil, atProgram
		}
		words = words[1:]
	}
	return nil, atProgram
}

// takes reports whether an option's value is the next word. Of letters that stand
// together the last one counts, in 2.1.197 only one that stands alone.
func (l launcher) takes(option, version string) bool {
	if lists(l.valued, option) {
		return true
	}
	together := l.flags == "" && version != V197 && len(option) > 2 && option[1] != '-'
	if !together {
		return false
	}
	for i := 1; i < len(option)-1; i++ {
		if lists(l.valued, "-"+option[i:i+1]) {
			return false // and the rest is its value
		}
	}
	return lists(l.valued, "-"+option[len(option)-1:])
}

func lists(words, w string) bool {
	return strings.Contains(" "+strings.Join(strings.Fields(words), " ")+" ", " "+w+" ")
}

// assigns reports whether a word is NAME=VALUE to env and sudo.
func assigns(text, version string) bool {
	if version == V197 {
		return variableName.MatchString(text)
	}
	return strings.IndexByte(text, '=') > 0
}

var variableName = regexp.MustCompile(`^[A-Za-z_]\w*\+?=`)

// nameOf is the name of what runs: without its folder, which 2.1.197 kept.
func nameOf(w word, version string) string {
	if version == V197 || strings.HasSuffix(w.text, "/") {
		return w.text
	}
	return strings.TrimSuffix(path.Base(strings.Trim(w.text, `"`)), ".exe")
}

// unwrap takes one wrapper or assignment off a text, in the spellings that are
// read; "" when there is none.
func unwrap(text string) string {
	m := wrapper.FindStringSubmatchIndex(text)
	if m != nil && text[m[2]] != '-' && !(strings.HasPrefix(text, "timeout") && strings.HasSuffix(text[:m[2]], "-- ")) {
		return text[m[2]:]
	}
	return text[len(assigned.FindString(text)):]
}

// assigned is an assignment with a value that is static.
var assigned = regexp.MustCompile(`^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=(?:[^\s'"$` + "`" + `;|&<>()\\]|'[^']*'|"[^"$` + "`" + `\\]*"|\\.)*[ \t]+`)

// denyTexts are the texts of a command that a deny or ask rule may match; open
// are those that only a rule with a * matches, because xargs adds to them.
func denyTexts(p *part, version string) (texts, open []string) {
	if len(p.words) > 0 && p.words[0].split || p.unseen || version == V197 && p.hidden {
		return nil, nil
	}
	var alone []string // nothing is taken off these
	texts = append(texts, p.text)
	lists := [][]word{p.words, withoutUnknown(p.words)}
	dropped := lists[1] != nil
	if version == V197 && dropped {
		lists = lists[1:]
	}
	for _, list := range lists {
		for n := 0; len(list) > 0 && !list[0].split && list[0].named(); n++ {
			switch {
			case n == 0 && version == V197 && p.here:
			case n == 0 && version == V197 && (dropped || slices.ContainsFunc(list, word.quoted)): // which takes wrappers off what is written
				alone = append(alone, line(list))
			default:
				texts = append(texts, line(list))
			}
			if name := nameOf(list[0], version); name != list[0].text {
				texts = append(texts, line(append([]word{literalWord(name)}, list[1:]...)))
			}
			if p.timed && len(p.assigns) > 0 {
				break // time A=1 PROGRAM: the assignment ends the search for launchers
			}
			list = behindLauncher(list, version)
		}
	}
	for i := 0; i < len(texts); i++ {
		if inner := unwrap(texts[i]); inner != texts[i] {
			texts = append(texts, unquoted(inner, version))
		}
		if added, ok := strings.CutPrefix(texts[i], "xargs "); ok && !strings.HasPrefix(added, "-") {
			open = append(open, added)
		}
	}
	return append(texts, alone...), open
}

func (w word) quoted() bool { return strings.ContainsAny(w.raw, "'\"\\") }

// line is a command's words without quotes, but for those with escape codes.
func line(words []word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		if texts[i] = w.text; escaped(w.raw) {
			texts[i] = w.raw
		}
	}
	return strings.Join(texts, " ")
}

// unquoted takes the quotes off a text's first word. 2.1.197 does so when there is
// no blank in it; the newer one has seen the whole text without quotes before.
func unquoted(text, version string) string {
	first, rest, more := strings.Cut(text, " ")
	if version != V197 || strings.Count(first, "'")%2+strings.Count(first, `"`)%2 > 0 {
		return text
	}
	if first = strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(first); more {
		first += " " + rest
	}
	return first
}

// withoutUnknown is a command without the variables in it that may be empty, nil
// when it has none.
func withoutUnknown(words []word) []word {
	if len(words) > 0 && words[0].unknown() {
		return nil
	}
	var kept []word
	for _, w := range words {
		if !w.unknown() {
			kept = append(kept, w)
		}
	}
	if len(kept) == len(words) {
		return nil
	}
	return kept
}

func (w word) unknown() bool { return variable.MatchString(w.raw) && w.text == w.raw }

var variable = regexp.MustCompile(`^\$\w+$`)
