package evaluator_test

import (
	"testing"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

func TestActionIsStrict(t *testing.T) {
	for _, good := range []string{
		`{"kind":"command","command":"git push origin main","cwd":"."}`,
		`{"kind":"file-read","path":"src/a.go"}`,
		`{"kind":"file-change","path":"src/a.go","to":"src/b.go"}`,
		`{"kind":"web-fetch","url":"https://example.test/"}`,
		`{"kind":"web-search","query":"…"}`,
		`{"kind":"mcp-tool","server":"github","tool":"create_issue","annotations":{"readOnlyHint":false}}`,
		`{"kind":"subagent","agent":"general"}`,
		`{"kind":"question"}`,
		`{"kind":"native","request":{"action":"shell","resources":["echo a"]}}`,
	} {
		if err := decodeAction(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		``, `null`, `[]`, `{}`, `{"kind":"command"}`, `{"kind":""}`, `{"kind":"any"}`, `{"kind":"outside-workspace"}`,
		`{"kind":"Command","command":"ls"}`, `{"KIND":"command","command":"ls"}`,
		`{"kind":"command","command":"ls","actoin":"x"}`, `{"kind":"command","command":"ls","path":"x"}`,
		`{"kind":"command","command":"ls","command":"rm"}`, `{"kind":"command","command":"ls"}x`,
		`{"kind":"command","command":"\ud83d"}`, "{\"kind\":\"command\",\"command\":\"\xff\"}",
		`{"kind":"command","command":1}`, `{"kind":"file-change","path":"a","to":""," to":"b"}`,
		`{"kind":"mcp-tool","server":"s","tool":"t","annotations":{"readonlyHint":true}}`,
	} {
		if decodeAction(bad) == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

func decodeAction(text string) error {
	var a evaluator.Action
	if err := strictjson.Decode([]byte(text), &a); err != nil {
		return err
	}
	return a.Check()
}

func FuzzAction(f *testing.F) {
	f.Add(`{"kind":"command","command":"ls"}`)
	f.Add(`{"kind":"native","request":{"a":[1,{"b":null}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var a evaluator.Action
		if strictjson.Decode([]byte(text), &a) != nil || a.Check() != nil {
			return
		}
		again, err := strictjson.Encode(a)
		if err != nil {
			t.Fatalf("%q can't be written again: %v", text, err)
		}
		var b evaluator.Action
		if err := strictjson.Decode(again, &b); err != nil {
			t.Fatalf("%q was written as %q: %v", text, again, err)
		}
	})
}
