package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/modegate/modegate/internal/scripted"
)

// place is where a live session runs: folders of its own, nothing of the machine.
type place struct {
	home, project, outside, tmp string
}

// newPlace makes a home without settings and a project under version control
// below root.
func newPlace(root string) (place, error) {
	p := place{filepath.Join(root, "home"), filepath.Join(root, "proj"), filepath.Join(root, "outside"), filepath.Join(root, "tmp")}
	if err := os.MkdirAll(p.tmp, 0o755); err != nil {
		return p, err
	}
	if err := p.fill(); err != nil {
		return p, err
	}
	// The agent runs commands in a login shell. Here it finds none but those of
	// the shell itself, so that nothing a call says can touch the machine.
	for _, name := range []string{".bash_profile", ".bashrc", ".profile"} {
		if err := write(filepath.Join(p.home, name), "export PATH=/nonexistent\n"); err != nil {
			return p, err
		}
	}
	git := exec.Command("git", "init", "-q", p.project)
	git.Env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH")}
	if out, err := git.CombinedOutput(); err != nil {
		return p, fmt.Errorf("git init: %w: %s", err, out)
	}
	return p, nil
}

// fill writes the files that calls work on, again before each call.
func (p place) fill() error {
	return errors.Join(write(filepath.Join(p.project, "src/a.txt"), "hello\n"), write(filepath.Join(p.outside, "o.txt"), "o\n"))
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// session is one live session of the real agent.
type session struct {
	*peer
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
func open(bin string, model *scripted.Server, p place, s setup) (*session, error) {
	at := slices.Index(s.argv, "agent") + 1
	argv := slices.Clone(s.argv[:at])
	argv = append(argv, "--no-leader", "--xai-api-base-url", model.BaseURL(), "--cli-chat-proxy-base-url", model.BaseURL())
	argv = append(argv, s.argv[at:]...)
	cmd := exec.Command(bin, argv...)
	cmd.Dir = p.project
	cmd.Env = []string{"HOME=" + p.home, "TMPDIR=" + p.tmp, "PATH=" + p.tmp, "XAI_API_KEY=dummy-not-a-key", "NO_PROXY=*"}
	out := &session{place: p, reply: "reject_once"}
	var err error
	if out.peer, err = startPeer(cmd, out.respond); err != nil {
		return nil, err
	}
	if err := out.begin(s); err != nil {
		out.stop()
		return nil, err
	}
	return out, nil
}

// callTimeout bounds one request of the protocol.
const callTimeout = 60 * time.Second

func (s *session) begin(o setup) error {
	_, err := s.call("initialize", map[string]any{
		"protocolVersion":    1,
		"clientCapabilities": map[string]any{"fs": map[string]bool{"readTextFile": false, "writeTextFile": false}, "terminal": false},
		"clientInfo":         map[string]string{"name": "modegate", "version": "0"},
	}, callTimeout)
	if err != nil {
		return err
	}
	if _, err := s.call("authenticate", map[string]any{"methodId": "xai.api_key"}, callTimeout); err != nil {
		return err
	}
	start := map[string]any{"cwd": s.place.project, "mcpServers": []any{}}
	if len(o.meta) > 0 {
		start["_meta"] = o.meta
	}
	result, err := s.call("session/new", start, callTimeout)
	if err != nil {
		return err
	}
	var created struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(result, &created); err != nil {
		return err
	}
	s.id = created.SessionID
	if o.mode != "" {
		_, err = s.call("session/set_mode", map[string]any{"sessionId": s.id, "modeId": o.mode}, callTimeout)
	}
	return err
}

// stop ends the agent, and removes the empty folder that it leaves in /tmp
// wherever its own temporary folder is.
func (s *session) stop() {
	s.peer.stop()
	if s.id != "" {
		os.Remove(filepath.Join("/tmp/sessions", s.id))
	}
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

// failed is the word of a call that wasn't answered.
const failed = "error"

// do lets the model make one tool call, and tells what came of it.
func (s *session) do(tool string, input map[string]any) outcome {
	if err := s.place.fill(); err != nil {
		return outcome{word: failed, text: err.Error()}
	}
	prompt, err := scripted.Script{{Calls: []scripted.Call{{Tool: tool, Args: input}}}}.Prompt()
	if err != nil {
		return outcome{word: failed, text: err.Error()}
	}
	_, s.mark = s.since(0)
	_, err = s.call("session/prompt", map[string]any{
		"sessionId": s.id, "prompt": []any{map[string]string{"type": "text", "text": prompt}},
	}, callTimeout)
	seen, _ := s.since(s.mark)
	out := judge(seen)
	if err != nil {
		out.word, out.text = failed, err.Error()
	}
	return out
}
