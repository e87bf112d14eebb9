package adapters_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

func linter(t testing.TB, p evaluator.Provider) lint.Linter {
	t.Helper()
	d, _ := adapters.Find(p)
	l, ok := d.(lint.Linter)
	if !ok {
		t.Fatalf("%s finds nothing wrong with anything", p)
	}
	return l
}

// found writes findings as rule@line, in order.
func found(list []lint.Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s@%d", f.Rule, f.Line))
	}
	return strings.Join(out, " ")
}

// lintRules judges rules as one session's list, one rule a line.
func lintRules(t *testing.T, in reportInput, env evaluator.Env) []lint.Finding {
	t.Helper()
	provider := map[string]evaluator.Provider{"opencode2": evaluator.OpenCode2, "opencode1": evaluator.OpenCode}[in.Provider]
	l := linter(t, provider)
	text := strings.ReplaceAll(string(nativeRules(t, provider, in, env, l.(compiler.Dialect))), "},{", "},\n{")
	env.Workspace, env.Home = in.Workspace, in.Home
	return lint.File(l, "rules.json", []byte(text), compiler.Setting{Env: env})
}

// TestReportedLints are the reported faults that a linter must name: the rows'
// rules, each on a line of its own.
func TestReportedLints(t *testing.T) {
	all := reports(t)
	for id, want := range map[string]string{
		"ORD-04":  "dead-rule@1 dead-rule@2 dead-rule@3",
		"ORD-08":  "dead-rule@2 catch-all-last@3",
		"ORD-02":  "",
		"ORD-09":  "",
		"PAT-01":  "",
		"PAT-03":  "",
		"PAT-05":  "shallow-pattern@2",
		"PAT-08":  "literal-pattern@2",
		"PAT-09":  "",
		"PAT-10":  "",
		"PAT-13":  "other-tool@2 shallow-pattern@2",
		"PATH-01": "path-form@2",
		"PATH-05": "",
		"PATH-12": "",
		"PATH-14": "path-form@1",
		"SH-04":   "textual-ban@2",
		"SH-12":   "",
		"SH-13":   "",
		"IN-01":   "unknown-action@2 unknown-action@3",
		"IN-11":   "unused-action@1",
		"CR-02":   "other-tool@2",
		"CR-07":   "",
		"LY-05":   "",
	} {
		r, ok := all[id]
		if !ok {
			t.Errorf("%s is missing", id)
			continue
		}
		list := lintRules(t, r.Input, evaluator.Env{})
		if got := found(list); got != want {
			t.Errorf("%s (%s): %q, want %q", id, r.Kind, got, want)
		}
		for _, f := range list {
			if f.Message == "" || f.Instead == "" || f.Column == 0 {
				t.Errorf("%s: %+v doesn't say all", id, f)
			}
		}
	}
}

// TestReportedKinds: each fault stands for its whole kind.
func TestReportedKinds(t *testing.T) {
	for _, c := range []struct {
		provider evaluator.Provider
		file     string
		text     string
		want     string
	}{
		// rule-order
		{evaluator.OpenCode2, "", "[{\"action\":\"edit\",\"resource\":\"src/*\",\"effect\":\"allow\"},\n{\"action\":\"*\",\"resource\":\"*\",\"effect\":\"deny\"}]", "dead-rule@1 catch-all-last@2"},
		{evaluator.OpenCode2, "", "[{\"action\":\"shell\",\"resource\":\"*\",\"effect\":\"ask\"},\n{\"action\":\"shell\",\"resource\":\"npm *\",\"effect\":\"deny\"},\n{\"action\":\"shell\",\"resource\":\"npm test\",\"effect\":\"allow\"}]", ""},
		{evaluator.OpenCode2, "", "[{\"action\":\"read\",\"resource\":\"*.key\",\"effect\":\"deny\"},\n{\"action\":\"rea?\",\"resource\":\"**\",\"effect\":\"ask\"}]", "dead-rule@1 catch-all-last@2"},
		{evaluator.OpenCode, "opencode.json", `{"permission":{"bash":{"git *":"allow","*":"ask"}}}`, "dead-rule@1 catch-all-last@1"},
		{evaluator.OpenCode, "opencode.json", "{\"permission\":{\"bash\":{\"*\":\"allow\",\"rm *\":\"deny\"}},\n\"agent\":{\"build\":{\"permission\":{\"bash\":\"allow\"}}}}", "undone-layer@2"},
		{evaluator.OpenCode, "opencode.json", "{\"permission\":{\"bash\":{\"*\":\"allow\",\"rm *\":\"deny\"}},\n\"agent\":{\"plan\":{\"permission\":{\"edit\":\"deny\"}}}}", ""},
		{evaluator.Claude, "settings.json", "{\"permissions\":{\"allow\":[\"Bash(git status)\"],\n\"ask\":[\"Bash(git:*)\"]}}", "dead-rule@1"},
		{evaluator.Claude, "settings.json", "{\"permissions\":{\"allow\":[\"Bash\"],\n\"ask\":[\"Bash(rm *)\"]}}", ""},
		{evaluator.Claude, "settings.json", "{\"permissions\":{\"ask\":[\"WebFetch(domain:a.example.com)\",\"Read(src/x/**)\"],\n\"deny\":[\"WebFetch(domain:*.example.com)\",\"Read(src/**)\"]}}", "dead-rule@1 dead-rule@1 other-tool@1"},
		{evaluator.Codex, "x.rules", "prefix_rule(pattern=[\"tofu\"], decision=\"prompt\")\nprefix_rule(pattern=[\"tofu\", \"fmt\"], decision=\"allow\")\n", "dead-rule@2"},
		{evaluator.Codex, "x.rules", "prefix_rule(pattern=[\"git\", [\"push\", \"fetch\"]], decision=\"allow\")\nprefix_rule(pattern=[\"git\", \"push\"], decision=\"forbidden\")\n", ""},
		{evaluator.Cursor, "cli.json", "{\"permissions\":{\"allow\":[\"Shell(git:push*)\"],\n\"deny\":[\"Shell(git)\"]}}", "dead-rule@1"},
		{evaluator.Grok, "settings.json", "{\"permissions\":{\"allow\":[\"Bash(git push *)\"],\n\"deny\":[\"Bash(git *)\"]}}", "dead-rule@1"},
		// pattern-language
		{evaluator.OpenCode2, "", `[{"action":"shell","resource":"*","effect":"ask"},{"action":"read","resource":"*.[ch]","effect":"deny"}]`, "literal-pattern@1"},
		{evaluator.OpenCode2, "", `[{"action":"shell","resource":"^git .*$","effect":"deny"}]`, "literal-pattern@1"},
		{evaluator.OpenCode2, "", `[{"action":"shell","resource":"echo \\*","effect":"deny"}]`, "literal-pattern@1"},
		{evaluator.OpenCode2, "", `[{"action":"edit","resource":"*","effect":"deny"},{"action":"edit","resource":"packages/**/src/*","effect":"allow"}]`, "shallow-pattern@1"},
		{evaluator.OpenCode2, "", `[{"action":"shell","resource":"*","effect":"ask"},{"action":"read","resource":"**/.env","effect":"deny"},{"action":"read","resource":".env","effect":"deny"}]`, ""},
		{evaluator.Claude, "settings.json", `{"permissions":{"deny":["Edit(app/[id]/page.tsx)"]}}`, "special-pattern@1"},
		{evaluator.Claude, "settings.json", `{"permissions":{"deny":["Edit(src/[a-z]*.go)","Bash(git {push,fetch} *)"]}}`, "literal-pattern@1"},
		{evaluator.Codex, "x.rules", `prefix_rule(pattern=["git", "^push$"], decision="forbidden")`, "literal-pattern@1"},
		{evaluator.Codex, "x.rules", `prefix_rule(pattern=["git", "*"], decision="forbidden")`, "never-matches@1"},
		// path-form
		{evaluator.OpenCode, "", `[{"permission":"read","pattern":"/etc/*","action":"deny"}]`, "path-form@1"},
		{evaluator.OpenCode, "", `[{"permission":"edit","pattern":"./src/*","action":"deny"}]`, "path-form@1"},
		{evaluator.OpenCode, "", `[{"permission":"edit","pattern":"src/","action":"deny"}]`, "path-form@1"},
		{evaluator.OpenCode, "", `[{"permission":"external_directory","pattern":"/etc/passwd","action":"deny"}]`, "path-form@1"},
		{evaluator.OpenCode, "", `[{"permission":"external_directory","pattern":"$HOME/x/*","action":"deny"}]`, "path-form@1"},
		{evaluator.OpenCode, "opencode.json", `{"permission":{"external_directory":{"~/x/*":"deny"},"edit":{"~/x/*":"deny"}}}`, "path-form@1"},
		{evaluator.OpenCode2, "", `[{"action":"external_directory","resource":"../other/*","effect":"deny"}]`, "path-form@1"},
		{evaluator.Claude, "settings.json", `{"permissions":{"deny":["Read(/etc/**)","Edit(../x)","Read(!a)","Read(//etc/**)","Read(~/.ssh/**)","Read(/src/**)"]}}`, "path-form@1 path-form@1 path-form@1"},
		{evaluator.Claude, "", claudeSession(`["Read(/src/**)"]`), "path-form@1"},
		{evaluator.Cursor, "cli.json", `{"permissions":{"deny":["Write(~/x)","Read(./src/**)"]}}`, "path-form@1 path-form@1"},
		{evaluator.Grok, "settings.json", `{"permissions":{"deny":["Edit(~/x)","Read(*.pem)"]}}`, "path-form@1 shallow-pattern@1"},
		// shell-composition
		{evaluator.Claude, "settings.json", `{"permissions":{"allow":["Bash(env *)","Bash(xargs:*)","Bash(npx *)","Bash(sh -c *)","Bash(find *)","Bash(AWS_PROFILE=*)"]}}`, "launcher@1 launcher@1 launcher@1 launcher@1 launcher@1 launcher@1"},
		{evaluator.Claude, "settings.json", `{"permissions":{"allow":["Bash(env FOO=1 make)","Bash(xargs grep *)","Bash(npx prettier *)","Bash(find . -name x)","Bash(bash scripts/x.sh *)"]}}`, ""},
		{evaluator.Claude, "settings.json", `{"permissions":{"allow":["Bash(cd src && make *)"]}}`, "never-matches@1"},
		{evaluator.OpenCode2, "", `[{"action":"shell","resource":"*","effect":"ask"},{"action":"shell","resource":"sudo *","effect":"allow"}]`, "launcher@1"},
		{evaluator.OpenCode2, "", `[{"action":"shell","resource":"*","effect":"allow"},{"action":"shell","resource":"*id_rsa*","effect":"ask"}]`, "textual-ban@1"},
		{evaluator.Codex, "x.rules", `prefix_rule(pattern=["python3"])`, "launcher@1"},
		{evaluator.Cursor, "cli.json", `{"permissions":{"allow":["Shell(bash)","Shell(env:*)","Shell(cd)"]}}`, "launcher@1 launcher@1"},
		// inert-rule
		{evaluator.OpenCode, "", "[{\"permission\":\"shell\",\"pattern\":\"*\",\"action\":\"ask\"},\n{\"permission\":\"subagent\",\"pattern\":\"*\",\"action\":\"deny\"}]", "unknown-action@1 unknown-action@2"},
		{evaluator.OpenCode2, "", "[{\"action\":\"bash\",\"resource\":\"*\",\"effect\":\"ask\"},\n{\"action\":\"task\",\"resource\":\"*\",\"effect\":\"deny\"}]", "unknown-action@1 unknown-action@2"},
		{evaluator.OpenCode, "", `[{"permission":"list","pattern":"*","action":"deny"},{"permission":"Bash","pattern":"*","action":"deny"}]`, "unused-action@1 unknown-action@1"},
		{evaluator.OpenCode, "", `[{"permission":"*","pattern":"*","action":"ask"},{"permission":"codesearch","pattern":"*","action":"ask"}]`, ""},
		{evaluator.OpenCode, "", `[{"permission":"doom_loop","pattern":"*","action":"allow"},{"permission":"question","pattern":"*","action":"ask"}]`, "inert-rule@1 inert-rule@1"},
		{evaluator.OpenCode, "", `[{"permission":"my_server_tool","pattern":"repo","action":"deny"},{"permission":"fs_write_file","pattern":"*","action":"deny"}]`, "never-matches@1"},
		{evaluator.OpenCode2, "", `[{"action":"edit","resource":"*","effect":"denied"},{"action":"edit","resource":"*"},{"action":"edit","resource":"*","effect":""}]`, "invalid@1 invalid@1 invalid@1"},
		{evaluator.OpenCode, "opencode.json", `{"permission":{"bash":"never","edit":{"*":true}}}`, "invalid@1 invalid@1"},
		{evaluator.Claude, "settings.json", `{"permissions":{"deny":["bash(rm *)","Bash(rm","Bash()","Write(src/**)","Shell(rm)"],"ask":["Agent(x)","Skill(y)"],"denied":["Bash"]}}`,
			"unknown-action@1 inert-rule@1 inert-rule@1 inert-rule@1 unknown-action@1 inert-rule@1 inert-rule@1 inert-rule@1"},
		{evaluator.Claude, "settings.json", `{"permissions":{"allow":["WebFetch(https://x.org/a)","WebFetch(domain:x.org)","mcp__*","mcp__s__*","W*","WebSearch(x)"]}}`, "never-matches@1 inert-rule@1 inert-rule@1 never-matches@1"},
		{evaluator.Codex, "rules.txt", `prefix_rule(pattern=["apply_patch"], decision="forbidden")`, "ignored-file@1 inert-rule@1"},
		{evaluator.Codex, "default.rules", `prefix_rule(pattern=["git"])`, "pruned-rule@1"},
		{evaluator.Codex, "x.rules", "prefix_rule(pattern=[\"ls\"])\nprefix_rule(pattern=[])", "invalid@2"},
		{evaluator.Codex, "config.toml", "approval_policy = \"on-failure\"\n", "inert-setting@1"},
		{evaluator.Cursor, "cli.json", `{"permissions":{"allow":["Shell(git status)","Bash(ls)"],"deny":["WebFetch(*)"]}}`, "never-matches@1 unknown-action@1 inert-rule@1"},
		{evaluator.Grok, "", `{"argv":["--deny","Bash(ls)","agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`, "inert-setting@1"},
		// layers-and-order
		{evaluator.OpenCode, "opencode.json", `{"permission":{"bash":{"*":"ask","10":"allow","2":"deny"}}}`, "integer-key@1 integer-key@1"},
		{evaluator.OpenCode, "opencode.json", `{"permission":{"bash":{"2":"deny","10":"allow","x":"ask"}}}`, ""},
		{evaluator.OpenCode, "opencode.json", `{"edit":"deny","edit":{"docs/*":"allow"}}`, "invalid@1"},
		// one-rule-does-not-cover-other-tools
		{evaluator.OpenCode2, "", `[{"action":"shell","resource":"*","effect":"ask"},{"action":"edit","resource":"secret/*","effect":"deny"},{"action":"shell","resource":"sed *","effect":"allow"}]`, "other-tool@1"},
		{evaluator.OpenCode2, "", `[{"action":"shell","resource":"*","effect":"ask"},{"action":"read","resource":"*.env","effect":"deny"},{"action":"shell","resource":"make *","effect":"allow"}]`, ""},
		{evaluator.Claude, "settings.json", `{"permissions":{"deny":["Edit"]}}`, "other-tool@1"},
		{evaluator.Claude, "settings.json", `{"permissions":{"deny":["Edit","Write"]}}`, ""},
		{evaluator.Claude, "settings.json", `{"permissions":{"ask":["Read(secrets/**)"]}}`, "other-tool@1"},
		{evaluator.Claude, "settings.json", `{"permissions":{"deny":["Read(secrets/**)"]}}`, ""},
		{evaluator.OpenCode2, "", `[{"action":"read","resource":"*.env","effect":"deny"}]`, "other-tool@1"},
		{evaluator.OpenCode, "opencode.json", `{"permission":{"read":{"*.env":"deny"},"bash":"ask"}}`, ""},
		// grant-scope
		{evaluator.OpenCode2, "", `[{"action":"shell","resource":"*","effect":"ask"},{"action":"shell","resource":"git status*","effect":"allow"},{"action":"shell","resource":"* --help","effect":"allow"}]`, "wide-grant@1 wide-grant@1"},
		{evaluator.Claude, "settings.json", `{"permissions":{"allow":["Bash(npm run test*)","Bash(npm run lint *)","Bash(npm run build:*)"]}}`, "wide-grant@1"},
		{evaluator.Codex, "config.toml", "[mcp_servers.s]\ndefault_tools_approval_mode = \"approve\"\n", "wide-grant@2"},
		// patterns that hold the agent up
		{evaluator.OpenCode, "", `[{"permission":"bash","pattern":"*a*a*a*a*b","action":"deny"}]`, "stall@1"},
		{evaluator.OpenCode2, "", `[{"action":"webfetch","resource":"*://*/*/*?x","effect":"deny"}]`, "stall@1"},
		{evaluator.OpenCode2, "", `[{"action":"shell","resource":"*","effect":"ask"},{"action":"edit","resource":"src/*/test/*","effect":"deny"},{"action":"shell","resource":"git * --force*","effect":"deny"}]`, ""},
	} {
		if c.file == "" {
			c.file = "native.json"
		}
		list := lint.File(linter(t, c.provider), c.file, []byte(c.text), compiler.Setting{})
		if got := found(list); got != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.provider, c.text, got, c.want)
			for _, f := range list {
				t.Logf("%s: %s", f.Rule, f.Message)
			}
		}
	}
}

func claudeSession(deny string) string {
	return `{"permissionMode":null,"allowDangerouslySkipPermissions":false,"turnPermissionMode":"default","permissions":{"allow":[],"ask":[],"deny":` + deny +
		`},"callback":{"AskUserQuestion":"question","ExitPlanMode":"capture-plan-then-deny","default":"ask"}}`
}

// TestReportedSavedGrant is GR-02: a grant that was saved earlier beats an ask.
func TestReportedSavedGrant(t *testing.T) {
	var r struct {
		Saved []evaluator.Grant `json:"saved_grants"`
	}
	var f struct {
		Cases []struct {
			ID    string
			Input json.RawMessage
		}
	}
	load(t, "../testdata/reports.json", &f)
	i := slices.IndexFunc(f.Cases, func(c struct {
		ID    string
		Input json.RawMessage
	}) bool {
		return c.ID == "GR-02"
	})
	if err := json.Unmarshal(f.Cases[i].Input, &r); err != nil || len(r.Saved) != 1 {
		t.Fatal(err, r)
	}
	in := reports(t)["GR-02"].Input
	if got := found(lintRules(t, in, evaluator.Env{Saved: r.Saved})); got != "saved-grant@2" {
		t.Error(got)
	}
	r.Saved[0].Resource = "ssh host-a"
	if got := found(lintRules(t, in, evaluator.Env{Saved: r.Saved})); got != "" {
		t.Error(got)
	}
}

// TestReportedPolicies are IN-04, IN-05 and IN-14: what is malformed is refused, every
// fault with its place.
func TestReportedPolicies(t *testing.T) {
	var f struct {
		Cases []struct {
			ID    string
			Input struct {
				Policy string `json:"policy_yaml"`
			}
		}
	}
	load(t, "../testdata/reports.json", &f)
	want := map[string][]string{
		"IN-04": {`x.yaml:2:42: unknown effect "denied": use allow, ask, review, deny`, "x.yaml:3:33: rules[1].effect has no value"},
		"IN-05": {"x.yaml:2"},
		"IN-14": {`x.yaml:5`, `"effect"`},
	}
	for _, c := range f.Cases {
		if want[c.ID] == nil {
			continue
		}
		_, err := policies.Parse(policies.File{Name: "x.yaml", Data: []byte(c.Input.Policy)})
		list, ok := err.(diag.List)
		if !ok || len(list) == 0 {
			t.Errorf("%s is read: %v", c.ID, err)
			continue
		}
		for _, text := range want[c.ID] {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%s: nothing says %q:\n%v", c.ID, text, err)
			}
		}
	}
}

// TestReportedNames are IN-10, PATH-14 and LY-05: each generation of OpenCode gets its
// own names, home folders are absolute, and rules are a list.
func TestReportedNames(t *testing.T) {
	policy, err := policies.Parse(policies.File{Name: "x.yaml", Data: []byte(`
apiVersion: modegate/v1
name: x
extends: builtin/t3code
rules:
  - {id: all, kind: command, match: "*", effect: ask}
  - {id: ten, kind: command, match: "10", effect: allow}
  - {id: two, kind: command, match: "2", effect: ask}
  - {id: agents, kind: subagent, match: "*", effect: deny}
  - {id: shared, kind: outside-workspace, match: ~/shared/**, effect: allow}
`)})
	if err != nil {
		t.Fatal(err)
	}
	for provider, names := range map[evaluator.Provider][2]string{evaluator.OpenCode: {"bash", "task"}, evaluator.OpenCode2: {"shell", "subagent"}} {
		d, _ := adapters.Find(provider)
		in := compiler.Lower(policy, evaluator.Cell{Provider: provider, Mode: evaluator.ApprovalRequired, Interaction: evaluator.Default})
		w, err := d.Write(in, evaluator.Env{Workspace: "/work/app", Home: "/home/u"})
		if err != nil {
			t.Fatal(err)
		}
		var rules []map[string]string
		if err := json.Unmarshal(w.Native, &rules); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range rules {
			for _, v := range r {
				got = append(got, v)
			}
		}
		for _, want := range []string{names[0], names[1], "10", "2", "/home/u/shared/*"} {
			if !slices.Contains(got, want) {
				t.Errorf("%s: no rule has %q: %s", provider, want, w.Native)
			}
		}
		if strings.ContainsAny(string(w.Native), "~$") {
			t.Errorf("%s: a home shortcut is sent: %s", provider, w.Native)
		}
		list, err := linter(t, provider).Lint(lint.Settings{Text: w.Native, Written: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if f.Rule == "unknown-action" || f.Rule == "path-form" {
				t.Errorf("%s: %s", provider, f.Message)
			}
		}
	}
}

// TestFindingsAreDescribed: every finding's rule is in the catalogue, which is in
// order.
func TestFindingsAreDescribed(t *testing.T) {
	var ids []string
	for _, d := range lint.Catalogue() {
		ids = append(ids, d.ID)
		if d.Short == "" || d.Why == "" || d.Instead == "" {
			t.Errorf("%s isn't described", d.ID)
		}
	}
	if d := cmp.Diff(slices.Sorted(slices.Values(ids)), ids); d != "" {
		t.Error(d)
	}
}

// FuzzLint: whatever a text is, it has findings in its lines, or none.
func FuzzLint(f *testing.F) {
	for i := range evaluator.Providers() {
		for _, s := range []string{
			`[{"action":"shell","resource":"*a*b* *","effect":"allow"},{"action":"?","resource":"","effect":"deny"}]`,
			`[{"permission":"bash","pattern":" *","action":"allow"},{"permission":"edit","pattern":"/","action":"deny"}]`,
			`{"permission":{"bash":{"*":"ask","1":"deny"},"edit":"deny"},"agent":{"a":{"permission":"ask"}}}`,
			`{"permissions":{"allow":["Bash(:*)","Bash( *)","Read(//)","Edit(**)","mcp__","Shell(:)","Shell( )","*(x)"],"ask":["WebFetch(domain:)"],"deny":["Bash","Read([)"]}}`,
			`prefix_rule(pattern=[["a","b"],["c"]], decision="prompt")`, "approval_policy = 1\n", claudeSession("[]"),
		} {
			f.Add(uint8(i), s, "x.json")
		}
	}
	f.Add(uint8(0), "mcp_servers = [1]\n", "config.toml")
	f.Fuzz(func(t *testing.T, provider uint8, text, name string) {
		all := evaluator.Providers()
		l := linter(t, all[int(provider)%len(all)])
		for _, written := range []bool{false, true} {
			_, _ = l.Lint(lint.Settings{Text: []byte(text), Written: written, File: name})
		}
		env := evaluator.Env{Workspace: "/w", Home: "/h", Saved: []evaluator.Grant{{Action: "*", Resource: "*"}}}
		for _, finding := range lint.File(l, name, []byte(text), compiler.Setting{Env: env}) {
			if lint.Describe(finding.Rule).ID == "" {
				t.Errorf("%s isn't in the catalogue", finding.Rule)
			}
			if lines := 1 + strings.Count(text, "\n") + strings.Count(text, "\r"); finding.Line > lines+1 { // Starlark's lines end in either
				t.Errorf("line %d of %d", finding.Line, lines)
			}
		}
	})
}
