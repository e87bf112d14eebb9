package claude

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/policies"
)

// settingsReader reads settings files and collects what is wrong with them.
type settingsReader struct {
	filetree.Reader
	env   evaluator.Env
	facts Facts
}

func workspaceOf(env evaluator.Env) string {
	if env.Workspace == "" {
		return paths.UnknownWorkspace
	}
	return paths.Abs("/", env.Workspace)
}

// dropped is what the real agent does with a file that we refuse (measured on
// 2.1.332: comments, a comma too many, an unknown defaultMode, a text in place of a
// list; nobody is told).
const dropped = ": Claude drops the whole file then, its deny rules too"

// file reads one file. It is nil when the text isn't JSON.
func (r *settingsReader) file(in compiler.SettingsFile) *settingsFile {
	root, err := filetree.JSON(in.Name, in.Text, false)
	if err != nil {
		for _, p := range problems(err) {
			p.Message += dropped
			r.Problems = append(r.Problems, p)
		}
		return nil
	}
	f := &settingsFile{name: in.Name, root: root}
	var assumed string
	if f.layer, assumed = r.layerOf(in); assumed != "" {
		f.assumed = append(f.assumed, assumed)
	}
	f.folder = r.folderOf(f.layer, in)
	if root.Kind != policies.Mapping {
		r.Refuse(root.Source, "settings must be an object"+dropped)
		return f
	}
	for _, field := range root.Fields {
		r.key(f, field)
	}
	return f
}

func problems(err error) diag.List {
	if list, ok := err.(diag.List); ok {
		return list
	}
	return diag.List{{Message: err.Error()}}
}

// show is the error of everything that was refused, with the lines.
func (r *settingsReader) show(files []compiler.SettingsFile) error {
	lines := diag.Files{}
	for _, f := range files {
		lines.Add(f.Name, f.Text)
	}
	return lines.Show(r.Problems).Err()
}

func (r *settingsReader) oncePerLayer(all []*settingsFile) {
	seen := map[Layer]string{}
	for _, f := range all {
		if other, twice := seen[f.layer]; twice {
			r.Refuse(evaluator.Source{File: f.name}, "%s and %s are both the layer %s: say which another one is, as in user=FILE", other, f.name, f.layer)
		}
		seen[f.layer] = f.name
	}
}

// key reads one key of a settings file.
func (r *settingsReader) key(f *settingsFile, field policies.Field) {
	at := diag.Problem{File: field.Source.File, Line: field.Source.Line, Column: field.Source.Column}.Place()
	about := func(a evaluator.Action, v evaluator.Verdict) bool { return v.Effect != evaluator.Deny }
	switch n := field.Value; field.Name {
	case "permissions":
		r.permissions(f, n)
	case "allowManagedPermissionRulesOnly":
		f.settings.AllowManagedPermissionRulesOnly, _ = r.Bool(n, field.Name)
	case "disableAutoMode":
		f.settings.DisableAutoMode, _ = r.Word(n, field.Name, "disable")
	case "model":
		f.model, _ = r.Text(n, field.Name)
	case "hooks":
		f.hooks = append(f.hooks, r.hooks(f, n)...)
	case "disableAllHooks":
		if on, _ := r.Bool(n, field.Name); on {
			f.noHooks = n
		}
	case "sandbox":
		if on := n.Get("enabled"); on != nil && on.Text == "true" && !on.Quoted {
			f.sandbox = on
			f.doubts = append(f.doubts, compiler.Doubt{About: runsCommand, Reason: "the sandbox at " + at + " may let commands run unasked: what it does wasn't measured"})
			f.losses = append(f.losses, lost(field.Source, "the sandbox: no policy says it", isCommand))
		}
	case "agent", "policyHelper", "policyHelpers":
		f.doubts = append(f.doubts, compiler.Doubt{About: about, Reason: field.Name + " at " + at + " may change tools, rules and mode: what it says isn't known"})
		f.losses = append(f.losses, lost(field.Source, field.Name+": no policy says it", anything))
	case "enabledPlugins", "appendPlugins", "prependPlugins":
		f.plugins(field)
	case "env":
		f.assumed = append(f.assumed, "env at "+at+" changes no permission")
		f.losses = append(f.losses, lost(field.Source, "env: no policy says it", nil))
	default:
		if !idleKeys[field.Name] {
			f.assumed = append(f.assumed, field.Name+" at "+at+" isn't known: it changes no permission")
			f.losses = append(f.losses, lost(field.Source, field.Name+" isn't known", nil))
		}
	}
}

func lost(at evaluator.Source, message string, covers func(evaluator.Action) bool) compiler.Loss {
	return compiler.Loss{Source: at, Message: message, Covers: covers}
}

func anything(evaluator.Action) bool { return true }

func isCommand(a evaluator.Action) bool {
	return a.Kind == evaluator.Command || a.Kind == evaluator.Native || a.To != ""
}

// runsCommand reports whether a Verdict that isn't a denial rests on a command.
func runsCommand(a evaluator.Action, v evaluator.Verdict) bool {
	return v.Effect != evaluator.Deny && slices.ContainsFunc(toolsOf(v), func(tool string) bool { return tool == "Bash" })
}

// toolsOf are the tools of a Verdict's parts.
func toolsOf(v evaluator.Verdict) []string {
	var out []string
	for _, p := range v.Parts {
		if q, err := readRequest(p.Request); err == nil {
			out = append(out, q.tool)
		}
	}
	return out
}

// permissions reads the permissions object.
func (r *settingsReader) permissions(f *settingsFile, n *policies.Node) {
	if n.Kind != policies.Mapping {
		r.Refuse(n.Source, "permissions must be an object"+dropped)
		return
	}
	p := &f.settings.Permissions
	for _, field := range n.Fields {
		n, what := field.Value, "permissions."+field.Name
		switch field.Name {
		case "allow":
			p.Allow = r.Texts(n, what)
		case "ask":
			p.Ask = r.Texts(n, what)
		case "deny":
			p.Deny = r.Texts(n, what)
		case "additionalDirectories":
			p.AdditionalDirectories = r.Texts(n, what)
			f.losses = append(f.losses, lost(field.Source, "additionalDirectories: a session is given its folders by its adapter, not by a policy", r.touches(p.AdditionalDirectories)))
		case "defaultMode":
			if word, ok := r.Word(n, what, modeWords()...); ok {
				m := SettingsMode(word)
				p.DefaultMode = &m
			}
		case "disableBypassPermissionsMode":
			p.DisableBypassPermissionsMode, _ = r.Word(n, what, "disable")
			f.losses = append(f.losses, lost(field.Source, field.Name+": a policy's mode is what it says, and nothing keeps people from another", nil))
		case "disableAutoMode":
			p.DisableAutoMode, _ = r.Word(n, what, "disable")
			f.losses = append(f.losses, lost(field.Source, field.Name+": a policy's mode is what it says, and nothing keeps people from another", nil))
		case "denyInsteadOfPrompting":
			p.DenyInsteadOfPrompting, _ = r.Bool(n, what)
			f.losses = append(f.losses, lost(field.Source, field.Name+": whom Claude asks, the adapter's callback answers", anything))
		case "blockReadsOutsideWorkingDirectories", "blockWritesOutsideWorkingDirectories":
			if on, _ := r.Bool(n, what); on {
				f.doubts = append(f.doubts, compiler.Doubt{About: reachesOut, Reason: what + " at " + placeOf(field.Source) + " may refuse it: what it covers wasn't measured"})
				f.losses = append(f.losses, lost(field.Source, field.Name+": no policy says it", anything))
			}
		default:
			f.assumed = append(f.assumed, what+" at "+placeOf(field.Source)+" isn't known: it changes no permission")
			f.losses = append(f.losses, lost(field.Source, what+" isn't known", nil))
		}
	}
}

func placeOf(s evaluator.Source) string {
	return diag.Problem{File: s.File, Line: s.Line, Column: s.Column}.Place()
}

// touches reports whether an Action may have to do with one of the folders.
func (r *settingsReader) touches(folders []string) func(evaluator.Action) bool {
	return func(a evaluator.Action) bool {
		at := workspaceOf(r.env)
		for _, folder := range folders {
			dir := paths.Abs(at, paths.Home(r.env.Home, folder))
			for _, p := range []string{a.Path, a.To, a.Cwd} {
				if p != "" && paths.Within(dir, paths.Resolve(at, p, r.env.Resolved)) {
					return true
				}
			}
		}
		return isCommand(a) && strings.Contains(a.Command, "/") || a.Kind == evaluator.Native
	}
}

// reachesOut reports whether a Verdict that isn't a denial is about files.
func reachesOut(a evaluator.Action, v evaluator.Verdict) bool {
	return v.Effect != evaluator.Deny && slices.Contains([]evaluator.Kind{evaluator.Command, evaluator.FileRead, evaluator.FileChange, evaluator.Native}, a.Kind)
}

func modeWords() []string {
	out := []string{"manual"}
	for _, m := range modes() {
		out = append(out, string(m))
	}
	return out
}
