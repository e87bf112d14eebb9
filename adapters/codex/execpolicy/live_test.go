package execpolicy_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/adapters/codex/live"
	"github.com/modegate/modegate/adapters/evidence/evidencetest"
	"github.com/modegate/modegate/internal/livebin"
)

// TestLiveCheck asks the real `codex execpolicy check` about random rule files
// and commands. Its answers must be ours, byte for byte, and what it refuses we
// refuse.
func TestLiveCheck(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a program 400 times")
	}
	const count = 400
	real, err := live.OpenChecker(livebin.Need(t, livebin.Codex))
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	f, rows := real.Fresh(rand.New(rand.NewPCG(seed, 0)), count)
	answers, err := real.Answer(t.Context(), f, rows)
	if err != nil {
		t.Fatal(err)
	}
	refused, wrong := 0, 0
	for i, a := range answers {
		if a.Failed != "" {
			t.Fatalf("%s: %s", rows[i], a.Failed)
		}
		if a.Did == execpolicy.Refused {
			refused++
		}
		j, err := execpolicy.Conformer{}.Conform(a.Row, f)
		if err != nil {
			t.Fatal(err)
		}
		if !j.Passed {
			wrong++
			t.Errorf("%s\ncodex: %s\n ours: %s", j.Case, j.Want, j.Got)
		}
	}
	t.Logf("%d of %d were refused", refused, count)
	evidencetest.Record(t, "codex/0.171.0/execpolicy", livebin.Codex, count, wrong)
}
