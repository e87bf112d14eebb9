package codex_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters/codex"
	"github.com/modegate/modegate/adapters/evidence/evidencetest"
	"github.com/modegate/modegate/internal/livebin"
)

// TestLiveSplit asks the real agent how it takes scripts apart, those of
// TestSplitScript and random ones. Nothing runs: each script is put before a person,
// who is offered a rule of exactly the words of the first command that no rule
// allows, and declines. But for one, which a rule for another command lets run.
func TestLiveSplit(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a real agent")
	}
	bin := livebin.Need(t, livebin.Codex)
	const rules = `prefix_rule(pattern=["true"], decision="allow")` + "\n"
	a := startAgent(t, bin, rules)
	hole := liveRow{Approval: "untrusted", Sandbox: "readOnly", Reviewer: "user", Mode: "default", Rules: rules, Action: map[string]any{"tool": "exec_command", "cmd": "true\n\\\ntouch hole.txt"}}
	if got := a.live(hole); got != hole.ours(t).Outcome || got != "runs-unsandboxed" {
		t.Errorf("%s: real %s, ours %s", hole, got, hole.ours(t).Outcome)
	} else if _, err := os.Stat(filepath.Join(a.base, "ws", "hole.txt")); err != nil {
		t.Errorf("what a rule for another command lets run wrote nothing: %v", err)
	}
	r := rand.New(rand.NewPCG(2026, 12))
	scripts := codex.SplitScripts()
	for range 60 {
		scripts = append(scripts, randomScript(r))
	}
	scripts = slices.DeleteFunc(scripts, func(s string) bool {
		return strings.TrimSpace(s) == "" || strings.Contains(s, "\x00") || codex.Intercepted(s) // refused before anybody is asked
	})
	cases, wrong := 0, 0
	for batch := range slices.Chunk(scripts, 50) {
		for i, got := range a.units(batch) {
			var want []string
			for _, u := range codex.Units("/bin/bash", batch[i]) {
				if u[0] != "true" {
					want = u
					break
				}
			}
			cases++
			if !slices.Equal(got, want) {
				wrong++
				t.Errorf("%q: real %q, ours %q", batch[i], got, want)
			}
		}
	}
	evidencetest.Record(t, "codex/0.171.0/split", livebin.Codex, cases, wrong)
}

// units are the first commands of scripts that no rule allows.
func (a *agent) units(scripts []string) [][]string {
	a.t.Helper()
	settings := map[string]any{"cwd": filepath.Join(a.base, "ws"), "ephemeral": true, "sandbox": "read-only", "approvalPolicy": "untrusted", "approvalsReviewer": "user"}
	var thread struct{ Thread struct{ ID string } }
	if err := json.Unmarshal(a.call("thread/start", settings), &thread); err != nil {
		a.t.Fatal(err)
	}
	asked := make(chan int, len(scripts)) // the scripts that the model has sent
	var calls []func(string) map[string]any
	for i, s := range scripts {
		calls = append(calls, func(string) map[string]any {
			asked <- i
			return call("exec_command", map[string]any{"cmd": s})
		})
	}
	a.model.next(calls...)
	a.calls++
	a.send(map[string]any{"id": a.calls, "method": "turn/start", "params": map[string]any{
		"threadId": thread.Thread.ID, "input": []any{map[string]any{"type": "text", "text": "do it"}},
		"approvalPolicy": "untrusted", "approvalsReviewer": "user", "sandboxPolicy": map[string]any{"type": "readOnly"},
	}})
	out := make([][]string, len(scripts))
	at := -1
	for {
		m := a.receive()
		switch {
		case m.ID != nil && m.Method != "":
			for more := true; more; {
				select {
				case at = <-asked:
				default:
					more = false
				}
			}
			var p struct {
				Words []string `json:"proposedExecpolicyAmendment"`
			}
			if err := json.Unmarshal(m.Params, &p); err != nil {
				a.t.Fatal(err)
			}
			out[at] = p.Words
			a.send(map[string]any{"id": m.ID, "result": map[string]any{"decision": "decline"}})
		case m.Error != nil:
			a.t.Fatalf("turn/start: %s", m.Error)
		case m.Method == "turn/completed" && strings.Contains(string(m.Params), thread.Thread.ID):
			return out
		}
	}
}

// randomScript strings together what scripts are made of, in and out of place.
func randomScript(r *rand.Rand) string {
	of := func(list ...string) string { return list[r.IntN(len(list))] }
	piece := func() string {
		return of("a", "x.y", "-f", "--", "'q r'", `"d e"`, `"a\nb"`, `"a\"b"`, `"$X"`, `"`, `'`, `\`, "=", "$", "*", "[", "{", "~", "#", "!", "%", "@", "^", "+", ",", ":", "/", "é", "\u00a0", "\u2028", "12", "\\\n", "\\ ", "\r", "\f", "$(a)", "''", "&", ">", "|", ";", "(", "\n", "😀", "if", "then", "done", "2>&1", "<<E")
	}
	s := of("", "", "true && ", "true; ", "true\n", "true\n\\\n", "true |\n", "\n", "\t")
	for range 1 + r.IntN(3) {
		s += of("ls", "git", "rm", "./x", "/bin/ls", "test", "[", "let", "time", "coproc", "unset", "export", ":", "true", "while", "then", "é", "a-b", "a@b", "-1", "0x1", "1a", "A=1", "bash -c", "cd", "!", "esac", "}")
		for range r.IntN(4) {
			s += of(" ", " ", "  ", "\t", " \\\n", "\\\n", "") + piece() + of("", "", piece())
		}
		s += of(" && ", "; ", " || ", " | ", "\n", ";", "\n\n", " &&\n ", " & ", "\r\n", "\n\\\n", "\n \\\n")
	}
	return strings.TrimRight(s, of("", " |&;\n", "\n")) + of("", "", "\n", ";", "\\\n", " #")
}
