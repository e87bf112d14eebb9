package adapters_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// importActions are Actions that no rule has named, typed by hand.
func importActions() []evaluator.Action {
	var out []evaluator.Action
	for _, c := range []string{
		"ls", "ls src", "git status", "git push origin main", "git push --force", "git log -1", "git logs", "npm run test", "npm run test:unit x", "npm test",
		"rm -rf build", "sudo rm x", "cat .env", "cat src/a.go && rm x", "echo $(id)", "A=1", "> out.txt", "cd /etc && cat hosts", "curl https://example.test", "go test ./...", "10", "echo 'a b'", "touch src/n",
	} {
		out = append(out, evaluator.Action{Kind: evaluator.Command, Command: c})
	}
	for _, p := range []string{"src/a.go", "src/deep/b.go", "a.lock", "deep/b.lock", ".env", "deep/.env", ".env.local", "docs/x.md", "x/docs/y.md", "secrets/k", "/etc/ssl/c.pem", "/home/dev/shared/a", "/home/dev/.ssh/id", "/home/dev/.zshrc", "/opt/shared/a", "/opt/sharedx", "/tmp/x", "../lib/a.go", ".github/w.yml", "/home/dev/.local/share/opencode/tool-output/t1"} {
		out = append(out, evaluator.Action{Kind: evaluator.FileRead, Path: p}, evaluator.Action{Kind: evaluator.FileChange, Path: p})
	}
	out = append(out, evaluator.Action{Kind: evaluator.FileChange, Path: "src/a.go", To: "docs/b.go"})
	for _, u := range []string{"https://docs.python.org/3/", "https://docs.example.test/x", "https://example.test/", "https://a.b.example.test/"} {
		out = append(out, evaluator.Action{Kind: evaluator.WebFetch, URL: u})
	}
	for _, s := range [][2]string{{"github", "get_issue"}, {"github", "create_issue"}, {"linear", "x"}, {"docs", "search"}, {"a", "t"}, {"b", "t"}} {
		out = append(out, evaluator.Action{Kind: evaluator.MCPTool, Server: s[0], Tool: s[1]})
	}
	for _, n := range []string{"general", "Explore", "other"} {
		out = append(out, evaluator.Action{Kind: evaluator.Subagent, Agent: n})
	}
	return append(out, evaluator.Action{Kind: evaluator.WebSearch, Query: "x"}, evaluator.Action{Kind: evaluator.Question})
}

// Pieces that random settings and random Actions have in common.
var (
	programs  = []string{"ls", "git", "git push", "git status", "npm run test", "rm", "go test", "10", "2"}
	arguments = []string{"", " x", " -f", " src/a.go", "x", " x y"}
	places    = []string{"src", "docs", "src/deep", ".env", "a.lock", "secrets"}
)

// fragments are random Actions of those pieces.
func fragments(t *rapid.T) []evaluator.Action {
	var out []evaluator.Action
	for range 6 {
		out = append(out, evaluator.Action{Kind: evaluator.Command, Command: of(t, programs) + of(t, arguments)})
		path := of(t, []string{"", "/home/dev/", "/opt/", "x/"}) + of(t, places) + of(t, []string{"", "/a.go", "/b/c.md"})
		out = append(out, evaluator.Action{Kind: evaluator.FileRead, Path: path}, evaluator.Action{Kind: evaluator.FileChange, Path: path})
	}
	return out
}

func of(t *rapid.T, list []string) string { return rapid.SampledFrom(list).Draw(t, "one") }

func some(t *rapid.T, most int, make func() string) []string {
	var out []string
	for range rapid.IntRange(0, most).Draw(t, "how many") {
		out = append(out, make())
	}
	return out
}

func jsonText(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a text
	}
	return string(b)
}

func quoted(list []string) string {
	for i, s := range list {
		list[i] = fmt.Sprintf("%q", s)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

func randomClaude(t *rapid.T) compiler.SettingsFile {
	rule := func() string {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0, 1:
			return "Bash(" + of(t, programs) + of(t, []string{"", " *", ":*", "*", " x", " * y"}) + ")"
		case 2, 3:
			return of(t, []string{"Read(", "Edit("}) + of(t, []string{"", "./", "/", "~/", "//opt/", "**/"}) + of(t, places) + of(t, []string{"", "/", "/**", "/*", "/*.md", "/a.go"}) + ")"
		case 4:
			return of(t, []string{"WebFetch(domain:docs.python.org)", "WebFetch(domain:*.example.test)", "WebFetch", "WebSearch", "Agent(Explore)", "Agent"})
		case 5:
			return of(t, []string{"mcp__github", "mcp__github__get_issue", "mcp__a__*", "mcp__*"})
		}
		return of(t, []string{"Bash", "Read", "Edit", "Write", "Bash(", "lower(x)", "Read([sd]*)", "Edit(!src)", "Bash(:*)"})
	}
	text := fmt.Sprintf(`{"permissions": {"allow": %s, "ask": %s, "deny": %s, "defaultMode": %q}}`,
		quoted(some(t, 4, rule)), quoted(some(t, 2, rule)), quoted(some(t, 3, rule)),
		of(t, []string{"default", "default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"}))
	return compiler.SettingsFile{Name: "settings.json", Text: []byte(text)}
}

func randomCodex(t *rapid.T) compiler.SettingsFile {
	text := of(t, []string{"", "approval_policy = \"on-request\"\n", "approval_policy = \"never\"\n", "approval_policy = {granular = {sandbox_approval = true, rules = true, mcp_elicitations = false}}\n"}) +
		of(t, []string{"", "sandbox_mode = \"read-only\"\n", "sandbox_mode = \"workspace-write\"\n", "sandbox_mode = \"danger-full-access\"\n"}) +
		of(t, []string{"", "approvals_reviewer = \"auto_review\"\n"}) +
		of(t, []string{"", "[sandbox_workspace_write]\nnetwork_access = true\nwritable_roots = [\"/opt/shared\", \"rel\"]\n"}) +
		of(t, []string{"", "[projects.\"/work/app\"]\ntrust_level = \"trusted\"\n", "[projects.\"/work/app\"]\ntrust_level = \"untrusted\"\n"})
	rules := some(t, 5, func() string {
		words := strings.Fields(of(t, programs) + of(t, arguments))
		pattern := quoted(words)
		if rapid.Bool().Draw(t, "alternatives") {
			pattern = fmt.Sprintf("[[%q, %q]]", words[0], of(t, []string{"cat", "head", "a b"}))
		}
		return fmt.Sprintf("prefix_rule(pattern=%s, decision=%q)", pattern, of(t, []string{"allow", "prompt", "forbidden"}))
	})
	f := compiler.SettingsFile{Name: "config.toml", Text: []byte(text)}
	f.Beside = []compiler.SettingsFile{{Name: "default.rules", Path: "/home/dev/.codex/rules/default.rules", Text: []byte(strings.Join(rules, "\n") + "\n")}}
	return f
}

var openCodePatterns = []string{"*", "src/*", "src/**", "*.lock", "*.env", "~/shared/*", "/opt/*", "docs/a.go", "**", "s?c/*", "", "\u0001x"}

func randomOpenCode(t *rapid.T) compiler.SettingsFile {
	effect := func() string { return of(t, []string{`"ask"`, `"allow"`, `"deny"`}) }
	object := func() string {
		var entries []string
		seen := map[string]bool{}
		add := func(name, value string) {
			if !seen[name] {
				seen[name] = true
				entries = append(entries, fmt.Sprintf("%q: %s", name, value))
			}
		}
		for range rapid.IntRange(0, 4).Draw(t, "entries") {
			switch name := of(t, []string{"*", "bash", "edit", "read", "external_directory", "task", "webfetch", "glob", "docs_*", "my_tool", "5"}); name {
			case "webfetch", "glob", "docs_*", "my_tool", "5", "*":
				add(name, effect())
			default:
				patterns := openCodePatterns
				if name == "bash" {
					patterns = []string{"*", "git *", "git push*", "rm *", "10", "2", "ls", "* x"}
				}
				var list []string
				used := map[string]bool{}
				for range rapid.IntRange(0, 4).Draw(t, "patterns") {
					if p := of(t, patterns); !used[p] {
						used[p] = true
						list = append(list, jsonText(p)+": "+effect())
					}
				}
				add(name, "{"+strings.Join(list, ", ")+"}")
			}
		}
		return "{" + strings.Join(entries, ", ") + "}"
	}
	text := `{"permission": ` + object()
	if rapid.Bool().Draw(t, "tools") {
		text += `, "tools": {"bash": ` + of(t, []string{"true", "false"}) + `, "write": false}`
	}
	if rapid.Bool().Draw(t, "agents") {
		text += `, "agent": {"build": {"permission": ` + object() + `}, "plan": {"permission": ` + object() + `}}`
	}
	return compiler.SettingsFile{Name: "opencode.json", Text: []byte(text + "}")}
}

func randomOpenCode2(t *rapid.T) compiler.SettingsFile {
	rules := some(t, 7, func() string {
		action := of(t, []string{"*", "shell", "edit", "read", "external_directory", "subagent", "webfetch", "glob", "docs_*"})
		resource := of(t, openCodePatterns)
		if action == "shell" {
			resource = of(t, []string{"*", "git *", "git push*", "rm *", "10", "ls"})
		}
		return fmt.Sprintf(`{"action": %q, "resource": %s, "effect": %q}`, action, jsonText(resource), of(t, []string{"ask", "allow", "deny"}))
	})
	return compiler.SettingsFile{Name: "opencode.json", Text: []byte(`{"permissions": [` + strings.Join(rules, ", ") + "]}")}
}
