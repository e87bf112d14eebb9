package live

import (
	"encoding/json"
	"regexp"
	"strings"
)

// outcome is what the agent did with one call, in the words of the case file.
type outcome struct {
	word string
	kind string // the ToolKind of a permission request
	text string // what the tool call ended with
}

var (
	refusal    = regexp.MustCompile(`(?i)denied|blocked|not allowed|permission|reject|plan mode`)
	classifier = regexp.MustCompile(`(?i)classifier|auto mode`)
)

// judge reads a turn's messages.
func judge(seen []message) outcome {
	var out outcome
	var status string
	for _, m := range seen {
		switch m.Method {
		case "session/request_permission":
			var ask struct {
				ToolCall struct {
					Kind string `json:"kind"`
				} `json:"toolCall"`
			}
			json.Unmarshal(m.Params, &ask)
			return outcome{word: "ask", kind: ask.ToolCall.Kind}
		case "_x.ai/ask_user_question":
			return outcome{word: "question"}
		case "_x.ai/exit_plan_mode":
			return outcome{word: "plan-exit"}
		case "session/update":
			var u struct {
				Update struct {
					SessionUpdate string          `json:"sessionUpdate"`
					Status        string          `json:"status"`
					RawOutput     json.RawMessage `json:"rawOutput"`
					Content       json.RawMessage `json:"content"`
				} `json:"update"`
			}
			json.Unmarshal(m.Params, &u)
			if !strings.HasPrefix(u.Update.SessionUpdate, "tool_call") {
				continue
			}
			if u.Update.Status != "" {
				status = u.Update.Status
			}
			if text := string(u.Update.RawOutput) + string(u.Update.Content); text != "" {
				out.text = text
			}
		}
	}
	switch {
	case status == "completed", status == "in_progress" && strings.Contains(out.text, `"exit_code"`):
		out.word = "allow" // in the background: the turn may end before the call does
	case status != "failed":
		out.word = "none:" + status
	case classifier.MatchString(out.text):
		out.word = "review"
	case refusal.MatchString(out.text):
		out.word = "deny"
	default:
		out.word = "allow" // it ran, and failed
	}
	return out
}
