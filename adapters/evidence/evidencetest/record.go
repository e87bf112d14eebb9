// Package evidencetest lets live tests write what they showed into the evidence
// file.
package evidencetest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/modegate/modegate/adapters/evidence"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/livebin"
)

// Record writes what a run of a real binary showed. It does so only in a run
// that must have the binaries (MODEGATE_LIVE), so that a run on the way leaves
// the file alone.
func Record(t testing.TB, key string, agent livebin.Agent, cases, disagreements int) {
	t.Helper()
	t.Logf("%s: %d cases, %d disagreements", key, cases, disagreements)
	if os.Getenv("MODEGATE_LIVE") == "" {
		return
	}
	digest, err := livebin.Digest(livebin.Need(t, agent))
	if err != nil {
		t.Fatal(err)
	}
	err = evidence.Put(file(t), evidence.Entry{
		Key: key, Status: evaluator.Verified, By: agent.Name + " " + agent.Version, Binary: "sha256:" + digest,
		Date:  time.Now().UTC().Format(time.DateOnly),
		Cases: cases, Agreements: cases - disagreements, Disagreements: disagreements,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// file finds the evidence file from a package below adapters.
func file(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		path := filepath.Join(dir, "adapters", "evidence", "evidence.json")
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("the evidence file can't be found")
		}
		dir = filepath.Dir(dir)
	}
}
