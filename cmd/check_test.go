package cmd

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/sarif/sariftest"
	"github.com/modegate/modegate/internal/strictjson"
)

// faulty are policies and settings with faults, one kind of fault a file, and how
// they are checked. Golden files beside them have what is found.
var faulty = []struct{ golden, args string }{
	{"dead-rule", "-p opencode2 dead-rule.yaml"},
	{"dead-by-a-stricter-rule", "-p claude,codex,opencode2 -i default dead-by-a-stricter-rule.yaml"},
	{"catch-all-last", "-p opencode2 catch-all-last.yaml"},
	{"layers", "-p opencode layers"},
	{"never-matches", "-p opencode2 never-matches.yaml"},
	{"literal-pattern", "-p opencode2 -m auto literal-pattern.yaml"},
	{"shallow-pattern", "-p opencode2 -m auto shallow-pattern.yaml"},
	{"launcher", "-p opencode2 launcher.yaml"},
	{"other-tool", "-p opencode2 other-tool.yaml"},
	{"wide-grant", "-p opencode2 wide-grant.yaml"},
	{"unspecified-mode", "-p opencode2 -m approval-required unspecified-mode.yaml"},
	{"unknown-gap", "-p opencode2 unknown-gap.yaml"},
	{"unknown-action", "-p opencode -i default unknown-action.yaml"},
	{"invariant", "-p opencode2 invariant.yaml"},
	{"invalid", "invalid.yaml"},
	{"refused", "-p opencode2 refused.yaml"},
	{"claude", "-p claude --native settings.claude.json --native session.claude.json"},
	{"opencode", "-p opencode --home /home/dev --native opencode.opencode.jsonc --native idle.opencode.json"},
	{"opencode2", "-p opencode2 --native rules.opencode2.json --env rules.opencode2.env.json"},
	{"codex", "-p codex --native rules/mine.rules --native rules/default.rules --native rules/broken.rules --native rules/rules.txt --native thread.codex.json --native config.codex.toml"},
	{"cursor", "-p cursor --native cli.cursor.json"},
	{"grok", "-p grok --native settings.grok.json --native launch.grok.json"},
}

// reportOf is what a check comes to.
func reportOf(t *testing.T, args string) *checkReport {
	t.Helper()
	var c checkFlags
	cmd := c.command()
	if err := cmd.ParseFlags(strings.Fields(args)); err != nil {
		t.Fatal(err)
	}
	r, err := c.report(cmd, cmd.Flags().Args())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func printed(t *testing.T, r *checkReport, format string) string {
	t.Helper()
	var b strings.Builder
	if err := r.print(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCheckFindsFaults holds what is found in faulty files: in text to the golden
// files, in JSON to the fields of LINTS.md, in SARIF to the standard's schema.
func TestCheckFindsFaults(t *testing.T) {
	schema := sariftest.Schema(t)
	t.Chdir("testdata/check")
	seen := map[string]bool{"too-large": true} // its test is in compiler/lint/policylint
	for _, c := range faulty {
		r := reportOf(t, c.args)
		text := printed(t, r, "text")
		if *update {
			if err := os.WriteFile(c.golden+".txt", []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(c.golden + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), text); d != "" {
			t.Errorf("%s (-want +got); see -update:\n%s", c.golden, d)
		}
		for _, f := range fromJSON(t, printed(t, r, "json")) {
			seen[f.Rule] = true
			if f.File == "" || f.Line == 0 || f.Message == "" || f.Instead == "" && f.Rule != "invalid" {
				t.Errorf("%s: a finding doesn't say all: %+v", c.golden, f)
			}
		}
		checkSARIF(t, schema, printed(t, r, "sarif"))
	}
	for _, d := range lint.Catalogue() {
		if !seen[d.ID] {
			t.Errorf("no faulty file shows %s", d.ID)
		}
	}
	checkSARIF(t, schema, printed(t, reportOf(t, "-p codex -m auto builtin/t3code"), "sarif"))
}

// fromJSON reads the documented fields, and no others.
func fromJSON(t *testing.T, text string) []lint.Finding {
	t.Helper()
	var r struct {
		Checked []struct {
			Name     string             `json:"name"`
			Provider evaluator.Provider `json:"provider"`
			Cells    int                `json:"cells"`
		} `json:"checked"`
		Findings []lint.Finding `json:"findings"`
		Summary  summary        `json:"summary"`
	}
	if err := strictjson.Decode([]byte(text), &r); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var counts summary
	counts.count(r.Findings)
	if len(r.Checked) == 0 || counts != r.Summary {
		t.Errorf("%d subjects, and a summary of %v for %v", len(r.Checked), r.Summary, counts)
	}
	return r.Findings
}

// checkSARIF holds a log to the schema, and to what that can't say: each result's
// index leads to its rule, and each result has a place.
func checkSARIF(t *testing.T, schema *jsonschema.Schema, text string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						ID   string                `json:"id"`
						Help struct{ Text string } `json:"help"`
					} `json:"rules"`
				} `json:"driver"`
			} `json:"tool"`
			Results []struct {
				RuleID    string `json:"ruleId"`
				RuleIndex int    `json:"ruleIndex"`
				Locations []struct {
					Physical struct {
						Region struct {
							StartLine int `json:"startLine"`
						} `json:"region"`
					} `json:"physicalLocation"`
				} `json:"locations"`
			} `json:"results"`
		} `json:"runs"`
	}
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatal(err)
	}
	for _, r := range log.Runs[0].Results {
		rule := log.Runs[0].Tool.Driver.Rules[r.RuleIndex]
		if rule.ID != r.RuleID || rule.Help.Text == "" || len(r.Locations) != 1 || r.Locations[0].Physical.Region.StartLine == 0 {
			t.Errorf("the result %+v has the rule %q", r, rule.ID)
		}
	}
}
