package opencode2_test

import (
	"encoding/json"
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/evidence"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

var update = flag.Bool("update", false, "rewrite the evidence of the recording")

func recording(t *testing.T) *livetest.Recording {
	t.Helper()
	rec, err := livetest.ReadRecording("../../testdata/opencode2/question.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// TestWireTakesOurRules compares the rules that the recorded server took for a
// full-access session with those that are compiled, byte for byte in meaning,
// and keeps the recording as the proof of the wire.
func TestWireTakesOurRules(t *testing.T) {
	rec := recording(t)
	policy, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	cell := evaluator.Cell{Provider: evaluator.OpenCode2, Mode: evaluator.FullAccess, Interaction: evaluator.Default}
	c, err := compiler.Compile(policy, opencode2.New(), cell, compiler.Options{Env: evaluator.Env{Workspace: "/w"}})
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal(c.RuleSet.Native, &want); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, f := range rec.Frames {
		if f.Kind != livetest.Response || f.Operation != "session.create" {
			continue
		}
		compared++
		var created struct{ Data struct{ Permissions any } }
		if err := json.Unmarshal(f.Data, &created); err != nil {
			t.Fatal(err)
		}
		got = created.Data.Permissions
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("the recorded session has other rules: %s", d)
		}
	}
	if compared != 1 {
		t.Errorf("%d sessions were created in the recording, want 1", compared)
	}
	entry := evidence.Entry{
		Key: "opencode2.wire", Status: evaluator.Recorded, By: "opencode " + rec.Version, Date: rec.CapturedAt,
		Cases: compared, Agreements: compared,
	}
	if *update {
		if err := evidence.Put("../evidence/evidence.json", entry); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := evidence.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range kept.Entries {
		if e.Key == entry.Key {
			if d := cmp.Diff(entry, e); d != "" {
				t.Errorf("the evidence of the wire isn't the recording's: %s", d)
			}
			return
		}
	}
	t.Error("the evidence of the wire is missing: run with -update")
}
