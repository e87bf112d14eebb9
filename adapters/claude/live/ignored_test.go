package live_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/claude/live"
	"github.com/modegate/modegate/internal/strictjson"
)

// TestIgnoredKeys: a key that isn't known, or that stands in a wrong place, bans
// nothing, and the rest of its file stays in force. Beside each key the file allows
// the command, so that the real binaries run it unasked.
func TestIgnoredKeys(t *testing.T) {
	keys := []string{
		`"permision": {"deny": ["Bash"]}`, `"Permissions": {"deny": ["Bash"]}`, `"permission": {"deny": ["Bash"]}`,
		`"deny": ["Bash"]`, `"ask": ["Bash"]`, `"defaultMode": "plan"`, `"disallowedTools": ["Bash"]`, `"hook": {"PreToolUse": []}`,
	}
	inside := []string{`"denied": ["Bash"]`, `"Deny": ["Bash"]`, `"default_mode": "plan"`}
	var texts []string
	for _, k := range keys {
		texts = append(texts, `{"permissions": {"allow": ["Bash(mytool *)"]}, `+k+`}`)
	}
	for _, k := range inside {
		texts = append(texts, `{"permissions": {"allow": ["Bash(mytool *)"], `+k+`}}`)
	}
	texts = append(texts, `{"permissions": {"allow": ["Bash(mytool *)"], "deny": ["Bash"]}}`) // what is read does ban
	var rows []jsontext.Value
	for _, text := range texts {
		row := settingsRow{Files: map[string]jsontext.Value{userFile: jsontext.Value(text)}, Tool: "Bash", Input: map[string]string{"command": "mytool run", "description": "d"}}
		raw, err := strictjson.Encode(row)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, raw)
	}
	eachBinary(t, func(t *testing.T, o *live.Oracle, version string) {
		f, _ := cases(t)
		answers, err := o.Answer(t.Context(), f, rows)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range answers {
			want := "allow"
			if i == len(texts)-1 {
				want = "absent" // a tool that is denied isn't offered
			}
			if a.Did != want {
				t.Errorf("%s: the binary did %q (%s), want %s", texts[i], a.Did, fmt.Sprint(a.Skipped, a.Failed), want)
			}
			if got := ours(t, rows[i], version); got != want {
				t.Errorf("%s: we say %s, want %s", texts[i], got, want)
			}
		}
	})
}
