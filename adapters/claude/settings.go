package claude

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// settingsLayers are the layers that a settings file can be, by the words that
// people choose them with, the weakest first.
var settingsLayers = []struct {
	word  string
	layer Layer
}{
	{"user", UserLayer}, {"project", ProjectLayer}, {"local", LocalLayer}, {"flag", FlagLayer}, {"managed", ManagedLayer},
}

// Layers names the layers of settings files.
func (dialect) Layers() []string {
	var out []string
	for _, l := range settingsLayers {
		out = append(out, l.word)
	}
	return out
}

// Within lists where settings lie: in a project, or in Claude's own folder.
func (dialect) Within() []string {
	return []string{".claude/settings.json", ".claude/settings.local.json", "settings.json", "settings.local.json"}
}

// Beside is empty: each file is read by itself.
func (dialect) Beside() string { return "" }

// IsSettings tells a settings file from the options of a session: those always say
// how the callback answers.
func (dialect) IsSettings(text []byte) bool {
	n, err := filetree.JSON("", text, true)
	return err != nil || n.Get("callback") == nil && n.Get("permissionMode") == nil && n.Get("turnPermissionMode") == nil
}

// settingsFile is one settings file, read.
type settingsFile struct {
	layer    Layer
	name     string // of the file
	folder   string // what a pattern with one leading slash is relative to
	root     *policies.Node
	settings Settings
	model    string
	hooks    []hookEntry
	sandbox  *policies.Node // sandbox.enabled, when it is true
	noHooks  *policies.Node // disableAllHooks, when it is true
	assumed  []string
	doubts   []compiler.Doubt
	losses   []compiler.Loss
}

// ReadSettings reads Claude's settings files. A session that adds nothing to them
// starts in their default mode, and asks a person what it has to ask.
func (d dialect) ReadSettings(files []compiler.SettingsFile, i evaluator.Interaction, s compiler.Setting) (*compiler.FileSettings, error) {
	facts, raw, err := splitFacts(s.Env.Facts)
	if err != nil {
		return nil, err
	}
	r := &settingsReader{env: s.Env, facts: facts}
	var all []*settingsFile
	for _, f := range files {
		if got := r.file(f); got != nil {
			all = append(all, got)
		}
	}
	r.oncePerLayer(all)
	if err := r.show(files); err != nil {
		return nil, err
	}
	out := &compiler.FileSettings{Env: s.Env}
	n := Native{Callback: Callback{AskUserQuestion: answerQuestion, ExitPlanMode: answerPlan, Default: answerAsk}}
	if i == evaluator.Plan {
		m := Plan
		n.TurnPermissionMode = &m
	}
	if out.Native, err = strictjson.Encode(n); err != nil {
		return nil, err
	}
	if err := r.install(all, raw, out); err != nil {
		return nil, err
	}
	for _, f := range all {
		out.Sources = append(out.Sources, f.sources()...)
		out.Assumed = append(out.Assumed, f.assumed...)
		out.Doubts = append(out.Doubts, f.doubts...)
		out.Losses = append(out.Losses, f.losses...)
	}
	out.Draft = r.newDrafter(all)
	return out, r.hookDoubts(all, out)
}

// splitFacts reads an Env's facts, and keeps them as they came: what isn't set here
// stays as it is.
func splitFacts(data jsontext.Value) (Facts, map[string]jsontext.Value, error) {
	facts, err := decodeFacts(data)
	raw := map[string]jsontext.Value{}
	if err == nil && len(data) > 0 {
		err = strictjson.Decode(data, &raw)
	}
	return facts, raw, err
}

// install puts what the files say into the Env.
func (r *settingsReader) install(all []*settingsFile, raw map[string]jsontext.Value, out *compiler.FileSettings) error {
	sources := slices.Clone(r.facts.Sources)
	set := map[string]any{}
	for _, f := range all {
		if f.layer == ManagedLayer {
			set["managed"] = f.settings
			continue
		}
		sources = append(sources, SettingsSource{Layer: f.layer, Folder: f.folder, Settings: f.settings})
	}
	set["sources"] = sources
	if r.facts.Model == "" {
		for _, l := range settingsLayers {
			for _, f := range all {
				if f.layer == l.layer && f.model != "" {
					set["model"] = f.model
				}
			}
		}
	}
	if _, known := r.facts.file(r.config() + "/.claude.json"); r.facts.Trusted == nil && !known {
		set["trusted"] = true
		for _, f := range all {
			if p := f.settings.Permissions; f.layer == ProjectLayer && len(p.Allow)+len(p.AdditionalDirectories) > 0 {
				out.Assumed = append(out.Assumed, "the project is trusted: where it isn't, Claude ignores what "+f.name+" allows and the folders that it adds")
			}
		}
	}
	for name, value := range set {
		encoded, err := strictjson.Encode(value)
		if err != nil {
			return err
		}
		raw[name] = encoded
	}
	var err error
	out.Env.Facts, err = strictjson.Encode(raw)
	out.Assumed = append(out.Assumed, r.missing(all)...)
	return err
}

// missing says which layers nobody gave.
func (r *settingsReader) missing(all []*settingsFile) []string {
	var names string
	for _, l := range settingsLayers {
		there := slices.ContainsFunc(all, func(f *settingsFile) bool { return f.layer == l.layer }) ||
			slices.ContainsFunc(r.facts.Sources, func(s SettingsSource) bool { return s.Layer == l.layer }) ||
			l.layer == ManagedLayer && r.facts.Managed != nil
		if !there && l.layer != FlagLayer {
			names += ", " + l.word
		}
	}
	if names == "" {
		return nil
	}
	return []string{"settings that weren't given say nothing:" + names[1:]}
}

// config is Claude's own folder, "" when it isn't known.
func (r *settingsReader) config() string {
	switch {
	case r.facts.ConfigDir != "":
		return r.facts.ConfigDir
	case r.env.Home != "":
		return r.env.Home + "/.claude"
	}
	return ""
}

// sources are the places of a file's rules.
func (f *settingsFile) sources() []compiler.SourceRef {
	var out []compiler.SourceRef
	for _, name := range []string{"allow", "ask", "deny"} {
		list := f.root.Get("permissions").Get(name)
		if list == nil {
			continue
		}
		for i, item := range list.Items {
			out = append(out, compiler.SourceRef{Pointer: f.layer.pointer() + "/" + name + "/" + itoa(i), Source: item.Source})
		}
	}
	return out
}

// pointer is where a layer's rules stand in its settings file.
func (l Layer) pointer() string { return string(l) + "#/permissions" }

// layerOf tells a file's layer: by its word, or by its path.
func (r *settingsReader) layerOf(f compiler.SettingsFile) (layer Layer, assumed string) {
	for _, l := range settingsLayers {
		if f.Layer == l.word {
			return l.layer, ""
		}
	}
	dir := path.Dir(f.Path)
	switch base := path.Base(f.Path); {
	case base == "settings.local.json":
		return LocalLayer, ""
	case base == "managed-settings.json":
		return ManagedLayer, ""
	case base == "settings.json" && dir == r.config():
		return UserLayer, ""
	case base == "settings.json" && r.env.Workspace != "" && dir == path.Clean(r.env.Workspace)+"/.claude":
		return ProjectLayer, ""
	}
	return ProjectLayer, fmt.Sprintf("%s is the project's settings: LAYER=FILE says another of %s", f.Name, strings.Join(dialect{}.Layers(), ", "))
}

// folderOf is what /PATTERN is relative to in a layer.
func (r *settingsReader) folderOf(l Layer, f compiler.SettingsFile) string {
	switch l {
	case UserLayer:
		if c := r.config(); c != "" {
			return c
		}
		return path.Dir(f.Path)
	case FlagLayer:
		return path.Dir(f.Path)
	}
	return workspaceOf(r.env)
}
