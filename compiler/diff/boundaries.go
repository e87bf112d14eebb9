package diff

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// probes lists the Actions on which a cell's two sides are compared: at the
// boundaries of both policies' rules and of every text in both native settings and
// in the provider's own rules, in an order that doesn't depend on which side is
// which, the shortest first.
func probes(old, new *settings) []evaluator.Action {
	found := map[string]evaluator.Action{}
	add := func(actions ...evaluator.Action) {
		for _, a := range actions {
			if text, err := strictjson.Encode(a); err == nil && a.Check() == nil {
				found[string(text)] = a
			}
		}
	}
	for _, c := range knownCommands {
		add(evaluator.Action{Kind: evaluator.Command, Command: c})
	}
	yes, no := true, false
	for _, hints := range []evaluator.Annotations{{ReadOnlyHint: &yes}, {ReadOnlyHint: &no}, {DestructiveHint: &no, OpenWorldHint: &no}} {
		add(evaluator.Action{Kind: evaluator.MCPTool, Server: "example", Tool: "hinted", Annotations: &hints})
	}
	patterns := map[string]int{} // by how many sides have them
	for _, s := range []*settings{old, new} {
		in := compiler.Intent{Cell: s.set.Cell()}
		if s.intent != nil {
			in = *s.intent
		}
		add(compiler.Probes(in, s.env)...)
		mine := append(texts(s.set.Native), s.looked()...)
		for _, r := range in.Rules {
			mine = append(mine, r.Match)
		}
		slices.Sort(mine)
		for _, text := range slices.Compact(mine) {
			patterns[text]++
		}
	}
	all := slices.SortedFunc(maps.Keys(patterns), func(a, b string) int {
		return cmp.Or(cmp.Compare(patterns[a], patterns[b]), cmp.Compare(a, b))
	})
	for _, text := range all {
		add(near(text)...)
	}
	for _, text := range append(crossings(all), below(all)...) {
		add(likely(text)...)
	}
	keys := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	out := make([]evaluator.Action, len(keys))
	for i, key := range keys {
		out[i] = found[key]
	}
	return out
}

// looked lists the texts of all rules that the provider looks at for an Action of
// each kind, its own rules too.
func (s *settings) looked() []string {
	var out []string
	kinds, rules := map[evaluator.Kind]bool{}, map[string]bool{}
	for _, a := range compiler.Probes(compiler.Intent{}, s.env) {
		if kinds[a.Kind] {
			continue
		}
		kinds[a.Kind] = true
		v, err := evaluator.Evaluate(s.meaning, a, true)
		if err != nil {
			continue
		}
		for _, step := range v.Trace {
			if rule := string(step.Native); !rules[rule] {
				rules[rule] = true
				out = append(out, texts(step.Native)...)
			}
		}
	}
	return out
}

// knownCommands are commands that providers treat by lists of their own, such as those
// that only read: a rule that speaks of git speaks of them too, and it shows there.
var knownCommands = []string{
	"cat a.txt", "cd src", "chmod +x a.sh", "cp a.txt b.txt", "curl https://example.test/", "date", "docker ps", "echo x", "echo x > a.txt",
	"env", "export A=1", "find . -name a", "find . -delete", "git branch", "git commit -m x", "git diff", "git log", "git push", "git push --force",
	"git show", "git status", "go test ./...", "grep x a.txt", "head a.txt", "ls", "ls /etc", "make", "mkdir build", "mv a.txt b.txt", "npm install",
	"npm test", "ps", "pwd", "python3 a.py", "rg x", "rm -rf .", "rm -rf /", "rm -rf build", "rm a.txt", "rmdir build", "sed -i s/a/b/ a.txt",
	"sed -n 1p a.txt", "sh -c ls", "sudo ls", "tail a.txt", "touch a.txt", "wc -l a.txt", "which ls",
}

// knownNames are names of files that providers guard by lists of their own.
var knownNames = []string{".env", ".env.local", ".git/config", ".npmrc", ".bashrc", ".claude/settings.json", ".vscode/settings.json"}

// below puts the known names below every folder that a pattern speaks of.
func below(patterns []string) []string {
	var out []string
	for _, p := range patterns {
		if folder, ok := strings.CutSuffix(strings.TrimRight(p, "*"), "/"); ok && strings.HasSuffix(p, "*") {
			for _, name := range knownNames {
				out = append(out, folder+"/"+name)
			}
		}
	}
	return out
}

// words are lists of quoted texts inside of a text, as in execpolicy's rules.
var words = regexp.MustCompile(`\[("(?:[^"\\]|\\.)*"(?:,\s*"(?:[^"\\]|\\.)*")*)\]`)

// spec is a rule that names a tool before what it speaks of, as in Bash(git *).
var spec = regexp.MustCompile(`^[A-Za-z_*]+\((?:domain:)?(.*)\)$`)

// texts lists the texts in native settings that may be patterns: every text, the
// words of a list together, and what a rule's text has in brackets.
func texts(native []byte) []string {
	var root any
	if err := json.Unmarshal(native, &root); err != nil {
		return nil
	}
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(v[name])
			}
		case []any:
			list := make([]string, 0, len(v))
			for _, item := range v {
				if text, ok := item.(string); ok {
					list = append(list, text)
				}
				walk(item)
			}
			if len(list) == len(v) {
				out = append(out, strings.Join(list, " "))
			}
		case string:
			out = append(out, v)
			if m := spec.FindStringSubmatch(v); m != nil {
				out = append(out, m[1])
			}
			for _, list := range words.FindAllString(v, -1) {
				var inner any
				if json.Unmarshal([]byte(list), &inner) == nil {
					walk(inner)
				}
			}
		}
	}
	walk(root)
	return slices.DeleteFunc(out, func(text string) bool { return text == "" || len(text) > maxPattern })
}

// maxPattern is how long a text may be that is taken for a pattern: execpolicy's
// whole text isn't one.
const maxPattern = 400

var wildcards = strings.NewReplacer("**", "x", "*", "x", "?", "x")

// near makes the Actions inside of a pattern and just outside of it, of every kind
// that the text could be about.
func near(pattern string) []evaluator.Action {
	bare := strings.TrimSuffix(pattern, " *")
	inside := wildcards.Replace(pattern)
	var out []evaluator.Action
	for _, c := range []string{wildcards.Replace(bare), inside, wildcards.Replace(bare) + " x", inside + "x"} {
		out = append(out, evaluator.Action{Kind: evaluator.Command, Command: c})
	}
	for _, text := range []string{inside, inside + "x"} {
		out = append(out,
			evaluator.Action{Kind: evaluator.FileRead, Path: text}, evaluator.Action{Kind: evaluator.FileChange, Path: text},
			evaluator.Action{Kind: evaluator.WebSearch, Query: text}, evaluator.Action{Kind: evaluator.Subagent, Agent: text},
			evaluator.Action{Kind: evaluator.WebFetch, URL: address(text)})
		server, tool := tool(text)
		out = append(out, evaluator.Action{Kind: evaluator.MCPTool, Server: server, Tool: tool})
	}
	return out
}

// likely makes the Actions that a text is likely to be about: a path or an MCP tool
// when it has a /, or else anything.
func likely(text string) []evaluator.Action {
	if !strings.Contains(text, "/") || strings.ContainsAny(text, " :") {
		return near(text)
	}
	server, tool := tool(text)
	return []evaluator.Action{
		{Kind: evaluator.FileRead, Path: text}, {Kind: evaluator.FileChange, Path: text},
		{Kind: evaluator.MCPTool, Server: server, Tool: tool},
	}
}

// address makes an address of a text that may be a host.
func address(text string) string {
	if strings.Contains(text, "://") {
		return text
	}
	return "https://" + text + "/"
}

// tool takes the name of an MCP tool apart, in the notations that there are.
func tool(text string) (server, tool string) {
	text = strings.TrimPrefix(text, "mcp__")
	for _, between := range []string{"__", "/", "_"} {
		if server, tool, ok := strings.Cut(text, between); ok && server != "" && tool != "" {
			return server, tool
		}
	}
	return text, "x"
}

// maxCrossed is how many patterns with wildcards are crossed with each other: those
// of one side alone first.
const maxCrossed = 64

// crossings makes texts that two patterns have in common and neither has alone,
// such as src/x.go for src/** and **/*.go: there the order of the two decides.
func crossings(patterns []string) []string {
	wild := slices.DeleteFunc(slices.Clone(patterns), func(p string) bool { return !strings.ContainsAny(p, "*?") || p == "*" })
	wild = wild[:min(len(wild), maxCrossed)]
	var out []string
	for i, a := range wild {
		for _, b := range wild[i+1:] {
			headA, middleA, tailA := parts(a)
			headB, middleB, tailB := parts(b)
			head, okHead := longer(headA, headB, strings.HasPrefix)
			tail, okTail := longer(tailA, tailB, strings.HasSuffix)
			if !okHead || !okTail {
				continue
			}
			if middleA == middleB {
				middleB = ""
			}
			out = append(out, head+middleA+middleB+tail, head+middleB+middleA+tail)
		}
	}
	return out
}

// parts cuts a pattern before its first wildcard and after its last; the middle has
// letters for the wildcards.
func parts(pattern string) (head, middle, tail string) {
	first, last := strings.IndexAny(pattern, "*?"), strings.LastIndexAny(pattern, "*?")
	return pattern[:first], wildcards.Replace(pattern[first : last+1]), pattern[last+1:]
}

// longer returns the longer of two texts when it begins (or ends) with the other.
func longer(a, b string, has func(s, part string) bool) (string, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	return a, has(a, b)
}
