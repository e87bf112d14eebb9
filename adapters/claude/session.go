package claude

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// session is one Claude session: its rules, its mode and where it runs. It never
// changes once made.
type session struct {
	version   string
	other     *session // the same in the other version
	workspace string
	cwd       string
	home      string
	config    string   // CLAUDE_CONFIG_DIR
	dirs      []string // working directories, the first is cwd
	folders   []string
	links     map[string]string
	rules     Rules
	mode      Mode
	launched  bool // bypassPermissions may be switched on
	auto      answer
	noPrompts bool
	facts     Facts
	callback  Callback
	answers   callback.Answerer
	env       evaluator.Env
	assumed   []string
}

// answer is a fact that may not be known.
type answer uint8

const (
	notKnown answer = iota
	yes
	no
)

// newSession puts a session together from the native settings and what it stands
// on.
func newSession(n Native, version string, env evaluator.Env) (*session, error) {
	facts, err := decodeFacts(env.Facts)
	if err != nil {
		return nil, err
	}
	f, err := readFlags(facts.Args)
	if err != nil {
		return nil, err
	}
	s := &session{version: version, workspace: env.Workspace, home: env.Home, links: env.Resolved, facts: facts, callback: n.Callback, env: env}
	s.answers = callback.New(n.Callback.Rules, dialect{}.PlanFiles(env))
	if s.workspace == "" {
		s.workspace = paths.UnknownWorkspace
		s.assume("the workspace isn't given: relative paths are inside it, absolute ones outside")
	}
	if s.home == "" {
		s.home = paths.UnknownHome
		s.assume("the home folder isn't given: no absolute path is in it")
	}
	s.cwd = path.Clean(s.workspace)
	s.config = facts.ConfigDir
	if s.config == "" {
		s.config = s.home + "/.claude"
	}
	s.auto = autoModel(facts.Model)
	if s.auto == notKnown {
		s.auto = no
		if n.PermissionMode != nil && *n.PermissionMode == Auto {
			s.auto = yes
		}
		s.assumeModel(n)
	}
	s.noPrompts = f.noPrompts
	if opens := n.PermissionMode != nil && *n.PermissionMode == Bypass; opens && facts.Root && facts.Env["IS_SANDBOX"] != "1" {
		return nil, errors.New("claude doesn't start in bypassPermissions as root, unless IS_SANDBOX=1 is set")
	}
	if err := s.layers(n, f); err != nil {
		return nil, err
	}
	s.dirs = append([]string{s.cwd}, s.absolute(append(f.dirs, s.facts.AdditionalDirectories...))...)
	for _, p := range facts.Folders {
		s.folders = append(s.folders, paths.Abs(s.cwd, p))
	}
	return s, nil
}

func (s *session) assume(what string) { s.assumed = append(s.assumed, what) }

// assumeModel says what is taken for a model that isn't known, where it matters.
func (s *session) assumeModel(n Native) {
	turn := n.TurnPermissionMode
	switch {
	case s.auto == yes:
		s.assume("the model isn't known: it supports auto mode")
	case turn != nil && *turn == Plan:
		s.assume("the model isn't known: it doesn't support auto mode, whose classifier would decide commands in plan")
	}
}

func (s *session) absolute(list []string) []string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = paths.Abs(s.cwd, paths.Home(s.home, d))
	}
	return out
}

// layer is one source of settings, resolved.
type layer struct {
	name     Layer
	folder   string // what a pattern with one leading slash is relative to
	settings Settings
	pointer  string
}

// skips reports whether a version takes no notice of settings as a whole, of what
// they ask about and deny, too: 2.1.197 doesn't know the mode manual (measured
// 2026-12-01).
func (s *session) skips(settings Settings) bool {
	m := settings.Permissions.DefaultMode
	return s.version == V197 && m != nil && *m == manual
}

// layers reads every source of rules, from the one that is asked first for a
// mode, and makes the rules and the mode of them.
func (s *session) layers(n Native, f flags) error {
	all, err := s.files(f)
	if err != nil {
		return err
	}
	for _, src := range s.facts.Sources {
		all = append(all, layer{name: src.Layer, folder: src.Folder, settings: src.Settings, pointer: src.Layer.pointer()})
	}
	var managed *Settings
	if m := s.facts.Managed; m != nil && !s.skips(*m) {
		all = append(all, layer{name: ManagedLayer, folder: s.cwd, settings: *m, pointer: ManagedLayer.pointer()})
		managed = m
	}
	all = slices.DeleteFunc(all, func(l layer) bool { return s.skips(l.settings) })
	own := Settings{Permissions: SettingsPermissions{Permissions: n.Permissions}}
	all = append(all,
		layer{name: FlagLayer, settings: own, pointer: "/permissions"},
		layer{name: ArgLayer, folder: s.cwd, settings: Settings{Permissions: SettingsPermissions{Permissions: Permissions{Allow: f.allowed, Deny: f.disallowed}}}})
	trusted := s.trusted()
	for _, l := range all {
		if managed != nil && managed.AllowManagedPermissionRulesOnly && l.name != ManagedLayer {
			continue
		}
		p := l.settings.Permissions
		if l.name == ProjectLayer && !trusted { // it may only tighten
			p.Allow, p.AdditionalDirectories = nil, nil
		}
		s.rules.add(p.Permissions, l.name, l.folder, l.pointer, s.version)
		s.facts.AdditionalDirectories = append(s.facts.AdditionalDirectories, p.AdditionalDirectories...)
		if p.DenyInsteadOfPrompting && s.version != V197 && l.name != ProjectLayer && l.name != LocalLayer {
			s.noPrompts = true
		}
	}
	s.launched = n.AllowDangerouslySkipPermissions || f.bypass
	s.mode = s.startMode(n, f, all)
	if n.TurnPermissionMode != nil {
		s.mode = s.switchMode(*n.TurnPermissionMode, all)
	}
	return nil
}

// files reads the settings files of user, project and local layers, unless
// --setting-sources leaves them out, and the file that --settings names.
func (s *session) files(f flags) ([]layer, error) {
	wanted := "user,project,local"
	if s.facts.SettingSources != nil {
		wanted = *s.facts.SettingSources
	}
	var out []layer
	for _, l := range []struct {
		source, file, folder string
		name                 Layer
	}{
		{"user", s.config + "/settings.json", s.config, UserLayer},
		{"project", s.cwd + "/.claude/settings.json", s.cwd, ProjectLayer},
		{"local", s.cwd + "/.claude/settings.local.json", s.cwd, LocalLayer},
	} {
		if !strings.Contains(","+wanted+",", ","+l.source+",") {
			continue
		}
		set, err := s.facts.settings(l.file)
		if err != nil {
			return nil, err
		}
		if set != nil {
			out = append(out, layer{name: l.name, folder: l.folder, settings: *set})
		}
	}
	if f.settings == "" {
		return out, nil
	}
	if strings.HasPrefix(strings.TrimSpace(f.settings), "{") {
		var set Settings
		if err := json.Unmarshal([]byte(f.settings), &set); err != nil {
			return nil, err
		}
		return append(out, layer{name: FlagLayer, settings: set}), nil
	}
	file := paths.Abs(s.cwd, f.settings)
	set, err := s.facts.settings(file)
	if err != nil || set == nil {
		return out, err
	}
	return append(out, layer{name: FlagLayer, folder: path.Dir(file), settings: *set}), nil
}

// trusted reports whether the project's trust dialog was accepted. In a session
// without a terminal nobody asks, so that an unknown project isn't trusted.
func (s *session) trusted() bool {
	if s.facts.Trusted != nil {
		return *s.facts.Trusted
	}
	data, ok := s.facts.file(s.config + "/.claude.json")
	if !ok {
		return false
	}
	var known struct {
		Projects map[string]struct {
			Accepted bool `json:"hasTrustDialogAccepted"`
		} `json:"projects"`
	}
	return json.Unmarshal(data, &known) == nil && known.Projects[s.cwd].Accepted
}
