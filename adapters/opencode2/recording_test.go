package opencode2_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/evidence"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

var update = flag.Bool("update", false, "rewrite the evidence of the recording")

// frame is one line of the recording of a real 2.0.18 server.
type frame struct {
	Type     string
	Version  string
	Metadata struct{ CapturedAt string }
	Label    string
	Frame    struct{ Data json.RawMessage }
}

func recording(t *testing.T) []frame {
	t.Helper()
	f, err := os.Open("../../testdata/opencode2/question.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []frame
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one frame
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestWireTakesOurRules compares the rules that the recorded server took for a
// full-access session with those that are compiled, byte for byte in meaning,
// and keeps the recording as the proof of the wire.
func TestWireTakesOurRules(t *testing.T) {
	frames := recording(t)
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
	for _, f := range frames {
		if f.Label != "session.create.response" {
			continue
		}
		compared++
		var created struct{ Data struct{ Permissions any } }
		if err := json.Unmarshal(f.Frame.Data, &created); err != nil {
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
		Key: "opencode2.wire", Status: evaluator.Recorded, By: "opencode " + frames[0].Version, Date: frames[0].Metadata.CapturedAt,
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
