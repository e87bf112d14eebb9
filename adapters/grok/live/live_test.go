package live_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/grok"
	"github.com/modegate/modegate/adapters/grok/live"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/livebin"
)

// TestBinary takes some rows of every case file again on the real Grok, and asks
// it fresh ones. What we say is compared with what happens now.
func TestBinary(t *testing.T) {
	o, err := live.OpenOracle(livebin.Need(t, livebin.Grok))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for _, name := range []string{"cases.json", "matrix.json", "commands.json", "settings.json", "paths.json"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("../../../testdata/grok/" + name)
			if err != nil {
				t.Fatal(err)
			}
			var file struct {
				Version string           `json:"version"`
				Cases   []jsontext.Value `json:"cases"`
			}
			if err := json.Unmarshal(data, &file); err != nil {
				t.Fatal(err)
			}
			at := r.IntN(len(file.Cases) - 16)
			ask(t, o, file.Version, file.Cases[at:at+16], 0)
		})
	}
	t.Run("fresh", func(t *testing.T) {
		_, rows := o.Fresh(r, 32)
		ask(t, o, livebin.Grok.Version, rows, 2)
	})
}

// ask compares what Grok does with what we say. Up to tolerated rows may
// disagree: nobody has looked at fresh ones before, and how many disagree is told
// by EVIDENCE.md.
func ask(t *testing.T, o *live.Oracle, version string, rows []jsontext.Value, tolerated int) {
	t.Helper()
	disagreed := 0
	f := compiler.CaseFile{Version: version}
	answers, err := o.Answer(t.Context(), f, rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range answers {
		if a.Failed != "" {
			t.Errorf("%s: %s", rows[i], a.Failed)
			continue
		}
		j, err := grok.New().Conform(a.Row, f)
		if err != nil {
			t.Fatal(err)
		}
		if !j.Passed && j.Got != "unknown" {
			disagreed++
			t.Logf("we say %s, Grok does %s: %s", j.Got, j.Want, rows[i])
		}
	}
	if disagreed > tolerated {
		t.Errorf("%d rows disagree, more than %d", disagreed, tolerated)
	}
}
