package opencode2_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/modegate/modegate/adapters/evidence/evidencetest"
	"github.com/modegate/modegate/adapters/opencode/live/oracle"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/livebin"
)

// TestNativeEvaluatorAgrees asks the real 1.18.33 what fresh random rules do to
// random requests, and compares.
func TestNativeEvaluatorAgrees(t *testing.T) {
	const count = 600
	real, err := oracle.OpenNative(livebin.Need(t, livebin.OpenCode))
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	f, rows := real.Fresh(rand.New(rand.NewPCG(seed, 1)), count)
	f.Version = opencode2.Measured
	answers, err := real.Answer(t.Context(), f, rows)
	if err != nil {
		t.Fatal(err)
	}
	disagreements := 0
	for i, a := range answers {
		if a.Failed != "" || a.Skipped != "" {
			t.Fatalf("case %d: %s%s: %s", i, a.Failed, a.Skipped, rows[i])
		}
		j, err := opencode2.New().(compiler.Conformer).Conform(a.Row, f)
		if err != nil {
			t.Fatal(err)
		}
		if !j.Passed {
			disagreements++
			t.Errorf("case %d: we say %s, the real evaluator %s: %s", i, j.Got, j.Want, rows[i])
		}
	}
	evidencetest.Record(t, "opencode2.rules", livebin.OpenCode, count, disagreements)
}
