//go:build unix

package lastmatch

// The decision against its rivals, as ratios: a scan from the last rule to the
// first with patterns compiled by gobwas/glob, OPA's prepared queries (over a
// data document, as an else chain, and by its rule index), and cedar-go; against
// itself with more rules (E5), and with twice as much of hostile input (A1).
//
//	go test ./adapters/internal/lastmatch -run '^$' -bench Rivals
//
// All contestants of a line run in turn in one process, round after round, and
// the line shows the median over the rounds of the ratio of their CPU times. The
// table at the end puts the goal beside each; nothing here fails a build. On a
// busy machine -benchtime 3s makes the medians steadier.

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// contestant does the same small work over and over.
type contestant struct {
	name string
	run  func() // one pass
	ops  int    // decisions in a pass
}

func deciding(name string, d decider, requests []request) contestant {
	return contestant{name: name, ops: len(requests), run: func() {
		for _, q := range requests {
			d(q)
		}
	}}
}

// turn is how long a contestant runs before it is the next one's turn.
const turn = 500 * time.Microsecond

// race lets contestants run in turn and returns, for each pair (first, other),
// the median over the rounds of first's time per decision over other's.
func race(b *testing.B, first contestant, others ...contestant) []float64 {
	all := append([]contestant{first}, others...)
	passes := make([]int, len(all))
	for i, c := range all {
		c.run() // warm
		start := cpu()
		c.run()
		passes[i] = int(turn/max(cpu()-start, time.Microsecond)) + 1
	}
	rounds := make([][]float64, len(others))
	times := make([]float64, len(all))
	var firsts []float64
	for b.Loop() {
		for i, c := range all {
			start := cpu()
			for range passes[i] {
				c.run()
			}
			times[i] = float64(cpu()-start) / float64(passes[i]*c.ops)
		}
		firsts = append(firsts, times[0])
		for i := range others {
			rounds[i] = append(rounds[i], times[0]/times[i+1])
		}
	}
	out := make([]float64, len(others))
	for i := range out {
		out[i] = median(rounds[i])
		b.ReportMetric(out[i], "of_"+strings.ReplaceAll(others[i].name, " ", "_"))
	}
	b.ReportMetric(median(firsts), "ns/decision")
	b.ReportMetric(0, "ns/op") // of a round: says nothing
	return out
}

// cpu is the CPU time that the process has used, garbage collection included.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// table collects the lines that are printed at the end.
type table []string

func (t *table) line(what string, ratio, goal float64) {
	verdict := ""
	if ratio > goal {
		verdict = "  MISSED"
	}
	*t = append(*t, fmt.Sprintf("%-48s %s (goal %s)%s", what, figure(ratio), figure(goal), verdict))
}

func figure(ratio float64) string {
	if ratio < 0.1 {
		return fmt.Sprintf("%.2g = 1/%.0f", ratio, 1/ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}

func BenchmarkRivals(b *testing.B) {
	var t table
	small, medium, large := newWorkload(20), newWorkload(1_000), newWorkload(10_000)
	b.Run("E1", func(b *testing.B) {
		r := race(b, deciding("index", ours(small.rules), small.mixed), deciding("gobwas", scan(small.rules), small.mixed))
		t.line("E1 20 rules: index / gobwas scan", r[0], 0.5)
	})
	b.Run("E2", func(b *testing.B) {
		some := small.mixed[:40]
		r := race(b, deciding("index", ours(small.rules), small.mixed),
			deciding("opa data", opaData(small.rules), some),
			deciding("opa else", opaElse(small.rules), some),
			deciding("opa index", opaIndex(small.rules), some),
			deciding("cedar", cedarSet(small.rules), some))
		t.line("E2 20 rules: index / OPA over a data document", r[0], 1./300)
		t.line("E2 20 rules: index / OPA, rules as an else chain", r[1], 1./300)
		t.line("E2 20 rules: index / OPA's rule index", r[2], 1./300)
		t.line("E2 20 rules: index / cedar-go", r[3], 1./50)
	})
	b.Run("E3", func(b *testing.B) {
		r := race(b, deciding("index", ours(medium.rules), medium.mixed), deciding("gobwas", scan(medium.rules), medium.mixed))
		t.line("E3 1,000 rules: index / gobwas scan", r[0], 0.02)
	})
	b.Run("E4", func(b *testing.B) {
		some := large.mixed[:40]
		r := race(b, deciding("index", ours(large.rules), large.mixed),
			deciding("gobwas", scan(large.rules), some), deciding("opa index", opaIndex(large.rules), some))
		t.line("E4 10,000 rules: index / gobwas scan", r[0], 0.003)
		t.line("E4 10,000 rules: index / OPA's rule index", r[1], 1./80)
	})
	b.Run("E5", func(b *testing.B) {
		for _, c := range []struct {
			name         string
			large, small []request
			goal         float64
		}{
			{"early hit", large.early, small.early, 10},
			{"late hit", large.late, large.late, 3},
			{"no hit", large.none, large.none, 3},
			{"mixed", large.mixed, small.mixed, 10},
		} {
			b.Run(strings.ReplaceAll(c.name, " ", "_"), func(b *testing.B) {
				r := race(b, deciding("10000", ours(large.rules), c.large), deciding("20", ours(small.rules), c.small))
				t.line("E5 20 -> 10,000 rules: "+c.name, r[0], c.goal)
			})
		}
	})
	b.Run("A1", func(b *testing.B) { benchmarkHostile(b, &t) })
	fmt.Println(strings.Join(t, "\n"))
}
