package grok

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/broker/brokertest"
	"github.com/modegate/modegate/evaluator"
)

var update = flag.Bool("update", false, "write the goldens in testdata/operations anew")

const operationsDir = "../../testdata/operations/grok"

func TestOperationsGolden(t *testing.T) {
	brokertest.Goldens(t, Boundary(), evaluator.Grok, operationsDir, *update)
}

func TestReplies(t *testing.T) { brokertest.ACPReplies(t, Boundary()) }

// TestSpellings holds that both spellings of Grok's own requests, plain and
// wrapped once more, are one.
func TestSpellings(t *testing.T) {
	questions := `{"questions":[{"question":"Which?","options":[{"label":"A"}]}]}`
	for _, c := range []struct{ method, params string }{
		{"x.ai/ask_user_question", questions},
		{"_x.ai/ask_user_question", questions},
		{"_x.ai/request", `{"method":"x.ai/ask_user_question","params":` + questions + `}`},
		{"x.ai/ask_user_question", `{"method":"_x.ai/ask_user_question","params":` + questions + `}`},
	} {
		r, err := Boundary().Request([]byte(fmt.Sprintf(`{"id":1,"method":%q,"params":%s}`, c.method, c.params)))
		if err != nil {
			t.Fatal(err)
		}
		brokertest.Holds(t, Boundary(), r)
		if r.Shape != broker.Questioned || len(r.Questions) != 1 || r.Questions[0].ID != "Which?" {
			t.Errorf("%s %s: %+v", c.method, c.params, r)
		}
	}
}

// TestCallback holds what the mode answers by itself: allow_once in full access,
// also in plan, unless the native settings say otherwise; never allow_always.
func TestCallback(t *testing.T) {
	once := brokertest.Permission(t, Boundary(), "ls", brokertest.Option{ID: "a", Kind: "allow_once"}, brokertest.Option{ID: "b", Kind: "allow_always"})
	lasting := brokertest.Permission(t, Boundary(), "ls", brokertest.Option{ID: "b", Kind: "allow_always"})
	for _, mode := range evaluator.Modes() {
		for _, interaction := range evaluator.Interactions() {
			cell := evaluator.Cell{Provider: evaluator.Grok, Mode: mode, Interaction: interaction}
			a, _, ok := Boundary().Automatic(cell, once)
			if want := mode == evaluator.FullAccess; ok != want || ok && a.Decision != broker.Accept {
				t.Errorf("%s: %v %v", cell, a, ok)
			}
			if _, _, ok := Boundary().Automatic(cell, lasting); ok {
				t.Errorf("%s: a lasting option was taken", cell)
			}
			for native, want := range map[string]bool{
				`{"argv":["agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`:   false,
				`{"argv":["agent","stdio"],"sessionMeta":{},"callback":{"permission":"allow"}}`: true,
			} {
				tr, err := Boundary().(broker.Follower).Follow([]byte(native), evaluator.Env{})
				if err != nil {
					t.Fatal(err)
				}
				if _, _, ok := tr.Automatic(cell, once); ok != want {
					t.Errorf("%s under %s: %v", cell, native, ok)
				}
			}
		}
	}
	if _, err := Boundary().(broker.Follower).Follow([]byte(`{}`), evaluator.Env{}); err == nil {
		t.Error("settings without a callback were followed")
	}
}

func FuzzOperations(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(operationsDir, "*.txt"))
	for _, file := range files {
		f.Add(brokertest.Native(f, file))
	}
	f.Fuzz(func(t *testing.T, native []byte) {
		r, err := Boundary().Request(native)
		if err == nil {
			brokertest.Holds(t, Boundary(), r)
			return
		}
		var least map[string]json.RawMessage
		var id json.Number
		if json.Unmarshal(native, &least) == nil && json.Unmarshal(least["id"], &id) == nil && id != "" {
			t.Errorf("%s has the id %s and can't be answered: %v", native, id, err)
		}
	})
}
