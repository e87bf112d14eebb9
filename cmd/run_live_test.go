package cmd

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/internal/livebin"
	"github.com/modegate/modegate/internal/scripted"
)

// livePassword guards the shared server of these tests.
const livePassword = "run-live-test"

// editsAllowed lets edits through in auto-accept-edits, which T3's shared list
// doesn't.
const editsAllowed = `
apiVersion: modegate/v1
name: edits-allowed
extends: builtin/t3code
rules:
  - {id: edits, kind: file-change, match: "*", effect: allow, modes: [auto-accept-edits], providers: [opencode]}
`

// modegateRun runs one command line against a person who answers what is asked,
// in order, and never leaves before the end.
func modegateRun(t *testing.T, script scripted.Script, answers []string, args ...string) (code int, output string) {
	t.Helper()
	prompt, err := script.Prompt()
	if err != nil {
		t.Fatal(err)
	}
	in, lines := io.Pipe()
	defer lines.Close()
	out := &asked{answers: answers, lines: lines}
	code = Main(append(append([]string{"run", "-p", "opencode"}, args...), "--", prompt), in, out, out)
	return code, out.String()
}

// asked collects a run's output and gives the next answer when one is asked for.
type asked struct {
	mu      sync.Mutex
	text    bytes.Buffer
	answers []string
	lines   io.WriteCloser
}

func (a *asked) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for range bytes.Count(p, []byte("     answer: ")) {
		if len(a.answers) == 0 {
			go a.lines.Close()
			break
		}
		line := a.answers[0]
		a.answers = a.answers[1:]
		go io.WriteString(a.lines, line+"\n")
	}
	return a.text.Write(p)
}

func (a *asked) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.String()
}

func shellCall(command string) scripted.Call {
	return scripted.Call{Tool: "bash", Args: map[string]any{"command": command, "description": "a deed"}}
}

func writeCall(path string) scripted.Call {
	return scripted.Call{Tool: "write", Args: map[string]any{"filePath": path, "content": "x"}}
}

func steps(calls ...scripted.Call) scripted.Script {
	var s scripted.Script
	for _, c := range calls {
		s = append(s, scripted.Step{Calls: []scripted.Call{c}})
	}
	return s
}

// TestRunLive drives the real 1.18.33 through the command line: what is asked,
// what is answered, and what is on disk afterwards.
func TestRunLive(t *testing.T) {
	livebin.Need(t, livebin.OpenCode)
	h := livetest.Start(t, livetest.Options{Password: livePassword})
	t.Setenv("OPENCODE_SERVER_PASSWORD", livePassword)
	// One folder for all: the server takes seconds to get to know another.
	ws := filepath.Join(h.Root, "ws")
	livetest.Git(t, ws)
	policy := filepath.Join(h.Root, "edits-allowed.yaml")
	livetest.Write(t, policy, editsAllowed)
	question := scripted.Call{Tool: "question", Args: map[string]any{"questions": []any{map[string]any{
		"question": "Which name?", "header": "Name", "options": []any{map[string]any{"label": "left", "description": "one"}, map[string]any{"label": "right", "description": "other"}},
	}}}}
	task := scripted.Call{Tool: "task", Args: map[string]any{"description": "d", "prompt": childScript(t), "subagent_type": "general"}}
	for _, c := range []struct {
		name    string
		args    []string
		script  scripted.Script
		answers []string
		code    int
		there   []string // files afterwards
		absent  []string
		says    []string // in the output, in this order
		asks    int
	}{
		{name: "Supervised: a command asks and runs after accept", args: []string{"-m", "approval-required"},
			script: steps(shellCall("touch by-command")), answers: []string{"accept"}, there: []string{"by-command"}, asks: 1, says: []string{"? 1  bash: touch by-command", "= 1  accepted", "done"}},
		{name: "Supervised: declined, it doesn't run and the agent goes on", args: []string{"-m", "approval-required"},
			script: steps(shellCall("touch by-command"), shellCall("touch by-second")), answers: []string{"decline", "accept"}, there: []string{"by-second"}, absent: []string{"by-command"}, asks: 2, says: []string{"= 1  declined", "The user declined this", "= 2  accepted", "done"}},
		{name: "Supervised: cancelled, the run ends", args: []string{"-m", "approval-required"}, code: 1,
			script: steps(shellCall("touch by-command"), shellCall("touch by-second")), answers: []string{"cancel"}, absent: []string{"by-command", "by-second"}, asks: 1, says: []string{"= 1  cancelled", "the run cancelled: cancelled at: bash: touch by-command"}},
		{name: "Supervised: nobody is there", args: []string{"-m", "approval-required"}, code: 1,
			script: steps(shellCall("touch by-command")), absent: []string{"by-command"}, asks: 1, says: []string{"nobody is there to answer"}},
		{name: "Supervised: of two calls at once one is declined", args: []string{"-m", "approval-required"},
			script:  scripted.Script{{Calls: []scripted.Call{shellCall("touch by-command"), writeCall("by-edit")}}},
			answers: []string{"decline", "accept"}, there: []string{"by-edit"}, absent: []string{"by-command"}, asks: 2, says: []string{"done"}},
		{name: "Supervised: a grant holds for the session", args: []string{"-m", "approval-required"},
			script: steps(shellCall("touch by-first"), shellCall("touch by-second"), shellCall("mkdir by-other")), answers: []string{"session", "decline"}, there: []string{"by-first", "by-second"}, absent: []string{"by-other"}, asks: 2,
			says: []string{"session (allow touch * this session)", "= 1  accepted for this session", "allowed this session: bash touch *", "? 2  bash: mkdir by-other"}},
		{name: "Supervised: and not for the next", args: []string{"-m", "approval-required"},
			script: steps(shellCall("touch by-command")), answers: []string{"decline"}, absent: []string{"by-command"}, asks: 1},
		{name: "Supervised: a question is answered", args: []string{"-m", "approval-required"},
			script: steps(question), answers: []string{"2"}, asks: 1, says: []string{"? 1  Name: Which name?", "     2  right - other", "= 1  answered", "right"}},
		{name: "auto-accept-edits of a policy that allows edits: an edit runs, a command asks", args: []string{"-m", "auto-accept-edits", "--policy", policy},
			script: steps(writeCall("by-edit"), shellCall("touch by-command")), answers: []string{"decline"}, there: []string{"by-edit"}, absent: []string{"by-command"}, asks: 1, says: []string{"? 1  bash: touch by-command"}},
		{name: "auto-accept-edits of T3's list asks about edits, too", args: []string{"-m", "auto-accept-edits"},
			script: steps(writeCall("by-edit")), answers: []string{"decline"}, absent: []string{"by-edit"}, asks: 1, says: []string{"? 1  edit: by-edit"}},
		{name: "plan: the plan agent runs, and T3's list asks where that agent denies", args: []string{"-m", "approval-required", "-i", "plan"},
			script: steps(writeCall("by-edit")), answers: []string{"decline"}, absent: []string{"by-edit"}, asks: 1, says: []string{"approval-required + plan", "wider than the policy (opencode.file-change.plan-edits-deny)", "? 1  edit: by-edit"}},
		{name: "full access: both run unasked", args: []string{"-m", "full-access"},
			script: steps(writeCall("by-edit"), shellCall("touch by-command")), there: []string{"by-edit", "by-command"}},
		{name: "full access: a call again and again", args: []string{"-m", "full-access"},
			script: scripted.Script{{Calls: []scripted.Call{shellCall("echo x >> by-loop"), shellCall("echo x >> by-loop"), shellCall("echo x >> by-loop"), shellCall("echo x >> by-loop")}}}, there: []string{"by-loop"}, says: []string{"doom_loop", "full access repeats calls unasked"}},
		{name: "a subagent's request comes to the same terminal", args: []string{"-m", "full-access"},
			script: steps(task), answers: []string{"accept"}, asks: 1, says: []string{"(a subagent asks)", "= 1  accepted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, f := range append(c.there, c.absent...) {
				os.Remove(filepath.Join(ws, f))
			}
			args := append([]string{"--url", h.Server.BaseURL(), "--workspace", ws}, c.args...)
			code, output := modegateRun(t, c.script, c.answers, args...)
			if code != c.code {
				t.Errorf("exit %d, want %d", code, c.code)
			}
			for _, f := range c.there {
				if _, err := os.Stat(filepath.Join(ws, f)); err != nil {
					t.Error(err)
				}
			}
			for _, f := range c.absent {
				if _, err := os.Stat(filepath.Join(ws, f)); err == nil {
					t.Errorf("%s is there", f)
				}
			}
			if n := strings.Count(output, "     answer: "); n != c.asks {
				t.Errorf("%d asks, want %d", n, c.asks)
			}
			rest := output
			for _, s := range c.says {
				_, after, ok := strings.Cut(rest, s)
				if !ok {
					t.Errorf("the output doesn't say %q there", s)
				}
				rest = after
			}
			if left, err := h.Server.Client(ws).PendingPermissions(t.Context()); err != nil || len(left) > 0 {
				t.Errorf("left waiting: %v %v", left, err)
			}
			if t.Failed() {
				t.Log(output)
			}
		})
	}
}

// childScript has a subagent read outside of the workspace, which its own agent
// asks about.
func childScript(t *testing.T) string {
	t.Helper()
	text, err := steps(scripted.Call{Tool: "read", Args: map[string]any{"filePath": "/etc/hostname"}}).Prompt()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var sessionLine = regexp.MustCompile(`--session (ses_\w+) continues it`)

// TestRunLiveContinues starts the real server itself, and continues a session
// under another mode, whose rules the session then has.
func TestRunLiveContinues(t *testing.T) {
	binary := livebin.Need(t, livebin.OpenCode)
	home := t.TempDir()
	model := scripted.Start()
	t.Cleanup(model.Close)
	config, err := livetest.Config(model.BaseURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	livetest.Write(t, filepath.Join(home, ".config", "opencode", "opencode.json"), string(config))
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "",
		"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
	} {
		t.Setenv(name, value)
	}
	ws := filepath.Join(home, "ws")
	livetest.Git(t, ws)
	begin := time.Now()
	code, output := modegateRun(t, steps(shellCall("touch by-first")), nil, "-m", "full-access", "--binary", binary, "--workspace", ws)
	t.Logf("the whole run took %v", time.Since(begin))
	id := sessionLine.FindStringSubmatch(output)
	if code != 0 || id == nil {
		t.Fatalf("exit %d:\n%s", code, output)
	}
	code, output = modegateRun(t, steps(shellCall("touch by-second")), []string{"decline"}, "-m", "approval-required", "--binary", binary, "--session", id[1])
	if code != 0 || strings.Count(output, "     answer: ") != 1 {
		t.Errorf("exit %d:\n%s", code, output)
	}
	for name, want := range map[string]bool{"by-first": true, "by-second": false} {
		if _, err := os.Stat(filepath.Join(ws, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
