package live_test

import (
	"math/rand/v2"
	"strings"
	"testing"
)

const randomAbout = "Random commands and what the bash tool asks for them; taken like shell-1.18.33.json. A third of them " +
	"were damaged after they were made, so that they hold syntax errors. " +
	"Retake: go test ./adapters/opencode/live -run TestRandomShellAsks -update"

// TestRandomShellAsks is TestShellAsks for commands that nobody thought of.
func TestRandomShellAsks(t *testing.T) {
	const name = "shell-random-1.18.33.json"
	cases := readRecording[shellCase](t, name)
	if *update {
		cases = randomCommands(2500)
	}
	for i := range cases {
		cases[i] = shellCase{Command: cases[i].Command}
	}
	measureShell(t, name, randomAbout, cases)
}

// randomCommands makes n distinct commands, always the same ones. Every word in
// them is harmless, since commands that ask for nothing really run.
func randomCommands(n int) []shellCase {
	g := gen{rand.New(rand.NewPCG(18, 33))}
	var out []shellCase
	seen := map[string]bool{}
	for len(out) < n {
		text := g.script(3)
		if g.one(3) {
			text = g.damage(text)
		}
		if seen[text] || len(text) > 240 {
			continue
		}
		seen[text] = true
		out = append(out, shellCase{Command: text})
	}
	return out
}

// gen makes shell text. Depth bounds nesting.
type gen struct{ *rand.Rand }

func (g gen) one(in int) bool { return g.IntN(in) == 0 }

func (g gen) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g gen) script(depth int) string {
	var b strings.Builder
	for i, n := 0, 1+g.IntN(3); i < n; i++ {
		if i > 0 {
			b.WriteString(g.pick("; ", " && ", " || ", "\n", " & ", ";", "&&"))
		}
		b.WriteString(g.pipeline(depth))
	}
	if g.one(12) {
		b.WriteString(g.pick(";", " &", " # end", "\n", " ;"))
	}
	return b.String()
}

func (g gen) pipeline(depth int) string {
	var b strings.Builder
	if g.one(15) {
		b.WriteString("! ")
	}
	b.WriteString(g.command(depth))
	for g.one(4) {
		b.WriteString(g.pick(" | ", "|", " |& ", " |\n"))
		b.WriteString(g.command(depth))
	}
	return b.String()
}

func (g gen) command(depth int) string {
	if depth == 0 || !g.one(4) {
		return g.simple(depth)
	}
	in := func() string { return g.script(depth - 1) }
	var text string
	switch g.IntN(10) {
	case 0, 1:
		text = g.pick("(", "( ") + in() + ")"
	case 2, 3:
		text = "{ " + in() + "; }"
	case 4:
		text = "if " + in() + "; then " + in() + "; fi"
	case 5:
		text = "for f in a b; do " + in() + "; done"
	case 6:
		text = "case a in a) " + in() + ";; esac"
	case 7:
		text = "f() { " + in() + "; }"
	case 8:
		text = g.pick("[ -f a.txt ]", "[[ -f a.txt ]]", "[[ a == $(", "((1+1))")
		if strings.HasSuffix(text, "(") {
			text += in() + ") ]]"
		}
	case 9:
		text = "while false; do " + in() + "; done"
	}
	return text + g.redirects(depth, 4)
}

func (g gen) simple(depth int) string {
	if g.one(14) {
		return g.pick("A=1", "export A=1", "unset A", "cd sub", "A=$(ls)", "> out.txt", "cd /etc", "# c\nls", "declare -p A")
	}
	var words []string
	if g.one(12) {
		words = append(words, g.pick("A=1", "A='x y'", "A=$(ls)"))
	}
	words = append(words, g.pick("echo", "ls", "cat", "true", "git", "npm run", "rm -f", "cp", "wc", "e\\cho", `"ls"`, "$X", "time ls", "touch", "grep"))
	for range g.IntN(4) {
		words = append(words, g.word(depth))
	}
	return strings.Join(words, g.pick(" ", " ", " ", "  ", " \\\n")) + g.redirects(depth, 4)
}

func (g gen) word(depth int) string {
	if depth > 0 && g.one(6) {
		in := g.script(depth - 1)
		return g.pick("$(", "\"$(", "<(", "`", "\"a $(") + in + g.closing()
	}
	return g.pick("a", "-l", "a.txt", "'q; r'", `"q && r"`, `a\ b`, "$X", "${X:-a}", "*.txt", "/etc/hosts", "../other/file.txt",
		"~/notes.txt", "--x=y", "\"$X\"", "a=b", "123", "é", "'it'\\''s'", "{a,b}", "#x", "a#b", "$'n\\n'", "$((1+2))",
		"/srv/other", "sub/..", "\\;", "-", "--", "'/etc/hosts'", "/etc/$X", "!", "\"/srv/other/dir\"")
}

// closing guesses what closes a substitution; a wrong guess is a syntax error,
// which is as welcome.
func (g gen) closing() string { return g.pick(")", ")", ")", ")\"", ")\"", "`", "") }

func (g gen) redirects(depth, in int) string {
	var b strings.Builder
	for g.one(in) {
		b.WriteString(g.pick(" > out.txt", " 2>&1", " 2>/dev/null", " < a.txt", " >> out.txt", " &> out.txt", " <<< hi", " >out.txt", " > \"$X\""))
		if g.one(8) {
			b.WriteString(" " + g.word(0))
		}
	}
	if depth > 0 && g.one(40) {
		b.WriteString(" <<EOF" + g.pick("", "", " | wc", " && ls", "; ls", " > out.txt") + "\nbody $(ls)\nEOF\n")
	}
	return b.String()
}

// damage removes, doubles or inserts a character or two.
func (g gen) damage(text string) string {
	r := []rune(text)
	for range 1 + g.IntN(2) {
		if len(r) < 2 {
			break
		}
		i := g.IntN(len(r))
		switch g.IntN(3) {
		case 0:
			r = append(r[:i:i], r[i+1:]...)
		case 1:
			r = append(r[:i+1:i+1], r[i:]...)
		case 2:
			extra := []rune(g.pick("(", ")", "'", "\"", ";", "&", "|", ">", "<", "{", "}", "$", "`", "\\", "\n", "#", " ", "!", "[", "]", "="))
			r = append(r[:i:i], append(extra, r[i:]...)...)
		}
	}
	return string(r)
}
