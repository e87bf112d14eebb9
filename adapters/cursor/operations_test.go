package cursor

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

const operationsDir = "../../testdata/operations/cursor"

func TestOperationsGolden(t *testing.T) {
	brokertest.Goldens(t, Boundary(), evaluator.Cursor, operationsDir, *update)
}

func TestReplies(t *testing.T) { brokertest.ACPReplies(t, Boundary()) }

func TestKindsOfRequests(t *testing.T) {
	for kind, want := range map[string]evaluator.Kind{
		"execute": evaluator.Command, "read": evaluator.FileRead, "edit": evaluator.FileChange, "delete": evaluator.FileChange, "move": evaluator.FileChange,
		"search": "", "fetch": "", "think": "", "switch_mode": "", "other": "", "": "", "new": "",
	} {
		r, err := Boundary().Request([]byte(fmt.Sprintf(`{"id":"x","method":"session/request_permission","params":{"toolCall":{"kind":%q}}}`, kind)))
		if err != nil {
			t.Fatal(err)
		}
		brokertest.Holds(t, Boundary(), r)
		if r.Kind != want {
			t.Errorf("%q: %q, want %q", kind, r.Kind, want)
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
			cell := evaluator.Cell{Provider: evaluator.Cursor, Mode: mode, Interaction: interaction}
			a, _, ok := Boundary().Automatic(cell, once)
			if want := mode == evaluator.FullAccess; ok != want || ok && a.Decision != broker.Accept {
				t.Errorf("%s: %v %v", cell, a, ok)
			}
			if _, _, ok := Boundary().Automatic(cell, lasting); ok {
				t.Errorf("%s: a lasting option was taken", cell)
			}
			for native, want := range map[string]bool{
				`{"argv":["acp"],"modeAliases":[],"callback":{"permission":"ask"}}`:   false,
				`{"argv":["acp"],"modeAliases":[],"callback":{"permission":"allow"}}`: true,
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
