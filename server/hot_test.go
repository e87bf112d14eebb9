package server_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// sameAnswer is the second opinion on the fast way: whatever it answers, the
// strict way answers byte for byte.
func sameAnswer(t testing.TB, body string) (quick bool) {
	t.Helper()
	got := example(t).Quickly([]byte(body))
	if got == nil {
		return false
	}
	want, ok := example(t).Evaluate([]byte(body))
	if !ok || string(got) != string(want) {
		t.Errorf("%s\nquick:  %s\nstrict: %s (%v)", body, got, want, ok)
	}
	return true
}

func nativeRequest(provider string, action string, texts ...string) string {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	list := strings.Join(quoted, ",")
	if provider == "opencode" {
		return fmt.Sprintf(`{"kind":"native","request":{"permission":%q,"patterns":[%s]}}`, action, list)
	}
	return fmt.Sprintf(`{"kind":"native","request":{"action":%q,"resources":[%s]}}`, action, list)
}

// The fast way answers plain native requests of both generations of OpenCode.
func TestPlainRequestsGoTheFastWay(t *testing.T) {
	actions := []string{"shell", "bash", "edit", "read", "external_directory", "question", "subagent", "webfetch", "mcp_tool", "?", "*"}
	texts := []string{"*", "a", "echo a", "git push --force", ".env", "src/.env.example", "/tmp/opencode/x", "<home>/.opencode/plan/p.md", "a'b", "{}<>&", strings.Repeat("long ", 30), strings.Repeat("x", 80), strings.Repeat("x", 81)}
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range []string{"opencode", "opencode2"} {
		for _, m := range []string{"approval-required", "auto-accept-edits", "auto", "full-access"} {
			for _, i := range []string{"default", "plan"} {
				var requests []string
				for range 40 {
					some := make([]string, 1+r.IntN(4))
					for j := range some {
						some[j] = texts[r.IntN(len(texts))]
					}
					one := nativeRequest(p, actions[r.IntN(len(actions))], some...)
					requests = append(requests, one)
					body := fmt.Sprintf(`{"provider":%q,"mode":%q,"interaction":%q,"action":%s}`, p, m, i, one)
					if !sameAnswer(t, body) {
						t.Errorf("not answered: %s", body)
					}
				}
				if body := fmt.Sprintf(`{"actions":[%s],"provider":%q,"mode":%q,"interaction":%q}`, strings.Join(requests, ", "), p, m, i); !sameAnswer(t, body) {
					t.Error("a batch isn't answered")
				}
			}
		}
	}
	got := ask(t, example(t), "POST", "/v1/evaluate", nativeBody)
	if want, ok := example(t).Evaluate([]byte(nativeBody)); got.status != 200 || !ok || got.body != string(want) {
		t.Errorf("over HTTP: %d %s", got.status, got.body)
	}
}

var oddBodies = []string{
	nativeBody,
	" \r\n\t" + nativeBody + "\n",
	strings.ReplaceAll(nativeBody, ":", " : "),
	strings.Replace(nativeBody, `"interaction":"default",`, "", 1),
	strings.Replace(nativeBody, `"interaction":"default"`, `"interaction":""`, 1),
	strings.Replace(nativeBody, `"mode":"auto"`, `"mode":"auto","mode":"full-access"`, 1),
	strings.Replace(nativeBody, `"mode":"auto"`, `"mode":"yolo"`, 1),
	strings.Replace(nativeBody, `"mode":"auto"`, `"mode":"auto","explain":true`, 1),
	strings.Replace(nativeBody, `"mode":"auto"`, `"mode":"auto","native":[]`, 1),
	strings.Replace(nativeBody, `"mode":"auto"`, `"mode":"auto","env":{"workspace":"/a"}`, 1),
	strings.Replace(nativeBody, `"kind":"native",`, "", 1),
	strings.Replace(nativeBody, `"kind":"native"`, `"kind":"native","kind":"native"`, 1),
	strings.Replace(nativeBody, `"kind":"native"`, `"kind":"native","command":"ls"`, 1),
	strings.Replace(nativeBody, `"kind":"native"`, `"kind":"native","command":""`, 1),
	strings.Replace(nativeBody, `["echo a"]`, `[]`, 1),
	strings.Replace(nativeBody, `["echo a"]`, `[""]`, 1),
	strings.Replace(nativeBody, `["echo a"]`, `["echo a",]`, 1),
	strings.Replace(nativeBody, `["echo a"]`, `"echo a"`, 1),
	strings.Replace(nativeBody, `["echo a"]`, `["echo a"],"save":["*"]`, 1),
	strings.Replace(nativeBody, `["echo a"]`, `["echo a"],"resources":["b"]`, 1),
	strings.Replace(nativeBody, `["echo a"]`, `["\u0065cho a","é","\\","a\\b"]`, 1),
	strings.Replace(nativeBody, `["echo a"]`, "[\"a\x7fb\"]", 1),
	strings.Replace(nativeBody, `["echo a"]`, "[\"a\tb\"]", 1),
	strings.Replace(nativeBody, `["echo a"]`, "[\"\xff\"]", 1),
	strings.Replace(nativeBody, `"shell"`, `""`, 1),
	strings.Replace(nativeBody, `"action":"shell"`, `"permission":"shell"`, 1),
	strings.Replace(nativeBody, `"resources"`, `"action"`, 1),
	strings.Replace(nativeBody, "opencode2", "codex", 1),
	strings.Replace(nativeBody, "opencode2", "opencode", 1),
	strings.Replace(nativeBody, `"action":{`, `"action":null,"actions":[{`, 1),
	nativeBody + nativeBody,
	nativeBody + "x",
	strings.TrimSuffix(nativeBody, "}"),
	`{"provider":"opencode2","mode":"auto","actions":[]}`,
	`{"provider":"opencode","mode":"auto","action":{"request":{"patterns":["a","b"],"permission":"bash"},"kind":"native"}}`,
	"{}", "[]", "", "null",
}

func FuzzFastAndStrictAgree(f *testing.F) {
	for _, body := range oddBodies {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) { sameAnswer(t, body) })
}

// A body with one byte changed is answered the same, or by the strict way alone.
func TestDamagedBodies(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const alphabet = "\"\\{}[]:, \n\x00\x7f\xc3aZ0*"
	n := 0
	for _, body := range oddBodies[:5] {
		for range 2000 {
			b := []byte(body)
			switch at := r.IntN(len(b)); r.IntN(3) {
			case 0:
				b[at] = alphabet[r.IntN(len(alphabet))]
			case 1:
				b = append(b[:at], b[at+1:]...)
			case 2:
				b = append(b[:at], append([]byte{alphabet[r.IntN(len(alphabet))]}, b[at:]...)...)
			}
			if sameAnswer(t, string(b)) {
				n++
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d of the damaged bodies were answered", n)
	}
}
