package opencode2

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// shellNames are the commands whose words 2.0 looks at for folders outside:
// only those that change the folder (source read 2026-11-30).
var shellNames = []string{"cd", "pushd", "popd", "chdir", "push-location", "set-location"}

// requests are what 2.0's tools raise for an Action, in their order. tool is
// the permission that must not be hidden for the tool to be offered. assumed
// lists what isn't known of the session.
func requests(a evaluator.Action, env evaluator.Env) (out []opencode.Request, tool string, err error) {
	place := placeOf(env)
	switch a.Kind {
	case evaluator.Command:
		return command(a, place), "shell", nil
	case evaluator.FileRead:
		return file("read", place, env, a.Path), "read", nil
	case evaluator.FileChange:
		files := []string{a.Path}
		if a.To != "" {
			files = append(files, a.To)
		}
		return file("edit", place, env, files...), "edit", nil
	case evaluator.WebFetch:
		return plain("webfetch", a.URL), "webfetch", nil
	case evaluator.WebSearch:
		return plain("websearch", a.Query), "websearch", nil
	case evaluator.MCPTool:
		name := opencode.ToolName(a.Server, a.Tool)
		return plain(name, "*"), name, nil
	case evaluator.Subagent:
		return plain("subagent", a.Agent), "subagent", nil
	case evaluator.Question:
		return plain("question", "*"), "question", nil
	case evaluator.Native:
		q, err := decodeRequest(a.Request)
		return []opencode.Request{q}, "", err
	}
	return nil, "", fmt.Errorf("OpenCode 2 has no tool for a %s", a.Kind)
}

func plain(action, text string) []opencode.Request {
	return []opencode.Request{{Action: action, Resources: opencode.Texts(text)}}
}

func placeOf(env evaluator.Env) opencode.Place {
	p := opencode.Place{Directory: paths.UnknownWorkspace, Home: paths.Home(env.Home, "~"), Links: env.Resolved}
	if env.Workspace != "" {
		p.Directory = paths.Abs("/", env.Workspace)
	}
	return p
}

// command asks once for the folders outside, then for every command that was
// found. When none was found, the whole text is asked about.
func command(a evaluator.Action, place opencode.Place) []opencode.Request {
	cwd := paths.Resolve(place.Directory, a.Cwd, place.Links)
	s := opencode.ReadShell(a.Command)
	external := opencode.Request{Action: "external_directory", Resources: place.External(s, cwd, shellNames)}
	if why := place.Unplaced(s, shellNames); why != "" {
		external = opencode.Request{Action: "external_directory", Doubt: why, Maybe: true}
	}
	shell := opencode.Request{Action: "shell", Resources: opencode.Texts(s.Texts...)}
	if s.Doubt != "" {
		external.Doubt, external.Maybe = s.Doubt, len(external.Resources) == 0
		shell.Doubt = s.Doubt
	} else if len(s.Texts) == 0 {
		shell.Resources = opencode.Texts(a.Command)
	}
	if len(external.Resources) == 0 && external.Doubt == "" {
		return []opencode.Request{shell}
	}
	return []opencode.Request{external, shell}
}

// file asks for the folders outside, then for the files: relative to the
// session's folder inside of it, the real path outside. Links are followed
// first (source read 2026-11-30).
func file(action string, place opencode.Place, env evaluator.Env, files ...string) []opencode.Request {
	var folders, texts []string
	for _, f := range files {
		real := paths.Resolve(place.Directory, f, env.Resolved)
		text := real
		switch {
		case real == place.Directory:
			text = "."
		case paths.Within(place.Directory, real):
			text = strings.TrimPrefix(real, strings.TrimSuffix(place.Directory, "/")+"/")
		default:
			folders = append(folders, place.FileText(real))
		}
		texts = append(texts, text)
	}
	out := []opencode.Request{{Action: action, Resources: opencode.Texts(unique(texts)...)}}
	if len(folders) > 0 {
		out = append([]opencode.Request{{Action: "external_directory", Resources: opencode.Texts(unique(folders)...)}}, out...)
	}
	return out
}

func unique(list []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
