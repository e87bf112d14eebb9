package codex

import (
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// profileLayer is the file of a profile: NAME.config.toml beside the user's.
const profileLayer = "profile"

// Layers names the layers of configuration files, the weakest first: measured, a
// project's values win over a profile's.
func (dialect) Layers() []string { return []string{userLayer, profileLayer, projectLayer} }

// Within lists where the configuration lies: in Codex's own folder, or in a project.
func (dialect) Within() []string { return []string{"config.toml", ".codex/config.toml"} }

// Beside are the rule files: every *.rules directly in the folder rules beside a
// config.toml.
func (dialect) Beside() string { return "rules/*.rules" }

// IsSettings tells a config.toml from what an adapter sends, which is a JSON object.
func (dialect) IsSettings(text []byte) bool {
	return !strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff")), "{")
}

// ReadSettings reads config.toml files and the rules beside them, and says what a
// thread starts with when nobody overrides anything. Measured on 0.171.0 by what
// thread/start reports, 2026-11-30.
func (d dialect) ReadSettings(files []compiler.SettingsFile, i evaluator.Interaction, s compiler.Setting) (*compiler.FileSettings, error) {
	r := &configReader{env: s.Env, raw: map[string]jsontext.Value{}}
	var err error
	if r.facts, err = readFacts(s.Env.Facts); err != nil {
		return nil, err
	}
	if len(s.Env.Facts) > 0 {
		if err := strictjson.Decode(s.Env.Facts, &r.raw); err != nil {
			return nil, err
		}
	}
	c := r.read(files)
	native := c.settings
	native.Collaboration.Mode = defaultMode
	if i == evaluator.Plan {
		native.Collaboration.Mode = planMode
	}
	if err := r.show(files); err != nil {
		return nil, err
	}
	out := &compiler.FileSettings{Env: s.Env, Assumed: r.assumed, Doubts: r.doubts, Losses: r.losses}
	if out.Native, err = strictjson.Encode(native); err != nil {
		return nil, err
	}
	if out.Env.Facts, err = strictjson.Encode(r.raw); err != nil {
		return nil, err
	}
	for pointer, n := range map[string]*policies.Node{"/approvalPolicy": c.approval, "/sandbox": c.sandbox, "/sandboxPolicy": c.sandbox, "/approvalsReviewer": c.reviewer} {
		if n != nil {
			out.Sources = append(out.Sources, compiler.SourceRef{Pointer: pointer, Source: n.Source})
		}
	}
	out.Sources = append(out.Sources, r.places...)
	out.Draft = &drafter{env: s.Env, settings: native, rules: r.rules, hosts: r.hosts, network: r.network}
	return out, nil
}

// configReader reads configuration files and collects what is wrong with them.
type configReader struct {
	filetree.Reader
	env     evaluator.Env
	facts   facts
	raw     map[string]jsontext.Value // the facts, with what the files say
	assumed []string
	doubts  []compiler.Doubt
	losses  []compiler.Loss
	places  []compiler.SourceRef
	rules   []fileRule
	hosts   map[string][]string
	network []execpolicy.NetworkRule
	trusted bool
	chosen  bool // the files choose a sandbox or a profile of permissions

	startTrusts string // the sandbox whose choice makes Codex trust the project
}

// config is what the files come to.
type config struct {
	settings                    settings
	approval, sandbox, reviewer *policies.Node // nil where the files say nothing
}

func (r *configReader) set(fact string, value any) {
	encoded, err := strictjson.Encode(value)
	if err != nil {
		r.Refuse(evaluator.Source{}, "%s: %s", fact, err)
		return
	}
	r.raw[fact] = encoded
}

// read reads the layers, the weakest first, and merges them. A project's count when
// the layers below say that the project is trusted.
func (r *configReader) read(files []compiler.SettingsFile) config {
	merged := &policies.Node{Kind: policies.Mapping}
	seen := map[string]string{}
	for _, layer := range (dialect{}).Layers() {
		for _, f := range files {
			if r.layerOf(f) != layer {
				continue
			}
			if other, twice := seen[layer]; twice {
				r.Refuse(evaluator.Source{File: f.Name}, "%s and %s are both the layer %s: say which another one is, as in project=FILE", other, f.Name, layer)
			}
			seen[layer] = f.Name
			root, err := filetree.TOML(f.Name, f.Text)
			if list, ok := err.(diag.List); ok {
				r.Problems = append(r.Problems, list...)
				continue
			}
			if r.trust(merged); layer == projectLayer && !r.trusted && r.alone(seen) {
				r.trusted = true
				r.assume("the project " + r.workspace() + " is trusted: where it isn't, " + f.Name + " and its rules don't count")
			}
			if layer == projectLayer && !r.trusted {
				r.assumed = append(r.assumed, f.Name+" and its rules don't count: no layer below says that the project "+r.workspace()+" is trusted")
				continue
			}
			if root.Get("sandbox_mode") != nil || root.Get("default_permissions") != nil {
				merged = without(merged, "sandbox_mode", "default_permissions") // the strongest layer's choice, of either name
			}
			merged = filetree.Merge(merged, r.absoluteRoots(root, path.Dir(f.Path)))
		}
	}
	if _, given := seen[projectLayer]; !given {
		r.trust(merged)
	}
	c := r.values(merged)
	r.ruleFiles(files)
	if r.startTrusts != "" {
		r.assume("Codex trusts the project " + r.workspace() + " from now on, because a thread starts there under " + r.startTrusts + ": its own configuration and rules count")
	}
	if _, given := seen[userLayer]; !given {
		r.assumed = append(r.assumed, "the user's config.toml wasn't given: it says nothing")
	}
	if _, given := seen[projectLayer]; !given {
		r.assumed = append(r.assumed, "the project's .codex/config.toml and rules weren't given: they say nothing")
	}
	return c
}

// alone reports whether nobody has said what is trusted: no weaker layer was given,
// and no fact.
func (r *configReader) alone(seen map[string]string) bool {
	_, given := r.raw["trustedProject"]
	return len(seen) == 1 && !given
}

func (r *configReader) layerOf(f compiler.SettingsFile) string {
	dir := path.Dir(f.Path)
	switch base := path.Base(f.Path); {
	case f.Layer != "":
		return f.Layer
	case base != "config.toml" && strings.HasSuffix(base, ".config.toml"):
		return profileLayer
	case r.env.Workspace != "" && dir == r.workspace()+"/.codex" && dir != r.env.Home+"/.codex":
		return projectLayer
	}
	return userLayer
}

func (r *configReader) workspace() string {
	if r.env.Workspace == "" {
		return paths.UnknownWorkspace
	}
	return paths.Abs("/", r.env.Workspace)
}

// absoluteRoots writes the writable roots of a file absolute: they are relative to
// the folder that the file lies in (measured).
func (r *configReader) absoluteRoots(root *policies.Node, folder string) *policies.Node {
	n := root.Get("sandbox_workspace_write").Get("writable_roots")
	if n == nil || n.Kind != policies.Sequence {
		return root
	}
	for _, item := range n.Items {
		if item.Kind == policies.Scalar && item.Quoted {
			item.Text = paths.Abs(folder, paths.Home(r.env.Home, item.Text))
		}
	}
	return root
}

// trust says whether the layers so far trust the project. A fact does so, too; and
// a thread that starts under a sandbox that may write makes Codex write down that a
// project it doesn't know is trusted, so that the project's own configuration and
// rules are in force at once (measured, in a git repository and outside of one).
func (r *configReader) trust(root *policies.Node) {
	if _, given := r.raw["trustedProject"]; given {
		r.trusted = r.facts.Trusted
		return
	}
	level, _ := r.project(root)
	r.trusted = level == "trusted"
	if box := sandboxWord(root); level == "" && (box == "workspace-write" || box == "danger-full-access") {
		r.trusted = true
		r.startTrusts = box
	}
}

// sandboxWord is the sandbox that the files choose, "" when they choose none or one
// that isn't known here. In one layer default_permissions comes first.
func sandboxWord(root *policies.Node) string {
	if n := root.Get("default_permissions"); n != nil {
		return permissionProfiles[n.Text]
	}
	if n := root.Get("sandbox_mode"); n != nil {
		return n.Text
	}
	return ""
}

// permissionProfiles are the built-in permission profiles.
var permissionProfiles = map[string]string{":read-only": "read-only", ":workspace": "workspace-write", ":danger-full-access": "danger-full-access"}

func without(n *policies.Node, names ...string) *policies.Node {
	out := *n
	out.Fields = slices.DeleteFunc(slices.Clone(n.Fields), func(f policies.Field) bool { return slices.Contains(names, f.Name) })
	return &out
}

// project looks the workspace up in the projects table: by its own path, else by
// one around it, which may be the root of its repository (around). The level is ""
// when nothing is said.
func (r *configReader) project(root *policies.Node) (level string, around *policies.Field) {
	for _, p := range root.Get("projects").AllFields() {
		n := p.Value.Get("trust_level")
		switch {
		case n == nil:
		case p.Name == r.workspace():
			return n.Text, nil
		case p.Name != "/" && paths.Within(p.Name, r.workspace()) && (around == nil || len(p.Name) > len(around.Name)):
			level, around = n.Text, &p
		}
	}
	return level, around
}

// show is the error of everything that was refused, with the lines.
func (r *configReader) show(files []compiler.SettingsFile) error {
	lines := diag.Files{}
	for _, f := range files {
		lines.Add(f.Name, f.Text)
		for _, b := range f.Beside {
			lines.Add(b.Name, b.Text)
		}
	}
	return lines.Show(r.Problems).Err()
}
