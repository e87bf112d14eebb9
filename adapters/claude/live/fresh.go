package live

import (
	"math/rand/v2"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/strictjson"
)

// What fresh rows stand on: a few files, and one MCP server.
const (
	freshLayout = `{"${PROJ}":["README.md","a.ts","package.json",".env","src/a.txt","src/components/c.ts","secrets/s.txt","link.txt -> ${OUT}/o.txt",".git/"],` +
		`"${OUT}":["o.txt"],"${ADD}":["x.txt"],"${HOME}":[".zshrc",".claude/"]}`
	freshMCP  = `{"loc":{"echo":{},"get_y":{"readOnlyHint":true},"interact":{"_meta":{"anthropic/requiresUserInteraction":true}}}}`
	freshArgs = `{"mcpServers":{"loc":{"command":"node","args":["${MCP}/server.js"]}}}`
)

// together is how many fresh rows share their setup, so that one start of the
// binary answers them all.
const together = 8

// Fresh makes random calls under random modes and rules.
func (o *Oracle) Fresh(r *rand.Rand, n int) (compiler.CaseFile, []jsontext.Value) {
	g := generator{r}
	f := compiler.CaseFile{Version: o.version, Header: map[string]jsontext.Value{"layout": jsontext.Value(freshLayout), "mcp": jsontext.Value(freshMCP)}}
	var rows []jsontext.Value
	for len(rows) < n {
		base := g.setup(o.version)
		for range min(together, n-len(rows)) {
			tool, input := g.call()
			base["tool"], base["input"] = tool, input
			row, err := strictjson.Encode(base)
			if err != nil {
				panic(err) // maps of text
			}
			rows = append(rows, row)
		}
	}
	return f, rows
}

type generator struct{ *rand.Rand }

func (g generator) of(list ...string) string { return list[g.IntN(len(list))] }

// setup is a mode, rules, and the model that auto mode needs. 2.1.197's plan
// with bypass available and the like are in the case file.
func (g generator) setup(version string) map[string]any {
	mode := g.of("default", "default", "default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto")
	s := map[string]any{"mode": mode, "outcome": "", "id": "fresh"}
	if mode == "auto" {
		s["model"] = "claude-sonnet-4-6"
	}
	rules := map[string][]string{}
	for range g.IntN(5) {
		effect := g.of("allow", "allow", "ask", "deny")
		rules[effect] = append(rules[effect], g.rule())
	}
	if len(rules) > 0 {
		s["rules"], s["rules_source"] = rules, "--settings inline JSON (flagSettings)"
	}
	if g.IntN(3) == 0 {
		s["args"] = []string{"--mcp-config", freshArgs, "--strict-mcp-config"}
	}
	return s
}

func (g generator) rule() string {
	switch g.IntN(8) {
	case 0, 1, 2:
		return "Bash(" + g.commandPattern() + ")"
	case 3, 4:
		return "Edit(" + g.pathPattern() + ")"
	case 5:
		return "Read(" + g.pathPattern() + ")"
	case 6:
		return "WebFetch(domain:" + g.of("example.invalid", "*.example.invalid", "docs.python.org") + ")"
	}
	return g.of("Bash", "Edit", "Read", "WebFetch", "WebSearch", "mcp__loc__echo", "mcp__loc", "mcp__loc__*")
}

func (g generator) commandPattern() string {
	p := g.program()
	return g.of(p, p+" *", p+":*", p+"*", p+" "+g.word(), p+" "+g.word()+" *", p+" "+g.word()+":*", "* "+g.word())
}

func (g generator) pathPattern() string {
	return g.of("src/**", "/src/**", "./src/**", "**/src/**", "*.ts", "/*.ts", "**/*.txt", ".env", "**/.env", "secrets/**", "/secrets/**", "~/.zshrc", "/${OUT}/**", "${PROJ}/src/**", "docs", "**")
}

func (g generator) path() string {
	return g.of("${PROJ}/", "${PROJ}/", "${PROJ}/", "${OUT}/", "${PROJ}/src/../") +
		g.of("n.ts", "src/n.txt", "src/components/n.ts", "secrets/n.txt", "docs/n.md", ".env.local", ".npmrc", "sub/.bashrc", ".github/w.yml", "x/src/n.txt", ".vscode/n.json")
}

func (g generator) call() (string, map[string]any) {
	switch g.IntN(12) {
	case 0, 1, 2, 3, 4, 5:
		return "Bash", map[string]any{"command": g.command(), "description": "d"}
	case 6, 7:
		return "Write", map[string]any{"file_path": g.path(), "content": "x"}
	case 8:
		return "Edit", map[string]any{"file_path": "${PROJ}/src/a.txt", "old_string": "hello", "new_string": "bye"}
	case 9:
		return "Read", map[string]any{"file_path": g.of("${PROJ}/src/a.txt", "${PROJ}/.env", "${PROJ}/secrets/s.txt", "${OUT}/o.txt", "${PROJ}/link.txt", "${HOME}/.zshrc", "${PROJ}/a.ts")}
	case 10:
		return "WebFetch", map[string]any{"url": g.of("https://example.invalid/a", "https://a.example.invalid/", "https://docs.python.org/3/", "http://example.invalid/"), "prompt": "p"}
	}
	return "WebSearch", map[string]any{"query": "abc"}
}

func (g generator) program() string {
	return g.of("mytool", "danger", "git", "npm", "make", "curl", "python3", "node")
}

func (g generator) word() string {
	return g.of("run", "push", "status", "test", "x", "--version", "-f", "main")
}

// command is one command, or two with something between them. None of them is
// ever run: the session's shell is a stub.
func (g generator) command() string {
	c := g.simple()
	if g.IntN(4) == 0 {
		c += g.of(" && ", " || ", "; ", " | ", " & ", "\n") + g.simple()
	}
	return c
}

func (g generator) simple() string {
	var c string
	switch g.IntN(3) {
	case 0:
		c = g.program() + g.of("", " "+g.word(), " "+g.word()+" "+g.word(), " \""+g.word()+"\"", " $X")
	case 1:
		c = g.of("ls", "cat", "head -1", "wc -l", "grep x", "git status", "git log", "git diff", "echo", "pwd", "tail", "sort") + g.of("", " "+g.operand())
	default:
		c = g.of("touch", "mkdir", "rm", "rm -f", "cp a.ts", "mv a.ts", "sed -i s/a/b/", "rmdir") + " " + g.operand()
	}
	switch g.IntN(12) {
	case 0:
		c += g.of(" > f", " >> src/f", " 2>/dev/null", " > ${OUT}/f", " 2>&1", " > .npmrc")
	case 1:
		c = g.of("timeout 5 ", "nice ", "time ", "LANG=C ", "FOO=1 ", "env A=1 ", "nohup ") + c
	case 2:
		c = g.of("(", "{ ") + c
		c += map[bool]string{true: ")", false: "; }"}[strings.HasPrefix(c, "(")]
	case 3:
		c = "echo $(" + c + ")"
	}
	return c
}

func (g generator) operand() string {
	return g.of("a.ts", "src/a.txt", ".env", "secrets/s.txt", "n1", "src/n2", "*.ts", "${OUT}/o.txt", "link.txt", "../x", ".npmrc", ".git/x", "${PROJ}/a.ts", "\"a.ts\"", "$HOME")
}
