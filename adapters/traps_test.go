package adapters_test

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// trap is what other lowerings got wrong: the rules of a policy, what must and must
// not stand in the settings, and what an Action then comes to.
type trap struct {
	name     string
	provider evaluator.Provider
	mode     evaluator.Mode
	rules    string
	has, not []string // texts of the native settings
	verdicts map[string]string
}

const askAll = "  - {id: all, kind: command, match: \"*\", effect: ask}\n"

var traps = []trap{
	{"a star inside Codex's prefix words is a star", evaluator.Codex, evaluator.Auto,
		"  - {id: push, kind: command, match: git push *, effect: ask}\n",
		[]string{`pattern=["git","push"]`, "match=[", "not_match=[", `justification="policy rule push"`}, []string{`"*"`},
		map[string]string{"git push origin main": "review", "git push": "review", "git pull": "allow confined"}},
	{"an allow takes Codex's sandbox away, and the answer says so", evaluator.Codex, evaluator.Auto,
		"  - {id: tests, kind: command, match: go test *, effect: allow}\n",
		[]string{`decision="allow"`}, nil,
		map[string]string{"go test ./...": "allow", "go vet ./...": "allow confined"}},
	{"a prefix says more than an allow of exactly one command", evaluator.Codex, evaluator.Auto,
		"  - {id: status, kind: command, match: git status, effect: allow}\n",
		[]string{`"rules":""`}, nil,
		map[string]string{"git status": "allow confined", "git status -x": "allow confined"}},
	{"an ask for everything shadows a narrower allow on Claude", evaluator.Claude, evaluator.ApprovalRequired,
		askAll + "  - {id: status, kind: command, match: git status, effect: allow}\n",
		[]string{`"kind":"command","match":"git status","effect":"allow"`}, nil,
		map[string]string{"git status": "allow", "git push": "ask"}},
	{"WebFetch without domain: matches nothing", evaluator.Claude, evaluator.FullAccess,
		"  - {id: docs, kind: web-fetch, match: \"*://docs.example.test/*\", effect: deny}\n",
		[]string{`"WebFetch(domain:docs.example.test)"`}, []string{"WebFetch(docs", "WebFetch(*://"},
		map[string]string{"fetch https://docs.example.test/x": "deny", "fetch https://example.test/x": "allow"}},
	{"Write with a path is ignored, and a path with one slash matches nothing", evaluator.Claude, evaluator.AutoAcceptEdits,
		"  - {id: src, kind: file-change, match: src/**, effect: deny}\n  - {id: keys, kind: file-read, match: /srv/keys/**, effect: deny}\n",
		[]string{`"Edit(//w/src/**)"`, `"Read(//srv/keys/**)"`}, []string{"Write(", "(/w", "(/srv"},
		map[string]string{"change src/a.go": "deny", "change new/a.go": "allow", "read /srv/keys/x": "deny"}},
	{"ask rules for agents by name do nothing on Claude", evaluator.Claude, evaluator.FullAccess,
		"  - {id: explore, kind: subagent, match: explore, effect: ask}\n",
		[]string{`"Agent(subagent_type:explore)"`}, []string{`"Agent(explore)"`},
		map[string]string{"agent explore": "ask", "agent other": "allow"}},
	{"a rule for files isn't a rule for the shell", evaluator.Claude, evaluator.AutoAcceptEdits,
		"  - {id: out, kind: file-change, match: out/**, effect: ask}\n",
		nil, []string{"Bash(*out", "Bash(out"}, nil},
	{"1.x puts keys that are integers first", evaluator.OpenCode, evaluator.ApprovalRequired,
		askAll + "  - {id: ten, kind: command, match: \"10\", effect: allow}\n  - {id: two, kind: command, match: \"2\", effect: deny}\n",
		[]string{`{"permission":"bash","pattern":"10","action":"allow"},{"permission":"bash","pattern":"2","action":"deny"}`}, []string{`"bash":`},
		map[string]string{"10": "allow", "2": "deny"}},
	{"a home shortcut stays as it is on 1.x", evaluator.OpenCode, evaluator.FullAccess,
		"  - {id: ssh, kind: file-read, match: ~/.ssh/**, effect: deny}\n",
		[]string{"/home/u/.ssh/*"}, []string{"~", "$HOME"},
		map[string]string{"read /home/u/.ssh/id": "deny"}},
	{"a home shortcut stays as it is on 2", evaluator.OpenCode2, evaluator.FullAccess,
		"  - {id: ssh, kind: outside-workspace, match: ~/.ssh/**, effect: deny}\n",
		[]string{"/home/u/.ssh/*"}, []string{"~", "$HOME"},
		map[string]string{"read /home/u/.ssh/id": "deny"}},
	{"OpenCode 1.x asks under bash and task", evaluator.OpenCode, evaluator.FullAccess,
		"  - {id: rm, kind: command, match: rm *, effect: ask}\n  - {id: agents, kind: subagent, match: \"*\", effect: deny}\n",
		[]string{`"permission":"bash","pattern":"rm *"`, `"permission":"task"`}, []string{`"shell"`, `"subagent"`},
		map[string]string{"rm x": "ask", "agent general": "deny"}},
	{"OpenCode 2 asks under shell and subagent", evaluator.OpenCode2, evaluator.FullAccess,
		"  - {id: rm, kind: command, match: rm *, effect: ask}\n  - {id: agents, kind: subagent, match: \"*\", effect: deny}\n",
		[]string{`"action":"shell","resource":"rm *"`, `"action":"subagent"`}, []string{`"bash"`, `"task"`},
		map[string]string{"rm x": "ask", "agent general": "deny"}},
	{"OpenCode 2 refuses a session that denies shell or read", evaluator.OpenCode2, evaluator.ApprovalRequired,
		"  - {id: push, kind: command, match: git push *, effect: deny}\n  - {id: env, kind: file-read, match: \"**/.env\", effect: deny}\n",
		[]string{`{"action":"shell","resource":"git push *","effect":"ask"}`, `{"action":"modegate-declines:command","resource":"git push *","effect":"ask"}`},
		[]string{`"action":"shell","resource":"git push *","effect":"deny"`, `"action":"read","resource":"**/.env","effect":"deny"`},
		map[string]string{"git push origin main": "deny by adapter", "git status": "ask", "read a/.env": "deny by adapter"}},
}

func TestTraps(t *testing.T) {
	for _, c := range traps {
		t.Run(c.name, func(t *testing.T) {
			set := lowered(t, c, evaluator.Env{Workspace: "/w", Home: "/home/u"})
			text := strings.ReplaceAll(string(set.native), `\"`, `"`)
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("nothing says %s: %s", want, text)
				}
			}
			for _, not := range c.not {
				if strings.Contains(text, not) {
					t.Errorf("something says %s: %s", not, text)
				}
			}
			for what, want := range c.verdicts {
				v, err := evaluator.Evaluate(set.meaning, action(what), false)
				if err != nil {
					t.Fatal(err)
				}
				got := v.Effect.String()
				switch {
				case v.Effect == evaluator.Allow && v.Confinement != evaluator.Unconfined:
					got += " confined"
				case v.Effect == evaluator.Deny && v.Decider == evaluator.ByAdapter:
					got += " by adapter"
				}
				if got != want {
					t.Errorf("%s: %s, want %s: %s", what, got, want, v.Reason)
				}
			}
		})
	}
}

// TestTrapGrantAfterDeny: a grant that stands behind a deny in one list would undo it.
func TestTrapGrantAfterDeny(t *testing.T) {
	for provider, granted := range map[evaluator.Provider]evaluator.Grant{
		evaluator.OpenCode: {Action: "edit", Resource: "*"}, evaluator.OpenCode2: {Action: "edit", Resource: "*"},
	} {
		c := trap{provider: provider, mode: evaluator.ApprovalRequired, rules: "  - {id: src, kind: file-change, match: src/**, effect: deny}\n"}
		set := lowered(t, c, evaluator.Env{Workspace: "/w", Home: "/home/u", Grants: []evaluator.Grant{granted}})
		for path, want := range map[string]evaluator.Effect{"src/a.go": evaluator.Deny, "a.go": evaluator.Allow} {
			v, err := evaluator.Evaluate(set.meaning, evaluator.Action{Kind: evaluator.FileChange, Path: path}, false)
			if err != nil || v.Effect != want {
				t.Errorf("%s: %s: %s, want %s: %s %v", provider, path, v.Effect, want, set.native, err)
			}
		}
	}
}

type loweredSet struct {
	native  []byte
	meaning evaluator.Meaning
}

// lowered writes a cell's settings, gaps or no gaps, and reads them again.
func lowered(t *testing.T, c trap, env evaluator.Env) loweredSet {
	t.Helper()
	p, err := policies.Parse(policies.File{Name: "trap.yaml", Data: []byte("apiVersion: modegate/v1\nname: trap\nextends: builtin/t3code\nrules:\n" + c.rules)})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := adapters.Find(c.provider)
	env = d.Env(evaluator.Default, env)
	w, err := d.Write(compiler.Lower(p, evaluator.Cell{Provider: c.provider, Mode: c.mode, Interaction: evaluator.Default}), env)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Read(w.Native, compiler.Setting{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	return loweredSet{w.Native, m}
}

// action reads "read PATH", "change PATH", "fetch URL", "agent NAME" or a command.
func action(text string) evaluator.Action {
	kind, rest, _ := strings.Cut(text, " ")
	switch kind {
	case "read":
		return evaluator.Action{Kind: evaluator.FileRead, Path: rest}
	case "change":
		return evaluator.Action{Kind: evaluator.FileChange, Path: rest}
	case "fetch":
		return evaluator.Action{Kind: evaluator.WebFetch, URL: rest}
	case "agent":
		return evaluator.Action{Kind: evaluator.Subagent, Agent: rest}
	}
	return evaluator.Action{Kind: evaluator.Command, Command: text}
}
