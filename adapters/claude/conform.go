package claude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// caseFile is what holds for every case of a file of recorded calls.
type caseFile struct {
	layout map[string][]string             // folders, and what they hold
	mcp    map[string]map[string]ToolFacts // what servers say of their tools
}

// recordedCall is the input of one recorded call. What isn't named here isn't an input.
type recordedCall struct {
	Mode           *Mode                     `json:"mode"`
	Model          string                    `json:"model"`
	Rules          *caseRules                `json:"rules"`
	RulesSource    string                    `json:"rules_source"`
	Files          map[string]jsontext.Value `json:"files"`
	Args           []string                  `json:"args"`
	Hooks          []HookResult              `json:"hook_result"`
	Managed        *Settings                 `json:"managed_settings"`
	SettingSources *string                   `json:"setting_sources"`
	Env            map[string]string         `json:"env"`
	Cwd            string                    `json:"cwd"`
	SetMode        *Mode                     `json:"set_mode_after_start"`
	Tool           string                    `json:"tool"`
	Input          jsontext.Value            `json:"input"`
}

type caseRules struct {
	Permissions           `json:",inline"`
	AdditionalDirectories []string `json:"additionalDirectories"`
	DefaultMode           *Mode    `json:"defaultMode"`
}

// folderNames puts paths in the place of the names that stand for folders.
var folderNames = strings.NewReplacer("${PROJ}", "/var/run/session/project", "${OUT}", "/var/run/session/outside",
	"${ADD}", "/var/run/session/added", "${HOME}", "/var/run/session/home", "${MCP}", "/var/run/session/mcp")

// Conform judges a recorded call by what its file calls inputs.
func (d dialect) Conform(row jsontext.Value, f compiler.CaseFile) (compiler.Judged, error) {
	file, err := readCaseFile(f.Header)
	if err != nil {
		return compiler.Judged{}, err
	}
	var out struct {
		ID      string         `json:"id"`
		Mode    string         `json:"mode"`
		Tool    string         `json:"tool"`
		Input   jsontext.Value `json:"input"`
		Outcome string         `json:"outcome"`
		Old     string         `json:"outcome_2_1_197"`
	}
	if err := json.Unmarshal(row, &out); err != nil {
		return compiler.Judged{}, err
	}
	j := compiler.Judged{Want: out.Outcome, Case: fmt.Sprintf("%s %s %s %s", out.ID, out.Mode, out.Tool, out.Input)}
	if f.Version == V197 && out.Old != "" { // else nobody saw it do otherwise
		j.Want = out.Old
	}
	if j.Got, j.Skipped, err = file.judge(row, f.Version); err != nil {
		return compiler.Judged{}, err
	}
	j.Passed = j.Got == j.Want
	j.Unsafe = j.Want == "allow" && slices.Contains([]string{"ask", "deny", "absent", "review"}, j.Got)
	return j, nil
}

func readCaseFile(header map[string]jsontext.Value) (caseFile, error) {
	f := caseFile{}
	for name, into := range map[string]any{"layout": &f.layout, "mcp": &f.mcp} {
		if raw, ok := header[name]; ok {
			if err := json.Unmarshal(raw, into); err != nil {
				return f, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return f, nil
}

// judge says what Claude does with one recorded call: allow, ask, deny, review,
// absent when the tool isn't there, or unknown. skip names a mechanism that isn't
// modelled and that the call needs.
func (f caseFile) judge(row []byte, version string) (got, skip string, err error) {
	var c recordedCall
	if err := json.Unmarshal([]byte(folderNames.Replace(string(row))), &c); err != nil {
		return "", "", err
	}
	if c.RulesSource != "" && !strings.HasPrefix(c.RulesSource, "--settings inline") {
		return "", "rules from " + c.RulesSource, nil
	}
	native, env, err := f.setting(c)
	if err != nil {
		return "", "", err
	}
	m, err := dialect{}.Read(native, compiler.Setting{Version: version, Env: env})
	if err != nil {
		return "", "", err
	}
	request, err := strictjson.Encode(map[string]any{"tool": c.Tool, "input": c.Input})
	if err != nil {
		return "", "", err
	}
	v, err := evaluator.Evaluate(m, evaluator.Action{Kind: evaluator.Native, Request: request}, false)
	if err != nil {
		return "", "", err
	}
	if v.ToolAbsent {
		return "absent", "", nil
	}
	return v.Native.Effect.String(), "", nil
}

// setting makes native settings and an Env of a recorded call. ${PROJ} and the
// like stand for folders, as they do in the file.
func (f caseFile) setting(c recordedCall) ([]byte, evaluator.Env, error) {
	n := Native{PermissionMode: c.Mode, TurnPermissionMode: c.SetMode, Callback: Callback{AskUserQuestion: answerQuestion, ExitPlanMode: answerPlan, Default: answerAsk}}
	facts := map[string]any{"mcp": f.mcp, "model": c.Model}
	if c.Model == "" {
		facts["model"] = "claude-sonnet-4-5"
	}
	if c.Rules != nil {
		n.Permissions = c.Rules.Permissions
		facts["additionalDirectories"] = c.Rules.AdditionalDirectories
		if c.Rules.DefaultMode != nil && c.Mode == nil {
			n.PermissionMode = c.Rules.DefaultMode
		}
	}
	facts["files"], facts["args"], facts["hooks"], facts["env"] = c.Files, c.Args, c.Hooks, c.Env
	facts["managed"], facts["settingSources"] = c.Managed, c.SettingSources
	cwd := folderNames.Replace("${PROJ}")
	if c.Cwd != "" {
		cwd = c.Cwd
	}
	links, folders := f.disk()
	facts["folders"] = folders
	raw, err := strictjson.Encode(facts)
	if err != nil {
		return nil, evaluator.Env{}, err
	}
	native, err := strictjson.Encode(n)
	if err != nil {
		return nil, evaluator.Env{}, err
	}
	env := evaluator.Env{Workspace: cwd, Home: folderNames.Replace("${HOME}"), Resolved: links, Facts: raw}
	return native, env, nil
}

// disk reads what the folders hold: NAME, NAME/, or NAME -> TARGET.
func (f caseFile) disk() (links map[string]string, folders []string) {
	links = map[string]string{}
	for folder, names := range f.layout {
		folder = folderNames.Replace(folder)
		folders = append(folders, folder)
		for _, name := range names {
			name, target, link := strings.Cut(name, " -> ")
			switch {
			case link:
				links[folder+"/"+name] = folderNames.Replace(target)
			case strings.HasSuffix(name, "/"):
				folders = append(folders, folder+"/"+strings.TrimSuffix(name, "/"))
			default:
				for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
					folders = append(folders, fmt.Sprint(folder, "/", name[:i]))
				}
			}
		}
	}
	return links, folders
}
