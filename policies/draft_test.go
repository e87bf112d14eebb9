package policies_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// TestDraft: what is written is read back, rule for rule, by the parser and by the
// schema.
func TestDraft(t *testing.T) {
	schema := compileSchema(t, policies.Schema())
	rapid.Check(t, func(t *rapid.T) {
		d := policies.Draft{Name: "drafted", About: []string{rapid.String().Draw(t, "about")}}
		for i := range rapid.IntRange(1, 6).Draw(t, "rules") {
			match := rapid.StringOfN(rapid.RuneFrom([]rune(`ab.*? "\\'#:-{}[]&!|>%@é日`+"`")), 1, 12, -1).Draw(t, "match")
			if policies.CheckMatch(evaluator.WebSearch, match) != nil {
				match = "*"
			}
			r := policies.Rule{ID: "r" + string(rune('a'+i)), Kind: evaluator.WebSearch, Match: match, Effect: rapid.SampledFrom([]evaluator.Effect{evaluator.Allow, evaluator.Ask, evaluator.Deny}).Draw(t, "effect")}
			if rapid.Bool().Draw(t, "modes") {
				r.Modes = []evaluator.Mode{evaluator.Auto, evaluator.FullAccess}
			}
			d.Rules = append(d.Rules, policies.DraftRule{Rule: r, Comment: rapid.String().Draw(t, "comment")})
		}
		d.Acknowledge = []policies.Acknowledgement{{Gap: "codex.web-search.ra", Reason: policies.Visible("because" + rapid.String().Draw(t, "reason"))}}
		text := d.Format()
		p, err := policies.Parse(policies.File{Name: "drafted.yaml", Data: text})
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		if decoded, err := validate(schema, text); !decoded || err != nil {
			t.Fatalf("%s\nthe schema: %v", text, err)
		}
		var want, got []policies.Rule
		said := rapid.String().Draw(t, "said")
		readable := policies.File{Name: "said.yaml", Data: []byte("apiVersion: modegate/v1\nname: x\nmodes:\n  auto: {rules: [{kind: any, match: \"*\", effect: ask}]}\nacknowledge:\n  - {gap: codex.any.x, reason: " + policies.Quote(said) + "}\n")}
		if _, err := policies.Parse(readable); (err == nil) != policies.Sayable(said) {
			t.Fatalf("Sayable(%q) is %v, the parser says %v", said, policies.Sayable(said), err)
		}
		for _, r := range d.Rules {
			want = append(want, r.Rule)
		}
		for _, r := range p.Rules {
			r.Source = evaluator.Source{}
			got = append(got, r)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s\n-written +read\n%s", text, diff)
		}
		if p.Acknowledge[0].Reason != d.Acknowledge[0].Reason {
			t.Fatalf("the reason %q is read as %q", d.Acknowledge[0].Reason, p.Acknowledge[0].Reason)
		}
	})
}

// TestDraftSections: interactions and profiles stand where they belong, and what
// people can't see doesn't get out of its comment.
func TestDraftSections(t *testing.T) {
	d := policies.Draft{
		Name: "drafted", About: []string{"one\ntwo\u202e"},
		Interactions: map[evaluator.Interaction][]policies.DraftRule{evaluator.Plan: {{Rule: policies.Rule{ID: "a", Kind: evaluator.Command, Match: "ls *", Effect: evaluator.Deny}}}},
		Profiles:     map[evaluator.Provider][]string{evaluator.OpenCode2: {"last:", "  - {action: a, resource: b, effect: ask}"}},
	}
	want := strings.Join([]string{
		`# one\u000atwo\u202e`, "apiVersion: modegate/v1", "name: drafted", "", "interactions:", "  plan:", "    rules:",
		`      - {id: a, kind: command, match: "ls *", effect: deny}`, "", "providers:", "  opencode2:", "    last:", "      - {action: a, resource: b, effect: ask}", "",
	}, "\n")
	if diff := cmp.Diff(want, string(d.Format())); diff != "" {
		t.Error(diff)
	}
	if _, err := policies.Parse(policies.File{Name: "drafted.yaml", Data: d.Format()}); err != nil {
		t.Error(err)
	}
}
