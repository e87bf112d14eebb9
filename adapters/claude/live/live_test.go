package live_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/claude"
	"github.com/modegate/modegate/adapters/claude/live"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/livebin"
)

// TestBinaries asks the real binaries about some recorded calls and some fresh
// ones, and compares what they do with what we say of them.
func TestBinaries(t *testing.T) {
	eachBinary(t, func(t *testing.T, o *live.Oracle, version string) {
		r := seeded(t, 1)
		f, all := cases(t)
		f.Version = version
		at := r.IntN(len(all) - 16)
		asks(t, o, f, all[at:at+16], 0)
		f, fresh := o.Fresh(r, 16)
		asks(t, o, f, fresh, tolerated)
	})
}

// eachBinary runs a check with each real binary.
func eachBinary(t *testing.T, check func(t *testing.T, o *live.Oracle, version string)) {
	t.Helper()
	for _, agent := range []livebin.Agent{livebin.Claude, livebin.Claude197} {
		t.Run(agent.Version, func(t *testing.T) {
			o, err := live.OpenOracle(livebin.Need(t, agent), agent.Version)
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			check(t, o, agent.Version)
		})
	}
}

// seeded draws otherwise in each run, and says from what.
func seeded(t *testing.T, stream uint64) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, stream))
}

// tolerated is how many fresh calls may disagree before something is broken.
// Nobody has looked at fresh calls before; how many disagree is told by
// EVIDENCE.md, where a single one makes the claim unverified.
const tolerated = 2

func asks(t *testing.T, o *live.Oracle, f compiler.CaseFile, rows []jsontext.Value, tolerated int) {
	t.Helper()
	answers, err := o.Answer(t.Context(), f, rows)
	if err != nil {
		t.Fatal(err)
	}
	agreed, disagreed := 0, 0
	for i, a := range answers {
		switch {
		case a.Skipped != "":
			t.Logf("skipped: %s", a.Skipped)
			continue
		case a.Failed != "":
			t.Errorf("%s: %s", rows[i], a.Failed)
			continue
		}
		j, err := claude.New().(compiler.Conformer).Conform(a.Row, f)
		if err != nil {
			t.Fatal(err)
		}
		if !j.Passed {
			disagreed++
			t.Logf("we say %s, the binary did %s: %s", j.Got, j.Want, rows[i])
			continue
		}
		agreed++
	}
	t.Logf("%d of %d agree", agreed, len(rows))
	if disagreed > tolerated {
		t.Errorf("%d calls disagree, more than %d", disagreed, tolerated)
	}
}

func cases(t *testing.T) (compiler.CaseFile, []jsontext.Value) {
	t.Helper()
	return casesOf(t, "cases.json")
}

func casesOf(t *testing.T, name string) (compiler.CaseFile, []jsontext.Value) {
	t.Helper()
	data, err := os.ReadFile("../../../testdata/claude/" + name)
	if err != nil {
		t.Fatal(err)
	}
	f := compiler.CaseFile{Header: map[string]jsontext.Value{}}
	if err := json.Unmarshal(data, &f.Header); err != nil {
		t.Fatal(err)
	}
	var rows []jsontext.Value
	if err := json.Unmarshal(f.Header["cases"], &rows); err != nil {
		t.Fatal(err)
	}
	return f, rows
}
