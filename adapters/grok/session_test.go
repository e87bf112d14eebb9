package grok_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modegate/modegate/internal/scripted"
)

// place is where a live session runs: folders of its own, nothing of the machine.
type place struct {
	home, project, outside, tmp string
}

// newPlace makes a home without settings and a project under version control.
func newPlace(t testing.TB) place {
	t.Helper()
	root := t.TempDir()
	p := place{filepath.Join(root, "home"), filepath.Join(root, "proj"), filepath.Join(root, "outside"), filepath.Join(root, "tmp")}
	if err := os.MkdirAll(p.tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	p.fill(t)
	// The agent runs commands in a login shell. Here it finds none but those of
	// the shell itself, so that nothing a call says can touch the machine.
	for _, name := range []string{".bash_profile", ".bashrc", ".profile"} {
		p.write(t, filepath.Join(p.home, name), "export PATH=/nonexistent\n")
	}
	git := exec.Command("git", "init", "-q", p.project)
	git.Env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH")}
	if out, err := git.CombinedOutput(); err != nil {
		t.Skipf("git init: %v: %s", err, out)
	}
	return p
}

// fill writes the files that calls work on, again before each call.
func (p place) fill(t testing.TB) {
	t.Helper()
	p.write(t, filepath.Join(p.project, "src/a.txt"), "hello\n")
	p.write(t, filepath.Join(p.outside, "o.txt"), "o\n")
}

func (p place) write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// session is one live session of the real agent.
type session struct {
	*peer
	t     testing.TB
	place place
	id    string
	reply string // the kind of option that a permission request is answered with
	mark  int
}

// setup is what a session is started with.
type setup struct {
	argv []string
	meta map[string]any
	mode string // for session/set_mode, "" when it isn't called
}

// open starts the agent in the place, against a scripted model.
func open(t testing.TB, bin string, model *scripted.Server, p place, s setup) *session {
	t.Helper()
	at := slices.Index(s.argv, "agent") + 1
	argv := slices.Clone(s.argv[:at])
	argv = append(argv, "--no-leader", "--xai-api-base-url", model.BaseURL(), "--cli-chat-proxy-base-url", model.BaseURL())
	argv = append(argv, s.argv[at:]...)
	cmd := exec.Command(bin, argv...)
	cmd.Dir = p.project
	cmd.Env = []string{"HOME=" + p.home, "TMPDIR=" + p.tmp, "PATH=" + p.tmp, "XAI_API_KEY=dummy-not-a-key", "NO_PROXY=*"}
	out := &session{t: t, place: p}
	out.peer = startPeer(t, cmd, out.respond)
	out.must("initialize", map[string]any{
		"protocolVersion":    1,
		"clientCapabilities": map[string]any{"fs": map[string]bool{"readTextFile": false, "writeTextFile": false}, "terminal": false},
		"clientInfo":         map[string]string{"name": "modegate", "version": "0"},
	})
	out.must("authenticate", map[string]any{"methodId": "xai.api_key"})
	start := map[string]any{"cwd": p.project, "mcpServers": []any{}}
	if len(s.meta) > 0 {
		start["_meta"] = s.meta
	}
	var created struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(out.must("session/new", start), &created); err != nil {
		t.Fatal(err)
	}
	out.id = created.SessionID
	t.Cleanup(out.stop)
	if s.mode != "" {
		out.must("session/set_mode", map[string]any{"sessionId": out.id, "modeId": s.mode})
	}
	return out
}

// stop ends the agent, and removes the empty folder that it leaves in /tmp
// wherever its own temporary folder is.
func (s *session) stop() {
	s.peer.stop()
	if s.id != "" {
		os.Remove(filepath.Join("/tmp/sessions", s.id))
	}
}

func (s *session) must(method string, params any) json.RawMessage {
	s.t.Helper()
	result, err := s.call(method, params, 60*time.Second)
	if err != nil {
		s.t.Fatal(err)
	}
	return result
}

// respond answers the agent's own requests: an approval by kind, a question and
// the end of a plan as cancelled.
func (s *session) respond(method string, params json.RawMessage) any {
	cancelled := map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}
	switch method {
	case "session/request_permission":
		var ask struct {
			Options []struct {
				ID   string `json:"optionId"`
				Kind string `json:"kind"`
			} `json:"options"`
		}
		if json.Unmarshal(params, &ask) != nil {
			return cancelled
		}
		for _, o := range ask.Options {
			if o.Kind == s.reply {
				return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": o.ID}}
			}
		}
		return cancelled
	case "_x.ai/ask_user_question", "_x.ai/exit_plan_mode":
		return map[string]any{"outcome": "cancelled"}
	}
	return nil
}

// outcome is what the agent did with one call, in the words of the case file.
type outcome struct {
	word string
	kind string // the ToolKind of a permission request
	text string // what the tool call ended with
}

var (
	refusal    = regexp.MustCompile(`(?i)denied|blocked|not allowed|permission|reject|plan mode`)
	classifier = regexp.MustCompile(`(?i)classifier|auto mode`)
)

// do lets the model make one tool call, and tells what came of it.
func (s *session) do(tool string, input map[string]any) outcome {
	s.t.Helper()
	s.place.fill(s.t)
	if s.reply == "" {
		s.reply = "reject_once"
	}
	prompt, err := scripted.Script{{Calls: []scripted.Call{{Tool: tool, Args: input}}}}.Prompt()
	if err != nil {
		s.t.Fatal(err)
	}
	_, s.mark = s.since(0)
	_, err = s.call("session/prompt", map[string]any{
		"sessionId": s.id, "prompt": []any{map[string]string{"type": "text", "text": prompt}},
	}, 40*time.Second)
	seen, _ := s.since(s.mark)
	out := judge(seen)
	if err != nil {
		out.word, out.text = "error", err.Error()
	}
	return out
}

// judge reads a turn's messages.
func judge(seen []message) outcome {
	var out outcome
	var status string
	for _, m := range seen {
		switch m.Method {
		case "session/request_permission":
			var ask struct {
				ToolCall struct {
					Kind string `json:"kind"`
				} `json:"toolCall"`
			}
			json.Unmarshal(m.Params, &ask)
			return outcome{word: "ask", kind: ask.ToolCall.Kind}
		case "_x.ai/ask_user_question":
			return outcome{word: "question"}
		case "_x.ai/exit_plan_mode":
			return outcome{word: "plan-exit"}
		case "session/update":
			var u struct {
				Update struct {
					SessionUpdate string          `json:"sessionUpdate"`
					Status        string          `json:"status"`
					RawOutput     json.RawMessage `json:"rawOutput"`
					Content       json.RawMessage `json:"content"`
				} `json:"update"`
			}
			json.Unmarshal(m.Params, &u)
			if !strings.HasPrefix(u.Update.SessionUpdate, "tool_call") {
				continue
			}
			if u.Update.Status != "" {
				status = u.Update.Status
			}
			if text := string(u.Update.RawOutput) + string(u.Update.Content); text != "" {
				out.text = text
			}
		}
	}
	switch {
	case status == "completed":
		out.word = "allow"
	case status != "failed":
		out.word = "none:" + status
	case classifier.MatchString(out.text):
		out.word = "review"
	case refusal.MatchString(out.text):
		out.word = "deny"
	default:
		out.word = "allow" // it ran, and failed
	}
	return out
}
