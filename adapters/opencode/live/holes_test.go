package live_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/scripted"
)

// shellHoles are commands that make the file HOLE although all but "echo *",
// "cat *" and "ls *" is denied, and so is what looks like a redirect or like
// touch. They are why the texts that a tool asks for must not be taken for all
// that a command does.
var shellHoles = []struct {
	name, command string
	// inText: the touch is part of a text but isn't a text, so that only a rule
	// for "touch *" misses it.
	inText bool
}{
	{"a bare redirect", "> HOLE", false},
	{"a redirect after an assignment", "A=1; > HOLE", false},
	{"a declaration's redirect", "export A=1 > HOLE", false},
	{"a cd's redirect", "cd . > HOLE", false},
	{"a test's redirect", "[[ -f x ]] > HOLE; [ -f x ] > HOLE", false},
	{"a group that looks arithmetic", "((touch HOLE); true)", false},
	{"a substitution that looks arithmetic", "A=$((touch HOLE); true)", false},
	{"braces as a command", "{touch,HOLE}", false},
	{"behind a here-document", "cat <<EOF; touch HOLE\nEOF", false},
	{"a list's last redirect", "cat x && echo b > HOLE", false},
	{"a pipeline's last redirect", "echo a | cat > HOLE", false},
	{"a subshell's redirect", "(echo a) > HOLE", false},
	{"a group's redirect", "{ echo a; } > HOLE", false},
	{"a loop's redirect", "for f in a; do echo $f; done > HOLE", false},
	{"a negation's redirect", "! echo a > HOLE", false},
	{"behind a cd and a continued line", "cd .\n\\\ntouch HOLE", false},
	{"behind a command and a continued line", "echo a\n\\\ntouch HOLE", true},
	{"backticks in a here-document", "cat <<EOF\n`touch HOLE`\nEOF", true},
	{"in a removed prefix", "echo ${HOME#$(touch HOLE)}", true},
	{"backticks in a default value", "echo ${X:-`touch HOLE`}", true},
}

// TestHoles shows what runs although the rules seem to forbid it.
func TestHoles(t *testing.T) {
	h := livetest.Start(t, livetest.Options{})
	ws := livetest.Workspace(t, h.Root)
	p := h.In(ws)
	t.Run("shell", func(t *testing.T) { runShellHoles(t, p, ws) })
	t.Run("patch", func(t *testing.T) { movePastADeny(t, p, ws) })
}

// runShellHoles shows that each of the shell holes really runs.
func runShellHoles(t *testing.T, p *livetest.Place, ws string) {
	livetest.Write(t, filepath.Join(ws, "x"), "x\n")
	for _, hole := range shellHoles {
		touch := "*touch*"
		if hole.inText {
			touch = "touch *"
		}
		rules := []live.Rule{
			rule("*", "*", "allow"), rule("bash", "*", "deny"),
			rule("bash", "echo *", "allow"), rule("bash", "cat *", "allow"), rule("bash", "ls *", "allow"),
			rule("bash", "*> *", "deny"), rule("bash", touch, "deny"),
		}
		if v := verdict(t, rules, ws, hole.command); v.Effect != evaluator.Allow && v.Effect != evaluator.Unknown {
			t.Errorf("%s: %q is said to be %s: %s", hole.name, hole.command, v.Effect, v.Reason)
		}
		s := newSession(t, p, rules...)
		turn := p.Run(s.ID, bash(hole.command), live.Prompt{}, livetest.Answers{})
		file := filepath.Join(ws, "HOLE")
		if len(turn.Asks) != 0 || !exists(file) {
			t.Errorf("%s: %q was stopped: %+v", hole.name, hole.command, turn.Calls["call"].State.Error)
		}
		remove(t, file)
	}
}

// verdict is what we say about a command under a session's rules.
func verdict(t *testing.T, rules []live.Rule, ws, command string) evaluator.Verdict {
	t.Helper()
	native, err := json.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	m, err := opencode.New().Read(native, compiler.Setting{Env: evaluator.Env{Workspace: ws, Home: "/h"}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := evaluator.Evaluate(m, evaluator.Action{Kind: evaluator.Command, Command: command}, false)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// movePastADeny shows that apply_patch moves a file to a
// place whose edits are denied. Only a destination outside of the workspace is
// asked for, as external_directory.
func movePastADeny(t *testing.T, p *livetest.Place, ws string) {
	livetest.Write(t, filepath.Join(ws, "a.txt"), "text\n")
	s := newSession(t, p, rule("*", "*", "allow"), rule("edit", "secret/*", "deny"))
	text := patchText("*** Update File: a.txt\n*** Move to: secret/a.txt\n@@\n-text\n+other")
	script := scripted.Script{{Calls: []scripted.Call{{ID: "call", Tool: "apply_patch", Args: args{"patchText": text}}}}}
	turn := p.Run(s.ID, script, live.Prompt{ProviderID: livetest.Provider, ModelID: livetest.PatchModel}, livetest.Answers{})
	if len(turn.Asks) != 0 || !exists(filepath.Join(ws, "secret", "a.txt")) {
		t.Errorf("%+v", turn)
	}
}
