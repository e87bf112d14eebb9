package opencode

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// ConfigLayers are the layers of OpenCode's configuration files, in the order in
// which it loads them: its own folder's, the one that OPENCODE_CONFIG names, a
// project's, that of a .opencode folder, and the machine's.
func ConfigLayers() []string { return []string{"global", "custom", "project", "folder", "managed"} }

// ConfigWithin lists where configuration files lie: in a project, or in OpenCode's
// own folder.
func ConfigWithin() []string {
	return []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"}
}

// NotGiven is what is assumed of configuration that isn't read. Plugins of a folder
// change an agent's rules, too (measured on 1.18.33).
const NotGiven = "configuration that wasn't given, agents in Markdown files and plugins in folders among it, says nothing"

// IsConfig tells a configuration file, which is an object, from the rules of a
// session, which are a list.
func IsConfig(text []byte) bool {
	n, err := filetree.JSON("", text, true)
	return err != nil || n.Kind != policies.Sequence
}

// PlacedRule is a rule of a configuration file.
type PlacedRule struct {
	lastmatch.Rule
	Source evaluator.Source
	Text   string // the pattern as the file has it
}

// ConfigReader reads configuration files and collects what is wrong with them.
type ConfigReader struct {
	filetree.Reader
	Env     evaluator.Env
	Assumed []string
	files   diag.Files
}

// Trees reads the texts of the files, in the order in which they are loaded. An
// empty file is none.
func (r *ConfigReader) Trees(files []compiler.SettingsFile) []*policies.Node {
	r.files = diag.Files{}
	sorted := slices.Clone(files)
	slices.SortStableFunc(sorted, func(a, b compiler.SettingsFile) int {
		if layer := slices.Index(ConfigLayers(), configLayer(a)) - slices.Index(ConfigLayers(), configLayer(b)); layer != 0 || path.Dir(a.Path) != path.Dir(b.Path) {
			return layer
		}
		return slices.Index(configNames, path.Base(a.Path)) - slices.Index(configNames, path.Base(b.Path))
	})
	var out []*policies.Node
	for _, f := range sorted {
		r.files.Add(f.Name, f.Text)
		if len(f.Text) == 0 {
			continue
		}
		root, err := filetree.JSON(f.Name, f.Text, true)
		if list, ok := err.(diag.List); ok {
			r.Problems = append(r.Problems, list...)
			continue
		}
		if root.Kind != policies.Mapping {
			r.Refuse(root.Source, "a configuration must be an object")
			continue
		}
		out = append(out, root)
	}
	return out
}

// configNames are the names of configuration files in one folder, in the order in
// which they are loaded.
var configNames = []string{"config.json", "opencode.json", "opencode.jsonc"}

func configLayer(f compiler.SettingsFile) string {
	switch {
	case f.Layer != "":
		return f.Layer
	case strings.Contains(f.Path, "/.opencode/"):
		return "folder"
	case strings.Contains(f.Path, "/.config/opencode/"):
		return "global"
	}
	return "project"
}

// Err is everything that was refused, with the lines.
func (r *ConfigReader) Err() error { return r.files.Show(r.Problems).Err() }

// Assume notes what was taken for something that isn't known.
func (r *ConfigReader) Assume(what string) {
	if !slices.Contains(r.Assumed, what) {
		r.Assumed = append(r.Assumed, what)
	}
}

// Unknown notes the keys that OpenCode doesn't know: it ignores them.
func (r *ConfigReader) Unknown(root *policies.Node) {
	for _, f := range root.Fields {
		if !configKeys[f.Name] {
			r.Assume(f.Name + " at " + At(f.Source) + " isn't known: OpenCode ignores it")
		}
	}
}

// plugins is the plugins of a file, nil when it has none.
func (r *ConfigReader) plugins(root *policies.Node) *policies.Node {
	var out *policies.Node
	for _, name := range []string{"plugin", "plugins"} {
		n := root.Get(name)
		if n != nil && (name == "plugins" || len(r.List(n, name)) > 0) {
			out = n
		}
	}
	return out
}

// At is where something stands, for people.
func At(s evaluator.Source) string {
	return diag.Problem{File: s.File, Line: s.Line, Column: s.Column}.Place()
}

// configKeys are the keys of both generations' configuration (the schemas in
// 1.18.33, source read 2026-11-30).
var configKeys = set(`$schema agent agents attachment attachments autoshare autoupdate command commands compaction
	default_agent disabled_providers enabled_providers enterprise experimental formatter image instructions keybinds
	layout logLevel lsp mcp mode model models permission permissions plugin plugins provider providers reference references
	server share shell skills small_model snapshot snapshots theme tool_output tools tui username watcher`)

// ConfigKey reports whether a key at the top of a file is one of either generation's.
func ConfigKey(name string) bool { return configKeys[name] }

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// Ordered lists an object's fields in the order in which JavaScript has them: names
// that are whole numbers come first, from small to large (measured on 1.18.33).
func Ordered(n *policies.Node) []policies.Field {
	if n == nil {
		return nil
	}
	out := slices.Clone(n.Fields)
	slices.SortStableFunc(out, func(a, b policies.Field) int {
		x, whole := arrayIndex(a.Name)
		y, alsoWhole := arrayIndex(b.Name)
		switch {
		case whole && alsoWhole && x != y:
			if x < y {
				return -1
			}
			return 1
		case whole != alsoWhole && whole:
			return -1
		case whole != alsoWhole:
			return 1
		}
		return 0
	})
	return out
}

// arrayIndex reads a name that JavaScript takes for a list's index.
func arrayIndex(name string) (uint64, bool) {
	n, err := strconv.ParseUint(name, 10, 32)
	return n, err == nil && n < 1<<32-1 && strconv.FormatUint(n, 10) == name
}
