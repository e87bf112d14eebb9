package diff_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/diff"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var session = evaluator.Env{Workspace: "/w", Home: "/h"}

func options(providers ...evaluator.Provider) diff.Options {
	o := diff.Options{Modes: evaluator.Modes(), Interactions: evaluator.Interactions(), Env: session}
	for _, d := range adapters.Table() {
		if len(providers) == 0 || slices.Contains(providers, d.Provider()) {
			o.Dialects = append(o.Dialects, d)
		}
	}
	return o
}

// fataler is a testing.T, or a rapid.T.
type fataler interface {
	Helper()
	Fatal(...any)
}

func parse(t fataler, text string) *policies.Policy {
	t.Helper()
	p, err := policies.Parse(policies.File{Name: "acme.yaml", Data: []byte("apiVersion: modegate/v1\nname: acme\nextends: builtin/t3code\n" + text)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func side(t fataler, name string, p *policies.Policy, o diff.Options) *diff.Side {
	t.Helper()
	s, err := diff.OfPolicy(context.Background(), name, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func compare(t fataler, old, new *policies.Policy, o diff.Options) *diff.Report {
	t.Helper()
	r, err := diff.Compare(context.Background(), side(t, "old", old, o), side(t, "new", new, o))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// short writes changes as CELL DIRECTION WITNESS: OLD -> NEW.
func short(r *diff.Report) []string {
	out := []string{}
	for _, c := range r.Changes {
		subject := c.Witness.Command + c.Witness.Path + c.Witness.URL + c.Witness.Tool
		out = append(out, fmt.Sprintf("%s/%s/%s %s %s %s: %s -> %s", c.Provider, c.Mode, c.Interaction, c.Direction, c.Witness.Kind, subject, c.Old.Effect, c.New.Effect))
	}
	return out
}

func TestChanges(t *testing.T) {
	only := func(providers ...evaluator.Provider) diff.Options {
		o := options(providers...)
		o.Modes, o.Interactions = []evaluator.Mode{evaluator.Auto}, []evaluator.Interaction{evaluator.Default}
		return o
	}
	for _, tt := range []struct {
		name     string
		old, new string
		options  diff.Options
		want     []string
	}{
		{"nothing", "", "", options(), nil},
		{
			"another text, names and an order that decides nothing",
			"rules:\n  - {id: a, kind: command, match: git status, effect: allow, providers: [opencode2]}\n  - {id: b, kind: file-read, match: secret/**, effect: ask}\nacknowledge: [{gap: codex.file-read.b, reason: x}, {gap: claude.file-read.b, reason: x}, {gap: cursor.file-read.b, reason: x}, {gap: grok.file-read.b, reason: x}]\n",
			"# reordered\nrules:\n  - {id: d, kind: file-read, match: secret/**, effect: ask}\n  - {id: c, kind: command, match: git status, effect: allow, providers: [opencode2]}\nacknowledge: [{gap: codex.file-read.d, reason: x}, {gap: claude.file-read.d, reason: x}, {gap: cursor.file-read.d, reason: x}, {gap: grok.file-read.d, reason: x}]\n",
			options(evaluator.OpenCode2, evaluator.Claude, evaluator.Codex), nil,
		},
		{
			"a deny is gone", "rules:\n  - {id: r, kind: mcp-tool, match: github/*, effect: deny, providers: [opencode2]}\n", "",
			only(evaluator.OpenCode2), []string{"opencode2/auto/default wider mcp-tool x: deny -> allow"},
		},
		{
			"an order that decides",
			"rules:\n  - {id: go, kind: file-change, match: \"**/*.rs\", effect: deny}\n  - {id: src, kind: file-change, match: lib/**, effect: allow}\n",
			"rules:\n  - {id: src, kind: file-change, match: lib/**, effect: allow}\n  - {id: go, kind: file-change, match: \"**/*.rs\", effect: deny}\n",
			only(evaluator.OpenCode2), []string{"opencode2/auto/default narrower file-change lib/x.rs: allow -> deny"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := compare(t, parse(t, tt.old), parse(t, tt.new), tt.options)
			if d := cmp.Diff(append([]string{}, tt.want...), short(r)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			if r.Widened() != strings.Contains(strings.Join(tt.want, ""), " wider ") {
				t.Errorf("widened is %v", r.Widened())
			}
		})
	}
}

// Where a provider takes values and no rules, the places are those of the values
// that differ, beside what each policy says in its own words.
func TestValues(t *testing.T) {
	o := options(evaluator.Codex)
	o.Modes, o.Interactions = []evaluator.Mode{evaluator.Auto}, []evaluator.Interaction{evaluator.Default}
	r := compare(t, parse(t, ""), parse(t, "providers:\n  codex:\n    modes:\n      auto: {approvalPolicy: never, sandbox: workspace-write, approvalsReviewer: auto_review}\n"), o)
	i := slices.IndexFunc(r.Changes, func(c diff.Change) bool { return c.Witness.Kind == evaluator.FileChange })
	if i < 0 {
		t.Fatalf("no change of a file among %q", short(r))
	}
	c := r.Changes[i]
	if c.Old.Effect != evaluator.Review || c.New.Effect != evaluator.Deny || c.Direction != evaluator.Narrower {
		t.Errorf("%s: %s -> %s", c.Direction, c.Old.Effect, c.New.Effect)
	}
	old := []evaluator.Source{{File: "t3code.yaml", Line: 52, Column: 13}}
	new := []evaluator.Source{{File: "acme.yaml", Line: 7, Column: 14}}
	if d := cmp.Diff(old, c.Old.Values, places); d != "" {
		t.Errorf("the old value: -want +got\n%s", d)
	}
	if d := cmp.Diff(new, c.New.Values, places); d != "" {
		t.Errorf("the new value: -want +got\n%s", d)
	}
	if c.Old.Policy == nil || c.Old.Policy.Rule.ID != "edits-review" {
		t.Errorf("the policy says %+v", c.Old.Policy)
	}
}

// places compares files and lines.
var places = cmpopts.IgnoreFields(evaluator.Source{}, "Column")

// The provider's own rules have boundaries, too: what a new rule opens may lie on
// one of them alone.
func TestOwnRules(t *testing.T) {
	o := options(evaluator.OpenCode2)
	o.Modes, o.Interactions = []evaluator.Mode{evaluator.Auto}, []evaluator.Interaction{evaluator.Default}
	o.Env.Agents = []evaluator.Agent{{ID: "build", Permissions: []evaluator.AgentRule{
		{Action: "*", Resource: "*", Effect: evaluator.Allow}, {Action: "read", Resource: "*.secret", Effect: evaluator.Ask},
	}}}
	r := compare(t, parse(t, ""), parse(t, "rules:\n  - {id: r, kind: file-read, match: lib/**, effect: allow}\n"), o)
	if d := cmp.Diff([]string{"opencode2/auto/default wider file-read lib/x.secret: ask -> allow"}, short(r)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// A RuleSet that was written and read back is the same side as its policy.
func TestRuleSets(t *testing.T) {
	o := options()
	a := parse(t, "")
	b := parse(t, "rules:\n  - {id: r, kind: mcp-tool, match: github/*, effect: deny, providers: [opencode2, claude]}\n")
	sets := func(p *policies.Policy) *diff.Side {
		t.Helper()
		var all []compiler.RuleSet
		for _, d := range o.Dialects {
			for _, m := range o.Modes {
				for _, i := range o.Interactions {
					c, err := compiler.Compile(p, d, evaluator.Cell{Provider: d.Provider(), Mode: m, Interaction: i}, compiler.Options{Env: session})
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, c.RuleSet)
				}
			}
		}
		text, err := strictjson.Indent(all)
		if err != nil {
			t.Fatal(err)
		}
		read, err := compiler.ReadRuleSets(text)
		if err != nil {
			t.Fatal(err)
		}
		s, err := diff.OfRuleSets("sets", read, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if r, err := diff.Compare(context.Background(), sets(a), side(t, "a", a, o)); err != nil || r.Differs() || r.Same != 48 {
		t.Errorf("a policy differs from its RuleSets: %v %+v", err, r)
	}
	want := short(compare(t, a, b, o))
	r, err := diff.Compare(context.Background(), sets(a), sets(b))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, short(r)); d != "" || len(want) < 8 {
		t.Errorf("-the policies +their RuleSets\n%s", d)
	}
	for _, c := range r.Changes {
		if c.New.Rule == nil || c.New.Rule.Source == nil || c.New.Rule.Source.ID != "r" {
			t.Errorf("the new rule is %+v", c.New.Rule)
		}
	}
}

// What only one side has is told, and two sides without a common cell aren't
// compared.
func TestCellsOfOneSide(t *testing.T) {
	p := parse(t, "")
	r, err := diff.Compare(context.Background(), side(t, "a", p, options(evaluator.Codex)), side(t, "b", p, options(evaluator.Codex, evaluator.Grok)))
	if err != nil || len(r.OnlyNew) != 8 || r.OnlyOld != nil || r.Cells != 8 || !r.Differs() || r.Widened() {
		t.Errorf("%v %+v", err, r)
	}
	if _, err := diff.Compare(context.Background(), side(t, "a", p, options(evaluator.Codex)), side(t, "b", p, options(evaluator.Grok))); err == nil {
		t.Error("nothing was compared, and that is fine")
	}
}

// A comparison ends with its context.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := options(evaluator.Codex)
	a, b := parse(t, ""), parse(t, "rules:\n  - {id: r, kind: command, match: ls *, effect: allow}\n")
	old, new := side(t, "a", a, o), side(t, "b", b, o)
	cancel()
	if _, err := diff.Compare(ctx, old, new); !errors.Is(err, context.Canceled) {
		t.Errorf("compared: %v", err)
	}
	if _, err := diff.OfPolicy(ctx, "a", a, o); !errors.Is(err, context.Canceled) {
		t.Errorf("compiled: %v", err)
	}
}

// A policy that can't be compiled isn't a side.
func TestRefused(t *testing.T) {
	_, err := diff.OfPolicy(context.Background(), "acme", parse(t, "rules:\n  - {id: r, kind: command, match: git push *, effect: deny, providers: [opencode2]}\n"), options())
	if err == nil || !strings.HasPrefix(err.Error(), "acme.yaml:5:5: gap opencode2.command.r: ") {
		t.Errorf("got %v", err)
	}
}

// TestForms holds the reports for people.
func TestForms(t *testing.T) {
	o := options(evaluator.OpenCode2, evaluator.Codex)
	o.Modes = []evaluator.Mode{evaluator.Auto, evaluator.FullAccess}
	old := parse(t, "rules:\n  - {id: tools, kind: mcp-tool, match: github/*, effect: deny, providers: [opencode2]}\n")
	new := parse(t, "rules:\n  - {id: status, kind: command, match: git status, effect: allow, providers: [opencode2]}\nproviders:\n  codex:\n    modes:\n      full-access: {approvalPolicy: on-request}\n")
	r := compare(t, old, new, o)
	r.Probes = 1234 // whatever they are
	var text, markdown bytes.Buffer
	if err := errors.Join(r.Text(&text), r.Markdown(&markdown)); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.txt", text.Bytes())
	golden(t, "report.md", markdown.Bytes())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("-%s +got\n%s", name, d)
	}
}
