package cmd

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
)

// TestSample picks as many as asked for, none twice, in runs of neighbours.
func TestSample(t *testing.T) {
	for _, c := range []struct{ n, count, want int }{{100, 10, 10}, {3, 10, 3}, {0, 5, 0}, {9, 9, 9}} {
		got := sample(rand.New(rand.NewPCG(1, 2)), c.n, c.count)
		sorted := slices.Clone(got)
		slices.Sort(sorted)
		if len(got) != c.want || len(slices.Compact(sorted)) != c.want {
			t.Errorf("%d of %d: %v", c.count, c.n, got)
		}
	}
}

// told is an oracle that says what a table says.
type told map[string]compiler.Answer

func (o told) Answer(_ context.Context, _ compiler.CaseFile, rows []jsontext.Value) ([]compiler.Answer, error) {
	out := make([]compiler.Answer, len(rows))
	for i, raw := range rows {
		out[i] = o[string(raw)]
	}
	return out, nil
}

func (told) Fresh(*rand.Rand, int) (compiler.CaseFile, []jsontext.Value) {
	return compiler.CaseFile{}, nil
}

func (told) Close() error { return nil }

// words judges rows {"we","did"}.
type words struct{}

func (words) Conform(raw jsontext.Value, _ compiler.CaseFile) (compiler.Judged, error) {
	var r struct{ We, Did string }
	err := json.Unmarshal(raw, &r)
	return compiler.Judged{Passed: r.We == r.Did, Got: r.We, Want: r.Did, Case: string(raw)}, err
}

// TestCompare pins how answers are counted: one that is missing never passes, one
// that can't be asked isn't counted.
func TestCompare(t *testing.T) {
	row := func(we, did string) jsontext.Value { return jsontext.Value(`{"We":"` + we + `","Did":"` + did + `"}`) }
	answers := told{
		string(row("ask", "ask")):     {Row: row("ask", "ask")},
		string(row("deny", "deny")):   {Row: row("deny", "allow")}, // it does otherwise now
		string(row("allow", "allow")): {Failed: "it ended"},
		string(row("x", "x")):         {Skipped: "no such thing here"},
		string(row("unknown", "")):    {Row: row("unknown", "allow")},
	}
	r, done := report{}, run{}
	f := caseFile{name: "f", recorded: "1", CaseFile: compiler.CaseFile{Version: "1"}}
	rows := []jsontext.Value{row("ask", "ask"), row("deny", "deny"), row("allow", "allow"), row("x", "x")}
	if err := r.compare(t.Context(), answers, words{}, f, []int{4, 5, 6, 7}, rows, &done); err != nil {
		t.Fatal(err)
	}
	if err := r.compare(t.Context(), answers, words{}, f, nil, []jsontext.Value{row("unknown", "")}, &done); err != nil {
		t.Fatal(err)
	}
	if r.Passed != 1 || r.Failed != 2 || r.Skipped != 2 || done.Recorded != (tally{3, 2}) || done.Fresh != (tally{}) || done.Drifted != 1 {
		t.Errorf("%+v %+v", r, done)
	}
	var b strings.Builder
	r.text(&b)
	for _, want := range []string{"we say deny, the provider did allow, the file has deny", "did not answer: it ended", "1 passed, 2 failed, 2 skipped"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
}

// TestOraclesProveClaims holds the table to the claims of the dialects: evidence
// under a key that nobody claims would prove nothing.
func TestOraclesProveClaims(t *testing.T) {
	for _, o := range oracles() {
		d, ok := adapters.Find(o.provider)
		if !ok {
			t.Fatalf("no dialect of %s", o.provider)
		}
		claimed := false
		for _, v := range d.Versions() {
			claimed = claimed || slices.ContainsFunc(d.Claims(v), func(c compiler.Claim) bool { return c.Key == o.claim })
		}
		if !claimed {
			t.Errorf("nobody claims %s", o.claim)
		}
	}
}
