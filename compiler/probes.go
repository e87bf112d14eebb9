package compiler

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// Probe is an Action on which an Intent and its native settings are compared.
type Probe struct {
	evaluator.Action

	// Does is what the Action comes to where that isn't written in it: `env git
	// push` does what `git push` does, and `cat .env` reads .env. A rule doesn't
	// match it by its words; but one that denies something isn't kept where it is
	// done all the same, and nobody is asked.
	Does *evaluator.Action
	Form Form   // how a command is spelled
	Base string // the command before it was spelled so
}

// Form is a spelling of a command.
type Form uint8

// The spellings. Providers read them differently.
const (
	Plain        Form = iota // as it is; also what isn't a command
	DoubleBlanks             // two blanks between its words
	QuotedName               // 'git' push
	AfterFolder              // cd . && git push
	AfterOther               // ls && git push
	AfterExport              // export A=1 && git push
	Assigned                 // A=1 git push
	Substituted              // echo $(git push)
	Redirected               // git push > out.txt
	FullPath                 // /usr/bin/git push
	ByEnv                    // env git push
	ByShell                  // bash -c 'git push'
	WithOption               // git -C . push
	NoCommand                // export A=1: a text in which some find no command
	Escaped                  // \git push
	Continued                // git push, and behind a continued empty line quux
)

// want is what the policy says of a probe.
func (p Probe) want(in Intent, env evaluator.Env) Want {
	w := in.Want(p.Action, env)
	if p.Does == nil {
		return w
	}
	d := in.Want(*p.Does, env)
	if d.Effect != evaluator.Deny || d.Rule.Match == Everything {
		return w
	}
	d.Effect, d.Partly = evaluator.Ask, true // a person sees what it is
	if !stricter(d, w) {
		return w
	}
	return d
}

// Probes lists the Actions on which an Intent and its settings are compared: a
// hand list of what providers are known to treat apart, and for every pattern
// in play Actions inside and just outside of it, in several spellings.
func (in Intent) Probes(env evaluator.Env) []Probe {
	out := handProbes()
	for _, glob := range in.PlanFiles {
		out = append(out, pathProbes(glob, env)...)
	}
	for _, r := range in.Rules {
		out = append(out, ruleProbes(r, env)...)
	}
	for _, agent := range env.Agents {
		for _, rule := range agent.Permissions {
			if strings.Contains(rule.Resource, "/") || strings.Contains(rule.Resource, ".") {
				out = append(out, onPath(fill(rule.Resource, "x", "x"))...)
			}
		}
	}
	return unique(out)
}

func handProbes() []Probe {
	yes := true
	var out []Probe
	for _, p := range []string{"src/a.go", "src/../src/a.go", ".env", "../sibling/a.txt"} {
		out = append(out, onPath(p)...)
	}
	for _, p := range []string{"README.md", "/outside-of-everything/a.txt"} {
		out = append(append(out, onPath(p)...), byCommand(p)...)
	}
	for _, a := range []evaluator.Action{
		{Kind: evaluator.Command, Command: "ls", Cwd: "/outside-of-everything"},
		{Kind: evaluator.FileChange, Path: "src/a.go", To: "src/b.go"},
		{Kind: evaluator.FileChange, Path: "quux", To: "quux.moved"},
		{Kind: evaluator.FileChange, Path: "src/a.go", To: "src/../b.go"},
		{Kind: evaluator.FileChange, Path: "src/a.go", To: "/outside-of-everything/a.go"},
		{Kind: evaluator.FileChange, Path: "/outside-of-everything/a.go", To: "src/a.go"},
		{Kind: evaluator.FileChange, Path: ".git/config"},
		{Kind: evaluator.FileRead, Path: "shot.png"},
		{Kind: evaluator.FileRead, Path: "/outside-of-everything/shot.png"},
		{Kind: evaluator.WebFetch, URL: "https://example.test/"},
		{Kind: evaluator.WebFetch, URL: "https://quux.test/"}, // which a pattern for the first seldom matches, and so below
		{Kind: evaluator.WebFetch, URL: "https://docs.python.org/3/"},
		{Kind: evaluator.WebSearch, Query: "example"},
		{Kind: evaluator.WebSearch, Query: "quux"},
		{Kind: evaluator.MCPTool, Server: "example", Tool: "write"},
		{Kind: evaluator.MCPTool, Server: "example", Tool: "read", Annotations: &evaluator.Annotations{ReadOnlyHint: &yes}},
		{Kind: evaluator.MCPTool, Server: "quux", Tool: "quux"},
		{Kind: evaluator.Subagent, Agent: "general"},
		{Kind: evaluator.Subagent, Agent: "quux"},
		{Kind: evaluator.Question},
		{Kind: evaluator.Question, Text: "quux"},
	} {
		out = append(out, Probe{Action: a})
	}
	for _, c := range ownLists {
		out = append(out, Probe{Action: evaluator.Action{Kind: evaluator.Command, Command: c}})
	}
	for _, c := range []string{"export A=1", "A=1", "> out.txt", "cd src"} {
		out = append(out, Probe{Action: evaluator.Action{Kind: evaluator.Command, Command: c}, Form: NoCommand, Base: c})
	}
	return append(out, commandProbes("git push origin main")...)
}

// ownLists are commands that providers treat by lists of their own, such as those
// that only read: where a rule speaks of git, these show what becomes of it.
var ownLists = []string{
	"ls", "cat README.md", "git status", "git log", "git diff", "git branch", "docker ps", "echo x", "grep x README.md", "find . -name x",
	"python3 --version", "node -v", "touch x", "mkdir x", "rm x", "rm -rf build", "cp x y", "mv x y", "sed -i s/a/b/ x", "curl https://example.test/",
}

// ruleProbes makes Actions inside the rule's pattern and just outside.
func ruleProbes(r Rule, env evaluator.Env) []Probe {
	if r.Match == Everything || r.Match == PlanFiles {
		return nil
	}
	var list []evaluator.Action
	inside := fill(r.Match, "x", "x")
	switch r.Kind {
	case evaluator.Command:
		return commandProbes(strings.TrimSuffix(r.Match, " *"))
	case evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace:
		within := evaluator.Action{Kind: evaluator.FileChange, Path: paths.Home(env.Home, fill(r.Match, "x", "x")), To: paths.Home(env.Home, fill(r.Match, "y", "y"))}
		return append(pathProbes(r.Match, env), Probe{Action: within})
	case evaluator.WebFetch:
		for _, url := range []string{inside, inside + "x", "x" + inside} {
			list = append(list, evaluator.Action{Kind: r.Kind, URL: url})
		}
	case evaluator.WebSearch, evaluator.Subagent, evaluator.Question:
		for _, text := range []string{inside, inside + "x", "x" + inside} {
			a := evaluator.Action{Kind: r.Kind}
			switch r.Kind {
			case evaluator.WebSearch:
				a.Query = text
			case evaluator.Subagent:
				a.Agent = text
			default:
				a.Text = text
			}
			list = append(list, a)
		}
	case evaluator.MCPTool:
		server, tool, ok := strings.Cut(inside, "/")
		if !ok || tool == "" {
			tool = "x"
		}
		for _, name := range [][2]string{{server, tool}, {server, tool + "x"}, {server + "x", tool}, {"x" + server, tool}, {"x" + server, "x" + tool}} {
			list = append(list, evaluator.Action{Kind: r.Kind, Server: name[0], Tool: name[1]})
		}
	}
	var out []Probe
	for _, a := range list {
		out = append(out, Probe{Action: a})
	}
	return out
}

// commandProbes spells a command, and the commands next to it.
func commandProbes(base string) []Probe {
	words := strings.Fields(base)
	command := func(text string) evaluator.Action { return evaluator.Action{Kind: evaluator.Command, Command: text} }
	elsewhere := command(base)
	elsewhere.Cwd = "/outside-of-everything"
	out := []Probe{{Action: command(base)}, {Action: command(base + " x")}, {Action: command(base + "x")}, {Action: command("x" + base)}, {Action: elsewhere}}
	if n := len(words) - 1; n > 0 {
		out = append(out, Probe{Action: command(strings.Join(words[:n], " "))})
	}
	if strings.ContainsFunc(base, special) {
		return out
	}
	spell := func(f Form, text string, means bool) {
		p := Probe{Action: command(text), Form: f, Base: base}
		if means {
			does := command(base)
			p.Does = &does
		}
		out = append(out, p)
	}
	rest := strings.TrimPrefix(base, words[0])
	spell(QuotedName, "'"+words[0]+"'"+rest, false)
	spell(Escaped, "\\"+base, false)
	spell(Continued, base+"\n\\\nquux", false)
	spell(AfterFolder, "cd . && "+base, false)
	spell(AfterOther, "ls && "+base, false)
	spell(AfterExport, "export A=1 && "+base, false)
	spell(Assigned, "A=1 "+base, false)
	// A rule that isn't asked about a spelling isn't there for a folder outside either.
	reworded := Probe{Action: command("A=1 " + base), Form: Assigned, Base: base}
	reworded.Cwd = elsewhere.Cwd
	out = append(out, reworded)
	spell(Substituted, "echo $("+base+")", false)
	spell(Redirected, base+" > out.txt", false)
	spell(ByEnv, "env "+base, true)
	spell(ByShell, "bash -c '"+base+"'", true)
	if !strings.Contains(words[0], "/") {
		spell(FullPath, "/usr/bin/"+base, true)
		spell(FullPath, "/usr/bin/"+base, false) // a rule for its name may reach it, which no policy's does
	}
	if len(words) > 1 {
		spell(DoubleBlanks, strings.Join(words, "  "), false)
		if words[0] == "git" {
			spell(WithOption, "git -C ."+rest, true)
		}
	}
	return out
}

// special reports whether a shell may take a character for something else than
// a part of a word.
func special(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" ._/:@%+,-", r))
}

// pathProbes touches what a path pattern matches and what lies next to it: a
// longer name, what lies below it, a deeper folder, the folder itself.
func pathProbes(pattern string, env evaluator.Env) []Probe {
	at := func(p string) string { return paths.Home(env.Home, p) }
	inside := at(fill(pattern, "x", "x"))
	list := []string{
		inside, inside + "x", inside + "/x", path.Dir(inside),
		at(fill(pattern, "x", "x/y")), at(fill(pattern, "x/y", "x")), at(fill(pattern, "", "x")),
		at(fill(strings.ReplaceAll(pattern, "?", "/"), "x", "x")),
		at(fill(pattern, "x", ".git/config")), at(fill(pattern, "x", ".npmrc")), at(fill(pattern, "x", ".env")), at(fill(strings.ReplaceAll(pattern, "**/", ""), "x", "x")), at(fill(strings.ReplaceAll(pattern, "**/", "x"), "x", "x")),
	}
	if !paths.Rooted(inside) {
		list = append(list, "x"+inside, "x/"+inside, "x/../"+inside, workspace(env)+"/"+inside, "/outside-of-everything/"+inside)
	}
	var out []Probe
	for _, p := range list {
		if p != "" && p != "." && !strings.Contains(p, "//") && !strings.HasSuffix(p, "/") {
			out = append(out, onPath(p)...)
		}
	}
	for _, move := range [][2]string{{"x.moved", inside}, {inside, "x.moved"}} {
		out = append(out, Probe{Action: evaluator.Action{Kind: evaluator.FileChange, Path: move[0], To: move[1]}})
	}
	return append(out, byCommand(inside)...)
}

func onPath(path string) []Probe {
	return []Probe{
		{Action: evaluator.Action{Kind: evaluator.FileRead, Path: path}},
		{Action: evaluator.Action{Kind: evaluator.FileChange, Path: path}},
	}
}

// byCommand reads and changes a file by commands, of which some name it plainly.
func byCommand(path string) []Probe {
	read := evaluator.Action{Kind: evaluator.FileRead, Path: path}
	change := evaluator.Action{Kind: evaluator.FileChange, Path: path}
	var out []Probe
	for _, way := range []struct {
		does  *evaluator.Action
		words []string
	}{
		{&read, []string{"cat", path}},
		{&read, []string{"python3", "-c", `open("` + path + `")`}},
		{&change, []string{"touch", path}},
		{&change, []string{"python3", "-c", `open("` + path + `", "w")`}},
	} {
		if text, ok := shellText(way.words); ok {
			out = append(out, Probe{Does: way.does, Base: text})
		}
	}
	if !paths.Rooted(path) && !strings.HasPrefix(path, "..") {
		out = append(out, Probe{Does: &read, Base: "grep -r x ."})
	}
	for i := range out {
		out[i].Action = evaluator.Action{Kind: evaluator.Command, Command: out[i].Base}
	}
	return out
}

func shellText(words []string) (string, bool) {
	out := make([]string, len(words))
	for i, w := range words {
		q, err := syntax.Quote(w, syntax.LangBash)
		if err != nil { // no shell can write it
			return "", false
		}
		out[i] = q
	}
	return strings.Join(out, " "), true
}

// fill puts texts for the wildcards of a pattern.
func fill(pattern, one, many string) string {
	return strings.NewReplacer("**", many, "*", one, "?", "x").Replace(pattern)
}

// unique drops probes that are there already.
func unique(list []Probe) []Probe {
	type key struct {
		kind                                           evaluator.Kind
		command, cwd, path, to, url, query, name, does string
	}
	seen := map[key]bool{}
	return slices.DeleteFunc(list, func(p Probe) bool {
		k := key{p.Kind, p.Command, p.Cwd, p.Path, p.To, p.URL, p.Query, p.Server + "/" + p.Tool + "/" + p.Agent + p.Text, ""}
		if p.Does != nil {
			k.does = string(p.Does.Kind) + " " + p.Does.Path + p.Does.Command
		}
		if p.Annotations != nil {
			k.name += "?"
		}
		dup := seen[k]
		seen[k] = true
		return dup
	})
}
