package live

import (
	"math/rand/v2"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/strictjson"
)

// together is how many fresh rows share their settings, so that one start of the
// binary answers them all.
const together = 8

// Fresh makes random calls under random flags and user rules.
func (o *Oracle) Fresh(from *rand.Rand, n int) (compiler.CaseFile, []jsontext.Value) {
	g := generator{from}
	var rows []jsontext.Value
	for len(rows) < n {
		base := g.settings()
		for range min(together, n-len(rows)) {
			base["tool"], base["input"] = g.call()
			row, err := strictjson.Encode(base)
			if err != nil {
				panic(err) // maps of text
			}
			rows = append(rows, row)
		}
	}
	return compiler.CaseFile{}, rows
}

type generator struct{ *rand.Rand }

func (g generator) of(list ...string) string { return list[g.IntN(len(list))] }

func (g generator) settings() map[string]any {
	s := map[string]any{"id": "fresh", "outcome": "", "argv": []string{"agent", "stdio"}, "sessionMeta": map[string]any{}}
	switch mode := g.of("", "", "", "auto", "default", "acceptEdits", "dontAsk", "bypassPermissions", "always"); mode {
	case "":
	case "always":
		s["argv"] = []string{"agent", "--always-approve", "stdio"}
	default:
		s["argv"] = []string{"--permission-mode", mode, "agent", "stdio"}
	}
	var rules []map[string]string
	for range g.IntN(4) {
		rules = append(rules, map[string]string{"layer": "user", "effect": g.of("allow", "ask", "deny"), "rule": g.rule()})
	}
	if rules != nil {
		s["facts"] = map[string]any{"rules": rules}
	}
	return s
}

func (g generator) rule() string {
	switch g.IntN(4) {
	case 0:
		return "Edit(" + g.of("src/**", "*.txt", "**/*.txt", "n.txt", "**") + ")"
	case 1:
		return "Read(" + g.of("src/**", "src/a.txt", "*.txt", "**") + ")"
	}
	p := g.program()
	return "Bash(" + g.of(p, p+" *", p+" "+g.word(), p+" "+g.word()+" *", p+"*") + ")"
}

func (g generator) program() string {
	return g.of("mytool", "danger", "npm", "git", "ls", "touch", "echo")
}

func (g generator) word() string { return g.of("run", "push", "status", "x", "test") }

func (g generator) call() (string, map[string]any) {
	switch g.IntN(6) {
	case 0:
		return "write", map[string]any{"file_path": g.of("${PROJ}/n.txt", "${PROJ}/src/n.txt", "${PROJ}/x/n.md", "${OUT}/n.txt"), "content": "x"}
	case 1:
		return "read_file", map[string]any{"target_file": g.of("${PROJ}/src/a.txt", "${OUT}/o.txt")}
	}
	return "run_terminal_command", map[string]any{"command": g.command(), "description": "d"}
}

// command is one command, or two with something between them, of names that the
// session's shell doesn't find.
func (g generator) command() string {
	c := g.simple()
	if g.IntN(4) == 0 {
		c += g.of(" && ", " || ", "; ", " | ") + g.simple()
	}
	return c
}

func (g generator) simple() string {
	switch g.IntN(2) {
	case 0:
		return g.program() + g.of("", " "+g.word(), " "+g.word()+" "+g.word())
	}
	return g.of("ls", "cat", "head -1", "wc -l", "grep x", "git status", "git log", "pwd", "mkdir", "rm", "cp src/a.txt") + g.of("", " src/a.txt", " x", " ${OUT}/o.txt")
}
