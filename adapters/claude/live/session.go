package live

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/internal/scripted"
)

// setup is what calls must share to be made in one session.
type setup struct {
	Mode           *string                   `json:"mode"`
	Model          string                    `json:"model"`
	Rules          map[string]jsontext.Value `json:"rules"`
	Files          map[string]jsontext.Value `json:"files"`
	Args           []string                  `json:"args"`
	Hooks          jsontext.Value            `json:"hooks"`
	SettingSources *string                   `json:"setting_sources"`
	Env            map[string]string         `json:"env"`
	Cwd            string                    `json:"cwd"`
	SetMode        string                    `json:"set_mode_after_start"`
}

// session is a running binary with its model, MCP servers and folders.
type session struct {
	*process
	place  place
	model  *scripted.Messages
	mcp    []*scripted.MCP
	layout map[string][]string
	files  map[string]jsontext.Value
	hooks  string
	cwd    string // where the binary runs
	calls  int
}

// open starts the binary for a setup, in folders below root. The file fields
// layout and mcp hold for every case.
func open(ctx context.Context, bin, root string, s setup, layout map[string][]string, mcp map[string]map[string]map[string]any) (*session, error) {
	p, err := newPlace(root)
	if err != nil {
		return nil, err
	}
	out := &session{place: p, layout: layout, files: s.Files, hooks: string(s.Hooks), model: scripted.StartMessages()}
	if err := out.begin(ctx, bin, s, mcp); err != nil {
		out.close()
		return nil, err
	}
	return out, nil
}

func (s *session) begin(ctx context.Context, bin string, o setup, mcp map[string]map[string]map[string]any) error {
	env := s.place.environment(s.model.BaseURL(), o.Env)
	s.cwd = s.place.project
	if o.Cwd != "" {
		s.cwd = s.place.names.Replace(o.Cwd)
	}
	if err := s.place.lay(s.layout, s.cwd); err != nil {
		return err
	}
	if err := s.place.repository(env); err != nil {
		return err
	}
	if err := s.place.files(o.Files); err != nil {
		return err
	}
	args, err := s.args(o, mcp)
	if err != nil {
		return err
	}
	cmd := exec.Command(bin, args...)
	cmd.Env, cmd.Dir = env, s.cwd
	if s.process, err = start(cmd); err != nil {
		return err
	}
	if o.SetMode != "" {
		return s.control(ctx, map[string]any{"subtype": "set_permission_mode", "mode": o.SetMode})
	}
	return nil
}

// args is the command line of a setup.
func (s *session) args(o setup, mcp map[string]map[string]map[string]any) ([]string, error) {
	args := []string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--permission-prompt-tool", "stdio"}
	if o.Mode != nil {
		args = append(args, "--permission-mode", *o.Mode)
	}
	if o.Model == "" {
		o.Model = "claude-sonnet-4-5"
	}
	args = append(args, "--model", o.Model)
	own := true
	for _, a := range o.Args {
		own = own && a != "--settings"
	}
	if own {
		settings := map[string]any{"skipWebFetchPreflight": true}
		if o.Rules != nil {
			settings["permissions"] = o.Rules
		}
		if o.Hooks != nil {
			settings["hooks"] = o.Hooks
		}
		b, err := json.Marshal(settings)
		if err != nil {
			return nil, err
		}
		args = append(args, "--settings", s.place.names.Replace(string(b)))
	}
	if o.SettingSources != nil {
		args = append(args, "--setting-sources", *o.SettingSources)
	}
	for i, a := range o.Args {
		if i > 0 && o.Args[i-1] == "--mcp-config" {
			args = append(args, s.servers(mcp))
			continue
		}
		args = append(args, s.place.names.Replace(a))
	}
	return args, nil
}

// servers starts the MCP servers of the case file and names them in an
// --mcp-config: over HTTP, so that they need no program.
func (s *session) servers(mcp map[string]map[string]map[string]any) string {
	config := map[string]any{}
	for name, tools := range mcp {
		listed := map[string]map[string]any{}
		for tool, facts := range tools {
			more := map[string]any{}
			for k, v := range facts {
				if k == "_meta" {
					more[k] = v
				} else {
					more["annotations"] = map[string]any{k: v}
				}
			}
			listed[tool] = more
		}
		server := scripted.StartMCP(listed)
		s.mcp = append(s.mcp, server)
		config[name] = map[string]string{"type": "http", "url": server.URL()}
	}
	b, err := json.Marshal(map[string]any{"mcpServers": config})
	if err != nil {
		return "{}"
	}
	return string(b)
}

// close ends everything that was started, and removes the folders.
func (s *session) close() {
	if s.process != nil {
		s.stop()
	}
	for _, m := range s.mcp {
		m.Close()
	}
	s.model.Close()
	os.RemoveAll(s.place.root)
}

// callTimeout bounds one tool call; 0.1 s were measured on an idle machine.
const callTimeout = 60 * time.Second

// do makes the binary do one tool call in the folders of the layout. Its answer
// to whoever asks is no.
func (s *session) do(ctx context.Context, tool string, input map[string]any) (did, error) {
	if err := s.place.lay(s.layout, s.cwd); err != nil {
		return did{}, err
	}
	if err := s.place.files(s.files); err != nil {
		return did{}, err
	}
	if path, ok := input["file_path"].(string); ok && tool != "Read" {
		// Edit and Write want a file that is there to have been read first.
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.place.project, path)
		}
		if _, err := os.Stat(path); err == nil {
			if _, err := s.call(ctx, "Read", map[string]any{"file_path": path}, true); err != nil {
				return did{}, fmt.Errorf("reading first: %w", err)
			}
		}
	}
	return s.call(ctx, tool, input, false)
}

func (s *session) call(ctx context.Context, tool string, input map[string]any, approve bool) (did, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	s.calls++
	id := fmt.Sprintf("toolu_call_%d", s.calls)
	prompt, err := scripted.Script{{Calls: []scripted.Call{{ID: id, Tool: tool, Args: input}}}}.Prompt()
	if err != nil {
		return did{}, err
	}
	before := s.model.Classified()
	message := map[string]any{"role": "user", "content": prompt}
	if err := s.send(map[string]any{"type": "user", "message": message, "parent_tool_use_id": nil, "session_id": ""}); err != nil {
		return did{}, err
	}
	d := did{hooks: s.hooks}
	for {
		l, err := s.next(ctx)
		if err != nil {
			return d, err
		}
		d.take(l, id)
		switch {
		case l.Type == "control_request":
			mine := l.Request.Subtype == "can_use_tool" && l.Request.ToolUseID == id
			d.asked = d.asked || mine
			reply := map[string]any{"behavior": "deny", "message": "not now"}
			if mine && approve {
				reply = map[string]any{"behavior": "allow", "updatedInput": l.Request.Input}
			}
			if err := s.answer(l.RequestID, reply); err != nil {
				return d, err
			}
		case l.Type == "result" && d.result:
			d.classified = s.model.Classified() > before
			return d, nil
		}
	}
}

// spent reports whether a call may have changed what the session answers to
// others: a mode, a skill's grants, settings that the agent watches.
func spent(tool string, input map[string]any, d did) bool {
	if d.word() == "ask" || d.word() == "deny" || d.word() == "absent" {
		return false
	}
	path, _ := input["file_path"].(string)
	switch tool {
	case "Skill", "EnterPlanMode", "ExitPlanMode":
		return true
	}
	return d.classified || tool != "Read" && (strings.Contains(path, "/.claude") || strings.Contains(path, "/.git"))
}
