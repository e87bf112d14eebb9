package grok_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/grok"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/livebin"
	"github.com/modegate/modegate/internal/scripted"
)

// liveRow is a row of a case file, as the real agent gets it.
type liveRow struct {
	ID      string         `json:"id"`
	Argv    []string       `json:"argv"`
	Meta    map[string]any `json:"sessionMeta"`
	Facts   *liveFacts     `json:"facts"`
	Tool    string         `json:"tool"`
	Input   map[string]any `json:"input"`
	Outcome string         `json:"outcome"`
}

// liveFacts are the facts that can be written into the settings files of a home.
type liveFacts struct {
	PermissionMode string `json:"permissionMode"`
	ClaudeMode     string `json:"claudeDefaultMode"`
	PlanMode       bool   `json:"planMode"`
	Rules          []struct {
		Layer  string `json:"layer"`
		Effect string `json:"effect"`
		Rule   string `json:"rule"`
	} `json:"rules"`
	Trusted *bool  `json:"trusted"`
	Locked  bool   `json:"alwaysApproveLocked"`
	Project string `json:"projectClaudeDefaultMode"`
}

// TestLive takes a part of the case files again on the real Grok: every row of a
// file with MODEGATE_LIVE=1, else one in some. What we say is compared with what
// happens now, not with the file.
func TestLive(t *testing.T) {
	bin := livebin.Need(t, livebin.Grok)
	model := scripted.Start()
	t.Cleanup(model.Close)
	for file, step := range map[string]int{"cases.json": 8, "commands.json": 80, "settings.json": 60} {
		if os.Getenv(livebin.LiveEnv) == "1" {
			step = 1
		}
		t.Run(file, func(t *testing.T) {
			version, all := rows(t, "../../testdata/grok/"+file)
			var picked []json.RawMessage
			for i := 0; i < len(all); i += step {
				picked = append(picked, all[i])
			}
			agreed := live(t, bin, model, version, picked)
			t.Logf("%d of %d rows agree", agreed, len(picked))
		})
	}
}

// live runs rows that share their settings in one session, and counts agreement.
func live(t *testing.T, bin string, model *scripted.Server, version string, picked []json.RawMessage) int {
	groups, order := map[string][]json.RawMessage{}, []string{}
	for _, raw := range picked {
		var r liveRow
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		key, err := json.Marshal([]any{r.Argv, r.Meta, r.Facts})
		if err != nil {
			t.Fatal(err)
		}
		if groups[string(key)] == nil {
			order = append(order, string(key))
		}
		groups[string(key)] = append(groups[string(key)], raw)
	}
	agreed := 0
	for _, key := range order {
		agreed += liveGroup(t, bin, model, version, groups[key])
	}
	return agreed
}

func liveGroup(t *testing.T, bin string, model *scripted.Server, version string, group []json.RawMessage) int {
	var s *session
	reviews, agreed := 0, 0
	defer func() {
		if s != nil {
			s.stop()
		}
	}()
	for _, raw := range group {
		var r liveRow
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		// After some refusals of its classifier Grok asks instead, and
		// enter_plan_mode changes what follows: both end the session.
		if s == nil || reviews > 1 {
			if s != nil {
				s.stop()
			}
			s, reviews = r.open(t, bin, model), 0
		}
		places := strings.NewReplacer("${PROJ}", s.place.project, "${OUT}", s.place.outside, "${HOME}", s.place.home)
		var in map[string]any
		text, err := json.Marshal(r.Input)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(places.Replace(string(text))), &in); err != nil {
			t.Fatal(err)
		}
		did := s.do(r.Tool, in)
		j, err := grok.New().Conform(jsontext.Value(raw), compiler.CaseFile{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		if did.word != j.Got {
			t.Errorf("%s: we say %s, Grok does %s: %.300s", j.Case, j.Got, did.word, did.text)
		} else {
			agreed++
		}
		switch {
		case did.word == "review":
			reviews++
		case r.Tool == "enter_plan_mode":
			reviews = 2
		}
	}
	return agreed
}

// open starts a session with the row's settings.
func (r liveRow) open(t *testing.T, bin string, model *scripted.Server) *session {
	t.Helper()
	p := newPlace(t)
	mode := ""
	if r.Facts != nil {
		r.Facts.write(t, p)
		if r.Facts.PlanMode {
			mode = "plan"
		}
	}
	return open(t, bin, model, p, setup{r.Argv, r.Meta, mode})
}

// write puts the facts into the files that Grok reads them from.
func (f liveFacts) write(t *testing.T, p place) {
	t.Helper()
	grokRules, claudeRules := map[string]map[string][]string{}, map[string]map[string][]string{}
	for _, r := range f.Rules {
		to, folder := grokRules, p.home
		if strings.HasPrefix(r.Layer, "claude") {
			to = claudeRules
		}
		if strings.Contains(r.Layer, "project") {
			folder = p.project
		}
		if to[folder] == nil {
			to[folder] = map[string][]string{}
		}
		to[folder][r.Effect] = append(to[folder][r.Effect], r.Rule)
	}
	for _, folder := range []string{p.home, p.project} {
		var toml strings.Builder
		if folder == p.home && f.PermissionMode != "" {
			toml.WriteString("[ui]\npermission_mode = \"" + f.PermissionMode + "\"\n")
		}
		if folder == p.home && f.Trusted != nil && *f.Trusted {
			toml.WriteString("[folder_trust]\nenabled = false\n")
		}
		if rules := grokRules[folder]; rules != nil {
			toml.WriteString("[permission]\n")
			for effect, list := range rules {
				b, err := json.Marshal(list)
				if err != nil {
					t.Fatal(err)
				}
				toml.WriteString(effect + " = " + string(b) + "\n")
			}
		}
		if toml.Len() > 0 {
			p.write(t, filepath.Join(folder, ".grok/config.toml"), toml.String())
		}
		permissions := map[string]any{}
		for effect, list := range claudeRules[folder] {
			permissions[effect] = list
		}
		mode := f.ClaudeMode
		if folder == p.project {
			mode = f.Project
		}
		if mode != "" {
			permissions["defaultMode"] = mode
		}
		if len(permissions) > 0 {
			b, err := json.Marshal(map[string]any{"permissions": permissions})
			if err != nil {
				t.Fatal(err)
			}
			p.write(t, filepath.Join(folder, ".claude/settings.json"), string(b))
		}
	}
	if f.Locked {
		p.write(t, filepath.Join(p.home, ".grok/requirements.toml"), "[ui]\ndisable_bypass_permissions_mode = true\n")
	}
}
