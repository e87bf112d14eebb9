package live_test

import (
	"encoding/json"
	"testing"

	"github.com/modegate/modegate/adapters/claude/live"
	"github.com/modegate/modegate/internal/livebin"
)

// TestRunners asks the real binaries again about some of the recorded texts that
// hide a command from the rules that speak of it, and compares what they do with
// what was recorded.
func TestRunners(t *testing.T) {
	eachBinary(t, func(t *testing.T, o *live.Oracle, version string) {
		r := seeded(t, 4)
		f, rows := casesOf(t, "runners.json")
		_, more := casesOf(t, "removals.json")
		rows = append(rows, more...)
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rows = rows[:40]
		answers, err := o.Answer(t.Context(), f, rows)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range answers {
			var recorded struct {
				Outcome string `json:"outcome"`
				Old     string `json:"outcome_2_1_197"`
			}
			if err := json.Unmarshal(rows[i], &recorded); err != nil {
				t.Fatal(err)
			}
			want := recorded.Outcome
			if version == livebin.Claude197.Version {
				want = recorded.Old
			}
			if a.Skipped == "" && a.Did != want {
				t.Errorf("recorded %s, now %q%s: %s", want, a.Did, a.Failed, rows[i])
			}
		}
	})
}
