package codex_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/codex"
	"github.com/modegate/modegate/adapters/evidence/evidencetest"
	"github.com/modegate/modegate/internal/livebin"
)

// liveRow is one question to the real agent.
type liveRow struct {
	Approval  any
	Sandbox   string // sandboxPolicy type
	Reviewer  string
	Mode      string
	Rules     string
	Action    map[string]any // as in the corpus
	Workspace string
}

func (r liveRow) String() string {
	return fmt.Sprintf("%v %s %s %s %v rules %q", r.Approval, r.Sandbox, r.Reviewer, r.Mode, r.Action, r.Rules)
}

// ours is what we say about the row.
func (r liveRow) ours(t *testing.T) codex.Answer {
	t.Helper()
	raw := func(v any) jsontext.Value {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return jsontext.Value(b)
	}
	a, err := codex.Case{
		Approval: raw(r.Approval), SandboxPolicy: raw(map[string]any{"type": r.Sandbox}), Reviewer: r.Reviewer,
		CollaborationMode: r.Mode, Rules: &r.Rules, Action: raw(r.Action),
	}.Judge()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var marks = regexp.MustCompile(`@@MARK (\d) (\S*)@@`)

// outcome classifies a turn in the words of the corpus.
func (s seen) outcome(full bool) string {
	asked := len(s.asks) > 0 && !strings.HasPrefix(s.asks[0], "retry ")
	run := ""
	if all := marks.FindAllStringSubmatch(s.told, -1); all != nil {
		run = "runs-unsandboxed"
		if m := all[0]; m[1] == "1" || m[2] == "codex" {
			run = "runs-sandboxed"
		}
	}
	for _, i := range s.items {
		if i == "fileChange" && run == "" {
			run = "runs-sandboxed"
			if full {
				run = "runs-unsandboxed"
			}
		}
	}
	if strings.Contains(s.told, "stub ran") {
		run = "runs-unsandboxed"
	}
	if run == "" && slices.Contains(s.items, "commandExecution") && !strings.HasPrefix(s.told, "exec_command failed") {
		run = "runs" // no login shell, so that nothing marks where
	}
	switch {
	case asked:
		return "asks-user"
	case s.reviews > 0 && len(s.asks) == 0:
		return "auto-reviewer"
	case len(s.asks) > 0: // a retry
		return "runs-sandboxed"
	case run == "":
		return "rejected"
	}
	return run
}

// live asks the real agent. Paths of the corpus are moved to the agent's folders.
func (a *agent) live(r liveRow) string {
	a.resetWorkspace()
	word := map[string]string{"readOnly": "read-only", "workspaceWrite": "workspace-write", "dangerFullAccess": "danger-full-access"}[r.Sandbox]
	settings := map[string]any{"approvalPolicy": r.Approval, "approvalsReviewer": r.Reviewer}
	start := map[string]any{"cwd": filepath.Join(a.base, "ws"), "ephemeral": true, "sandbox": word}
	turn := map[string]any{
		"sandboxPolicy":     map[string]any{"type": r.Sandbox},
		"collaborationMode": map[string]any{"mode": r.Mode, "settings": map[string]any{"model": "mock-model"}},
	}
	for k, v := range settings {
		start[k], turn[k] = v, v
	}
	var thread struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	}
	if err := json.Unmarshal(a.call("thread/start", start), &thread); err != nil {
		a.t.Fatal(err)
	}
	tool := r.Action["tool"].(string)
	args := map[string]any{}
	for k, v := range r.Action {
		if s, ok := v.(string); ok {
			v = strings.ReplaceAll(strings.ReplaceAll(s, "/srv/ws", filepath.Join(a.base, "ws")), "/srv/outside", filepath.Join(a.base, "outside"))
		}
		if k != "tool" {
			args[k] = v
		}
	}
	switch tool {
	case "apply_patch":
		tool = "exec_command"
	case "request_user_input":
		args["questions"] = []any{map[string]any{"id": "q1", "header": "H", "question": "Which?", "options": []any{
			map[string]any{"label": "A", "description": "a"}, map[string]any{"label": "B", "description": "b"},
		}}}
	}
	s := a.turn(thread.Thread.ID, turn, func(string) map[string]any { return call(tool, args) })
	out := s.outcome(r.Sandbox == "dangerFullAccess")
	if testing.Verbose() && os.Getenv("MODEGATE_LIVE_TRACE") != "" {
		a.t.Logf("%s\n -> %s asks %v reviews %d items %v\n%s", r, out, s.asks, s.reviews, s.items, s.told)
	}
	return out
}

// tally counts what the real agent was asked and where we parted.
type tally struct{ cases, disagreements int }

// TestLiveDecisions asks the real agent: a sample of the corpus again, random
// rows, and the tools that the corpus doesn't have.
func TestLiveDecisions(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a real agent")
	}
	bin := livebin.Need(t, livebin.Codex)
	var total tally
	t.Run("corpus", func(t *testing.T) { total.corpus(t, bin) })
	t.Run("matrix", func(t *testing.T) { total.matrix(t, bin) })
	t.Run("tools", func(t *testing.T) { total.tools(t, bin) })
	evidencetest.Record(t, "codex/0.171.0/decisions", livebin.Codex, total.cases, total.disagreements)
}

// corpus asks 100 rows again, one agent for each text of rules. Every answer must
// be the recorded one and ours.
func (total *tally) corpus(t *testing.T, bin string) {
	data, err := os.ReadFile("../../testdata/codex/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			ID                string
			ApprovalPolicy    any
			SandboxPolicy     struct{ Type string }
			ApprovalsReviewer string
			CollaborationMode string
			Rules             string
			Action            map[string]any
			Outcome           string
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2026, 11))
	r.Shuffle(len(file.Cases), func(i, j int) { file.Cases[i], file.Cases[j] = file.Cases[j], file.Cases[i] })
	agents := map[string]*agent{}
	asked := 0
	for _, c := range file.Cases {
		if asked == 100 {
			break
		}
		// The reviewer's part in a retry can't be told from the outside here.
		if c.ApprovalsReviewer != "user" && c.Outcome == "runs-sandboxed" {
			continue
		}
		if agents[c.Rules] == nil {
			agents[c.Rules] = startAgent(t, bin, c.Rules)
		}
		row := liveRow{Approval: c.ApprovalPolicy, Sandbox: c.SandboxPolicy.Type, Reviewer: c.ApprovalsReviewer, Mode: c.CollaborationMode, Rules: c.Rules, Action: c.Action}
		got := agents[c.Rules].live(row)
		asked++
		total.cases++
		if ours := row.ours(t).Outcome; got != c.Outcome || got != ours {
			total.disagreements++
			t.Errorf("%s %s:\n real %s, recorded %s, ours %s", c.ID, row, got, c.Outcome, ours)
		}
	}
}
