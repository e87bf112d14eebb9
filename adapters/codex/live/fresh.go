package live

import (
	"math/rand/v2"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/strictjson"
)

// ruleTexts are the rules of fresh rows: few, because each needs an agent.
var ruleTexts = []any{
	nil,
	`prefix_rule(pattern=["touch"], decision="allow")` + "\n" + `prefix_rule(pattern=["cat"], decision="prompt")` + "\n" + `prefix_rule(pattern=["ls"], decision="forbidden")` + "\n",
	`prefix_rule(pattern=["git", "status"], decision="prompt")` + "\n" + `prefix_rule(pattern=["rm"], decision="allow")` + "\n" + `prefix_rule(pattern=["touch", "inside.txt"], decision="forbidden")` + "\n",
}

// Fresh makes random commands under random settings. Each of them touches nothing
// but the folders of a case.
func (o *Oracle) Fresh(r *rand.Rand, n int) (compiler.CaseFile, []jsontext.Value) {
	of := func(list ...string) string { return list[r.IntN(len(list))] }
	commands := func() string {
		c := of("touch inside.txt", "touch sub/new", "touch /srv/outside/o.txt", "cat file.txt", "cat sub/f", "ls", "ls sub", "git status", "rm file.txt", "rm -f file.txt", "rm -rf sub", "echo hi", "true", "mkdir d", "cp file.txt copy")
		switch r.IntN(8) {
		case 0:
			c += of(" && ", "; ", " || ", " | ") + of("cat file.txt", "ls", "touch inside.txt", "true")
		case 1:
			c += of(" > inside.txt", " > /srv/outside/o.txt", " 2>/dev/null")
		case 2:
			c = of("FOO=1 ", "env ", "time ") + c
		}
		return c
	}
	var rows []jsontext.Value
	for len(rows) < n {
		action := map[string]any{"tool": "exec_command", "cmd": commands()}
		if r.IntN(5) == 0 {
			action["sandbox_permissions"], action["justification"] = "require_escalated", "May I?"
		}
		raw, err := strictjson.Encode(map[string]any{
			"id": "fresh", "outcome": "", "approvalPolicy": of("untrusted", "on-request", "never"),
			"sandboxPolicy":     map[string]string{"type": of("readOnly", "workspaceWrite", "dangerFullAccess")},
			"approvalsReviewer": "user", "collaborationMode": of("default", "default", "plan"),
			"rules": ruleTexts[r.IntN(len(ruleTexts))], "action": action,
		})
		if err != nil {
			panic(err) // maps of text
		}
		rows = append(rows, raw)
	}
	return compiler.CaseFile{}, rows
}
