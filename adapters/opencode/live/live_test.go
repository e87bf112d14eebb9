package live_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/internal/livebin"
	"github.com/modegate/modegate/internal/scripted"
)

func rule(permission, pattern, action string) live.Rule {
	return live.Rule{Permission: permission, Pattern: pattern, Action: action}
}

// bash is a script of one bash call.
func bash(command string) scripted.Script {
	return scripted.Script{{Calls: []scripted.Call{{ID: "call", Tool: "bash", Args: args{"command": command, "description": "d", "timeout": 5000}}}}}
}

// newSession makes a session with rules.
func newSession(t *testing.T, p *livetest.Place, rules ...live.Rule) live.Session {
	t.Helper()
	s, err := p.Client.CreateSession(t.Context(), live.NewSession{Permission: rules})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestLoop shows the smallest things of the real agent loop: an ask that is
// answered, one that is rejected, a deny, a question, and the lists about them.
func TestLoop(t *testing.T) {
	h := livetest.Start(t, livetest.Options{})
	ws := livetest.Workspace(t, h.Root)
	p := h.In(ws)
	version, err := p.Client.Version(t.Context())
	if err != nil || version != livebin.OpenCode.Version {
		t.Fatalf("version %q, %v", version, err)
	}

	t.Run("once", func(t *testing.T) {
		s := newSession(t, p, rule("*", "*", "ask"))
		turn := p.Run(s.ID, bash("touch once.txt"), live.Prompt{}, livetest.Always(live.Reply{Reply: live.ReplyOnce}))
		if len(turn.Asks) != 1 || turn.Asks[0].Permission != "bash" || turn.Calls["call"].State.Status != live.CallCompleted || !exists(filepath.Join(ws, "once.txt")) {
			t.Errorf("%+v", turn)
		}
		pending, err := p.Client.PendingPermissions(t.Context())
		if err != nil || len(pending) != 0 {
			t.Error(pending, err)
		}
		if err := p.Client.ReplyPermission(t.Context(), turn.Asks[0].ID, live.Reply{Reply: live.ReplyOnce}); !live.IsNotFound(err) {
			t.Errorf("a second reply: %v", err)
		}
	})
	t.Run("reject", func(t *testing.T) {
		s := newSession(t, p, rule("*", "*", "ask"))
		turn := p.Run(s.ID, bash("touch reject.txt"), live.Prompt{}, livetest.Always(live.Reply{Reply: live.ReplyReject, Message: "not this"}))
		call := turn.Calls["call"]
		if len(turn.Asks) != 1 || call.State.Status != live.CallFailed || !strings.Contains(call.State.Error, "not this") || exists(filepath.Join(ws, "reject.txt")) {
			t.Errorf("%+v", turn)
		}
	})
	t.Run("deny", func(t *testing.T) {
		s := newSession(t, p, rule("*", "*", "allow"), rule("bash", "*", "deny"), rule("bash", "ls *", "allow"))
		turn := p.Run(s.ID, bash("ls && touch deny.txt"), live.Prompt{}, livetest.Answers{})
		call := turn.Calls["call"]
		if len(turn.Asks) != 0 || call.State.Status != live.CallFailed || !strings.Contains(call.State.Error, "rule") || exists(filepath.Join(ws, "deny.txt")) {
			t.Errorf("%+v", turn)
		}
	})
	t.Run("hidden", func(t *testing.T) {
		s := newSession(t, p, rule("bash", "*", "deny"))
		turn := p.Run(s.ID, bash("ls"), live.Prompt{}, livetest.Answers{})
		if call := turn.Calls["call"]; call.Tool != "invalid" || call.State.Status != live.CallCompleted {
			t.Errorf("%+v", call)
		}
	})
	t.Run("question", func(t *testing.T) {
		s := newSession(t, p)
		ask := args{"questions": []any{args{"question": "Which?", "header": "H", "options": []any{args{"label": "A", "description": "a"}}}}}
		script := scripted.Script{{Calls: []scripted.Call{{ID: "call", Tool: "question", Args: ask}}}}
		turn := p.Run(s.ID, script, live.Prompt{}, livetest.Answers{Question: func(live.QuestionRequest) [][]string { return [][]string{{"A"}} }})
		if len(turn.Questions) != 1 || turn.Questions[0].Questions[0].Options[0].Label != "A" || !strings.Contains(turn.Calls["call"].State.Output, "A") {
			t.Errorf("%+v", turn)
		}
		pending, err := p.Client.PendingQuestions(t.Context())
		if err != nil || len(pending) != 0 {
			t.Error(pending, err)
		}
	})
	t.Run("rules", func(t *testing.T) {
		s := newSession(t, p, rule("bash", "*", "ask"))
		if _, err := p.Client.AddRules(t.Context(), s.ID, []live.Rule{rule("bash", "*", "ask"), rule("edit", "x", "deny")}); err != nil {
			t.Fatal(err)
		}
		got, err := p.Client.Session(t.Context(), s.ID)
		if err != nil || len(got.Permission) != 3 || got.Directory != ws {
			t.Errorf("%+v, %v", got, err)
		}
		if err := p.Client.Abort(t.Context(), s.ID); err != nil {
			t.Error(err)
		}
		if err := p.Client.DeleteSession(t.Context(), s.ID); err != nil {
			t.Error(err)
		}
		if _, err := p.Client.Session(t.Context(), s.ID); !live.IsNotFound(err) {
			t.Errorf("a deleted session: %v", err)
		}
	})
	t.Run("about", func(t *testing.T) {
		paths, err := p.Client.Paths(t.Context())
		if err != nil || paths.Worktree != ws || paths.Directory != ws || paths.Home != h.Home {
			t.Errorf("%+v, %v", paths, err)
		}
		agents, err := p.Client.Agents(t.Context())
		if err != nil || len(agents) < 3 || len(agents[0].Permission) == 0 {
			t.Errorf("%+v, %v", agents, err)
		}
		config, err := p.Client.Config(t.Context())
		if err != nil || !strings.Contains(string(config), livetest.PatchModel) {
			t.Errorf("%s, %v", config, err)
		}
	})
	// A server that was started here answers nobody without its password.
	t.Run("password", func(t *testing.T) {
		for _, password := range []string{"", "wrong"} {
			_, err := live.NewClient(h.Server.BaseURL(), password, ws).PendingPermissions(t.Context())
			if err == nil || !strings.Contains(err.Error(), "401") {
				t.Errorf("password %q: %v", password, err)
			}
		}
	})
}
