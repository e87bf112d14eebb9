// Package brokertest owns what the tests of every provider's Translator share:
// goldens that show a request and the steps of each decision side by side, and
// the properties that hold for any request whatever.
package brokertest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// Decisions are all that a person can decide.
func Decisions() []broker.Decision {
	return []broker.Decision{broker.Accept, broker.AcceptForSession, broker.AcceptAlways, broker.Decline, broker.Cancel}
}

// Goldens holds every file of a folder: "# " lines about it, the request in
// "== native", answers to try in the headings of "== answers", and all the rest
// as the Translator has it. Together they need the controls that it says.
func Goldens(t *testing.T, tr broker.Translator, p evaluator.Provider, dir string, update bool) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens in %s", dir)
	}
	var natives [][]byte
	for _, file := range files {
		natives = append(natives, Native(t, file))
	}
	Controls(t, tr, natives...)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := golden(t, tr, p, string(text))
			if update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(string(text), got); d != "" {
				t.Errorf("%s: %s\nrun with -update if that is meant", file, d)
			}
		})
	}
}

// Native reads the request of a golden file.
func Native(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, native, _ := cut(string(text))
	return []byte(native)
}

// cut takes the inputs out of a golden.
func cut(text string) (about, native string, answers []string) {
	about, rest, _ := strings.Cut(text, "== native\n")
	native, rest, _ = strings.Cut(rest, "\n== ")
	for _, section := range strings.Split("== "+rest, "\n== ") {
		heading, _, _ := strings.Cut(strings.TrimPrefix(section, "== "), "\n")
		if a, ok := strings.CutPrefix(heading, "answers "); ok {
			answers = append(answers, a)
		}
	}
	return about, strings.TrimSpace(native), answers
}

func golden(t *testing.T, tr broker.Translator, p evaluator.Provider, text string) string {
	about, native, answers := cut(text)
	pretty := jsontext.Value(native)
	if err := pretty.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatal(err)
	}
	r, err := tr.Request([]byte(native))
	if err != nil {
		t.Fatal(err)
	}
	Holds(t, tr, r)
	var b strings.Builder
	fmt.Fprintf(&b, "%s== native\n%s\n", about, pretty)
	fmt.Fprintf(&b, "== request\n%s", show(r))
	for _, d := range Decisions() {
		if _, ok := r.Offers(d); ok || r.Shape == broker.Approval {
			fmt.Fprintf(&b, "== %s\n%s", d, steps(tr, r, broker.Answer{Decision: d}))
		}
	}
	for _, text := range answers {
		var a broker.Answer
		if err := strictjson.Decode([]byte(text), &a.Answers); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "== answers %s\n%s", text, steps(tr, r, a))
	}
	fmt.Fprintf(&b, "== by itself\n%s", automatic(tr, p, r))
	return b.String()
}

func show(r broker.Request) string {
	var b strings.Builder
	kind := string(r.Kind)
	if kind == "" {
		kind = "without a kind"
	}
	fmt.Fprintf(&b, "%s, %s\nid: %s\n", r.Shape, kind, r.ID)
	if r.Session != "" {
		fmt.Fprintf(&b, "session: %s\n", r.Session)
	}
	fmt.Fprintf(&b, "title: %s\nresources: %q\n", r.Title, r.Resources)
	if r.Detail != "" {
		fmt.Fprintf(&b, "detail:\n  %s\n", strings.ReplaceAll(r.Detail, "\n", "\n  "))
	}
	for _, o := range r.Offered {
		fmt.Fprintf(&b, "offers %s: %q, %s", o.Decision, o.Label, o.Scope)
		for _, g := range o.Grants {
			fmt.Fprintf(&b, "; grants %s %q", g.Action, g.Resource)
		}
		b.WriteString("\n")
	}
	for _, q := range r.Questions {
		fmt.Fprintf(&b, "question %q, %q: %q", q.ID, q.Header, q.Question)
		if q.Multiple {
			b.WriteString(", several")
		}
		if q.Custom {
			b.WriteString(", or another text")
		}
		b.WriteString("\n")
		for _, o := range q.Options {
			fmt.Fprintf(&b, "  %q: %q, %q\n", o.Value, o.Label, o.Description)
		}
	}
	return b.String()
}

func steps(tr broker.Translator, r broker.Request, a broker.Answer) string {
	ops, err := tr.Operations(r, a)
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	var b strings.Builder
	for _, op := range ops {
		fmt.Fprintf(&b, "%s %s\n", op.Call, op.Arguments)
	}
	return b.String()
}

// automatic says what each mode answers by itself, modes with one answer together.
func automatic(tr broker.Translator, p evaluator.Provider, r broker.Request) string {
	var answers []string
	modes := map[string][]string{}
	for _, mode := range evaluator.Modes() {
		for _, interaction := range evaluator.Interactions() {
			text := "a person is asked"
			if a, why, ok := tr.Automatic(evaluator.Cell{Provider: p, Mode: mode, Interaction: interaction}, r); ok {
				text = fmt.Sprintf("%s: %s", a.Decision, why)
			}
			if !slices.Contains(answers, text) {
				answers = append(answers, text)
			}
			modes[text] = append(modes[text], fmt.Sprintf("%s/%s", mode, interaction))
		}
	}
	if len(answers) == 1 {
		return "every cell: " + answers[0] + "\n"
	}
	var b strings.Builder
	for _, text := range answers {
		fmt.Fprintf(&b, "%s: %s\n", strings.Join(modes[text], ", "), text)
	}
	return b.String()
}
