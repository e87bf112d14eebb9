package live_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/modegate/modegate/adapters/codex"
	"github.com/modegate/modegate/adapters/codex/live"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/livebin"
)

// TestBinary asks the real Codex about fresh commands, and compares what it does
// with what we say.
func TestBinary(t *testing.T) {
	o, err := live.OpenOracle(livebin.Need(t, livebin.Codex))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	f, rows := o.Fresh(rand.New(rand.NewPCG(seed, 1)), 40)
	answers, err := o.Answer(t.Context(), f, rows)
	if err != nil {
		t.Fatal(err)
	}
	disagreed := 0
	for i, a := range answers {
		if a.Failed != "" {
			t.Errorf("%s: %s", rows[i], a.Failed)
		}
		if a.Row == nil {
			continue
		}
		j, err := codex.New().(compiler.Conformer).Conform(a.Row, f)
		if err != nil {
			t.Fatal(err)
		}
		if !j.Passed && j.Skipped == "" {
			disagreed++
			t.Logf("we say %s, Codex did %s: %s", j.Got, j.Want, rows[i])
		}
	}
	if disagreed > 2 { // nobody has looked at fresh ones before: EVIDENCE.md tells how many disagree
		t.Errorf("%d commands disagree, more than 2", disagreed)
	}
}
