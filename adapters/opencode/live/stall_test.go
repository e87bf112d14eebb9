package live_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
)

// stalling are patterns that the linter names, and others that it doesn't, each
// with a text that makes it look for a match as long as it can.
var stalling = []struct {
	pattern, text string
	stalls        bool
}{
	{"*a*a*a*a*b", strings.Repeat("a", 90), true},
	{"*a*a*a*b", strings.Repeat("a", 190), true},
	{"*a*a*b", strings.Repeat("a", 700), true},
	{"a*", strings.Repeat("a", 1500), false},
	{"*a*b", strings.Repeat("a", 500), false},
	{"git * --force*", "git " + strings.Repeat(" --forc", 200), false},
	{"*.env*", strings.Repeat(".en", 500), false},
	{"rm *", strings.Repeat("rm ", 500), false},
}

// TestStall shows that the patterns which the linter names hold the real server up
// and that others don't: on one server, in one run, the former take many times as
// long as the quickest of all (1.18.33, 2026-11-30: about a hundred times with these
// texts, a thousand with texts of twice the length; the latter five times at most).
func TestStall(t *testing.T) {
	h := livetest.Start(t, livetest.Options{})
	agents := map[string][]live.NativeRule{}
	for i, s := range stalling {
		agents[fmt.Sprintf("agent%d", i)] = []live.NativeRule{
			{Action: "shell", Resource: "*", Effect: live.ActionAllow},
			{Action: "shell", Resource: s.pattern, Effect: live.ActionAllow},
		}
	}
	dir := filepath.Join(h.Root, "srv", "stall")
	config, err := livetest.NativeConfig(agents)
	if err != nil {
		t.Fatal(err)
	}
	livetest.Write(t, filepath.Join(dir, "opencode.json"), string(config))
	oracle, err := livetest.NewOracle(t.Context(), h.Server.Client(dir), len(agents))
	if err != nil {
		t.Fatal(err)
	}
	took := make([]time.Duration, len(stalling))
	quickest := time.Duration(0)
	for i, s := range stalling {
		runs := 10
		if s.stalls {
			runs = 2
		}
		took[i] = quickestOf(t, runs, func() {
			if got, err := oracle.Evaluate(t.Context(), fmt.Sprintf("agent%d", i), "shell", s.text); err != nil || got != live.ActionAllow {
				t.Fatalf("%s: %s, %v", s.pattern, got, err)
			}
		})
		if quickest == 0 || took[i] < quickest {
			quickest = took[i]
		}
	}
	for i, s := range stalling {
		ratio := float64(took[i]) / float64(quickest)
		t.Logf("%-16s %5d characters, %d ways: %6.1f times the quickest", s.pattern, len(s.text), wildcard.Compile(s.pattern).Ways(), ratio)
		if stalls := ratio > 20; stalls != s.stalls {
			t.Errorf("%s takes %.1f times as long as the quickest pattern: stalls %v, want %v", s.pattern, ratio, stalls, s.stalls)
		}
		if named := wildcard.Compile(s.pattern).Ways() >= 3; named != s.stalls {
			t.Errorf("%s: the linter names it: %v", s.pattern, named)
		}
	}
}

// quickestOf is the shortest time of several runs: what else the machine does only
// adds to it.
func quickestOf(t *testing.T, runs int, f func()) time.Duration {
	t.Helper()
	best := time.Duration(0)
	for range runs {
		start := time.Now()
		f()
		if d := time.Since(start); best == 0 || d < best {
			best = d
		}
	}
	return best
}
