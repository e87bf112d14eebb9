package opencode

import (
	"fmt"
	"slices"

	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/internal/strictjson"
)

// Facts are what only this dialect needs to know of a session.
type Facts struct {
	// Worktree is the root of the git repository that the workspace lies in, the
	// workspace itself when empty. "/" says that there is no repository.
	Worktree string `json:"worktree,omitempty"`
}

// place is where a session stands. Paths are taken lexically: 1.x doesn't follow
// links.
type place struct {
	oc.Place
	assumed []string
}

func placeOf(env evaluator.Env) (place, error) {
	var f Facts
	if len(env.Facts) > 0 {
		if err := strictjson.Decode(env.Facts, &f); err != nil {
			return place{}, fmt.Errorf("facts: %w", err)
		}
	}
	p := place{Place: oc.Place{Directory: paths.UnknownWorkspace, Home: paths.Home(env.Home, "~")}}
	if env.Workspace != "" {
		p.Directory = paths.Abs("/", env.Workspace)
	}
	p.Worktree = f.Worktree
	if p.Worktree == "" {
		p.Worktree = p.Directory
		p.assumed = append(p.assumed, "the workspace is the root of its git repository")
	}
	if !paths.Within(p.Worktree, p.Directory) {
		return place{}, fmt.Errorf("facts: the workspace %s doesn't lie in the worktree %s", p.Directory, p.Worktree)
	}
	return p, nil
}

// text is a path as read and edit requests name it: relative to the worktree,
// which without a repository is "/".
func (p place) text(path string) string { return paths.Rel(p.Worktree, path) }

// shellNames are the commands whose words 1.x looks at for folders outside.
var shellNames = []string{
	"cd", "pushd", "popd", "chdir", "push-location", "set-location",
	"rm", "cp", "mv", "mkdir", "touch", "chmod", "chown", "cat",
	"get-content", "set-content", "add-content", "copy-item", "move-item", "remove-item", "new-item", "rename-item",
}

// requests are what the tools of 1.x raise for an Action, in their order, and
// the permission that must not be hidden for the tool to be offered.
func (p place) requests(a evaluator.Action) (out []oc.Request, tool string, err error) {
	switch a.Kind {
	case evaluator.Command:
		return p.command(a), "bash", nil
	case evaluator.FileRead:
		return p.read(a.Path), "read", nil
	case evaluator.FileChange:
		return p.change(a), "edit", nil
	case evaluator.WebFetch:
		return plain("webfetch", a.URL), "webfetch", nil
	case evaluator.WebSearch:
		return plain("websearch", a.Query), "websearch", nil
	case evaluator.MCPTool:
		name := oc.ToolName(a.Server, a.Tool)
		return plain(name, "*"), name, nil
	case evaluator.Subagent:
		return plain("task", a.Agent), "task", nil
	case evaluator.Question:
		return nil, "question", nil // never asked about, only hidden
	case evaluator.Native:
		q, err := decodeRequest(a.Request)
		return []oc.Request{q}, "", err
	}
	return nil, "", fmt.Errorf("OpenCode 1.x has no tool for a %s", a.Kind)
}

func plain(permission, text string) []oc.Request {
	return []oc.Request{{Action: permission, Resources: oc.Texts(text)}}
}

// command asks once for the folders outside and once for the commands that were
// found. A text without commands isn't asked about.
func (p place) command(a evaluator.Action) []oc.Request {
	cwd := paths.Abs(p.Directory, a.Cwd)
	s := oc.ReadShell(a.Command)
	folders := p.External(s, cwd, shellNames)
	if why := p.Unplaced(s, shellNames); why != "" {
		out := []oc.Request{{Action: "external_directory", Doubt: why, Maybe: true}}
		if len(s.Texts) > 0 {
			out = append(out, oc.Request{Action: "bash", Resources: oc.Texts(s.Texts...)})
		}
		return out
	}
	if s.Doubt != "" {
		return []oc.Request{
			{Action: "external_directory", Resources: folders, Doubt: s.Doubt, Maybe: len(folders) == 0},
			{Action: "bash", Doubt: s.Doubt, Maybe: true},
		}
	}
	var out []oc.Request
	if len(folders) > 0 {
		out = append(out, oc.Request{Action: "external_directory", Resources: folders})
	}
	if len(s.Texts) > 0 {
		out = append(out, oc.Request{Action: "bash", Resources: oc.Texts(s.Texts...)})
	}
	return out
}

// file asks for the folder that a file outside lies in, then for the file. "~"
// is a name like any other here.
func (p place) file(permission, file string) []oc.Request {
	path := paths.Abs(p.Directory, file)
	out := []oc.Request{{Action: permission, Resources: oc.Texts(p.text(path))}}
	if !p.Inside(path) {
		out = slices.Insert(out, 0, oc.Request{Action: "external_directory", Resources: oc.Texts(p.FileText(path))})
	}
	return out
}

// read is file for the read tool, which reads folders, too: one outside is named
// by itself.
func (p place) read(file string) []oc.Request {
	out := p.file("read", file)
	if path := paths.Abs(p.Directory, file); len(out) > 1 && p.Folder(path) {
		out[0].Resources = []oc.Resource{p.DirText(path)}
	}
	return out
}

// change asks about the file that is changed. Where a patch moves it to is asked
// about only if it lies outside.
func (p place) change(a evaluator.Action) []oc.Request {
	out := p.file("edit", a.Path)
	if a.To == "" {
		return out
	}
	to := paths.Abs(p.Directory, a.To)
	if p.Inside(to) {
		return out
	}
	return slices.Insert(out, len(out)-1, oc.Request{Action: "external_directory", Resources: oc.Texts(p.FileText(to))})
}
