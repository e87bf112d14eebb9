package claude

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/loosejson"
)

// toolKinds are the kinds of Claude's own tools by their exact names in lower
// case, as T3 Code's newer adapter has them (source read 2026-11-30). Another
// name has no kind: kinds aren't invented.
var toolKinds = map[string]evaluator.Kind{
	"bash": evaluator.Command, "agent": evaluator.Command, "task": evaluator.Command, "monitor": evaluator.Command,
	"sendmessage": evaluator.Command, "taskstop": evaluator.Command, "todowrite": evaluator.Command,
	"toolsearch": evaluator.Command, "webfetch": evaluator.Command, "websearch": evaluator.Command,
	"glob": evaluator.FileRead, "grep": evaluator.FileRead, "ls": evaluator.FileRead, "read": evaluator.FileRead,
	"edit": evaluator.FileChange, "multiedit": evaluator.FileChange, "notebookedit": evaluator.FileChange, "write": evaluator.FileChange,
}

// readToolUse reads a request for an ordinary tool.
func readToolUse(q controlRequest, r *broker.Request) {
	tool, input := q.tool(), q.input()
	r.Kind = toolKinds[strings.ToLower(tool)]
	for _, name := range []string{"command", "file_path", "notebook_path", "path", "url", "query", "pattern", "subagent_type"} {
		if text := input.Get(name).Text(); text != "" {
			r.Resources = []string{text}
			break
		}
	}
	r.Title = tool
	if tool == "" {
		r.Title = "a tool without a name"
	}
	if len(r.Resources) > 0 {
		r.Title += ": " + r.Resources[0]
	}
	r.Detail = particulars(
		"why", q.body.Get("decision_reason").Text(), "path", q.body.Get("blocked_path").Text(),
		"about", q.body.Get("description").Text(), "agent", q.body.Get("agent_id").Text(), "input", shown(input))
	r.Offered = []broker.Offer{
		{Decision: broker.Cancel, Label: "Refuse and end the turn", Scope: thisTurn},
		{Decision: broker.Decline, Label: "Refuse; the agent goes on without it", Scope: thisRequest},
	}
	if updates, reach := sessionUpdates(q); len(updates) > 0 {
		r.Offered = append(r.Offered, broker.Offer{Decision: broker.AcceptForSession, Label: "Allow " + reach + " this session", Scope: thisSession})
	}
	r.Offered = append(r.Offered, broker.Offer{Decision: broker.Accept, Label: "Allow once", Scope: thisRequest})
}

// askedAnyway are the reasons that no session rule ends: an ask rule, a safety
// check, plan mode. With a rule for the whole tool granted, 2.1.332 asked again
// for each, and ran what nobody had decided about (measured 2026-11-30).
var askedAnyway = []string{"rule", "safetyCheck", "mode"}

// sessionUpdates are the permission updates that a decision for the session
// sends, and what they reach in words: Claude's own suggestions, aimed at the
// session alone, else a rule for the whole tool. There are none where Claude
// would ask again all the same.
func sessionUpdates(q controlRequest) (updates []map[string]any, reach string) {
	if q.tool() == "" || q.body.Get("suppress_always_allow_rule").True() || q.body.Get("requires_user_interaction").True() ||
		q.body.Get("matched_ask_rule").There() || q.tool() == "AskUserQuestion" ||
		slices.Contains(askedAnyway, q.body.Get("decision_reason_type").Text()) {
		return nil, ""
	}
	suggestions := q.body.Get("permission_suggestions").List()
	if len(suggestions) == 0 {
		rule := map[string]any{"type": "addRules", "rules": []any{map[string]string{"toolName": q.tool()}}, "behavior": "allow", "destination": "session"}
		return []map[string]any{rule}, "every " + q.tool() + " call"
	}
	hasRules := slices.ContainsFunc(suggestions, func(s loosejson.Value) bool { return s.Get("type").Text() == "addRules" })
	var words []string
	for _, s := range suggestions {
		if hasRules && s.Get("type").Text() == "setMode" {
			continue // the rule is enough, and the mode would leave plan (measured on 2.1.332, 2026-11-30)
		}
		if update, reaches := aimed(s); update != nil && len(reaches) > 0 {
			updates = append(updates, update)
			for _, word := range reaches {
				if !slices.Contains(words, word) {
					words = append(words, word)
				}
			}
		}
	}
	return updates, strings.Join(words, "; ")
}

// aimed is a suggestion aimed at the session, and what it reaches. A suggestion
// that doesn't plainly allow isn't sent, nor one to a mode that asks nothing.
func aimed(s loosejson.Value) (update map[string]any, reaches []string) {
	switch s.Get("type").Text() {
	case "addRules":
		if s.Get("behavior").Text() != "allow" {
			return nil, nil
		}
		for _, rule := range s.Get("rules").List() {
			tool, content := rule.Get("toolName").Text(), rule.Get("ruleContent").Text()
			switch {
			case tool == "":
				return nil, nil
			case content == "":
				reaches = append(reaches, "every "+tool+" call")
			default:
				reaches = append(reaches, tool+"("+content+")")
			}
		}
		return map[string]any{"type": "addRules", "rules": s.Get("rules").Raw(), "behavior": "allow", "destination": "session"}, reaches
	case "addDirectories":
		for _, dir := range s.Get("directories").Texts() {
			reaches = append(reaches, "the folder "+dir)
		}
		return map[string]any{"type": "addDirectories", "directories": s.Get("directories").Raw(), "destination": "session"}, reaches
	case "setMode":
		if s.Get("mode").Text() == string(AcceptEdits) {
			return map[string]any{"type": "setMode", "mode": AcceptEdits, "destination": "session"}, []string{"every edit in the working folders (acceptEdits)"}
		}
	}
	return nil, nil
}

func replyToolUse(q controlRequest, a broker.Answer) ([]broker.Operation, error) {
	yes := permit{Behavior: "allow"}
	if q.input().IsObject() {
		yes.UpdatedInput = q.input().Raw()
	}
	switch a.Decision {
	case broker.Decline:
		return broker.Steps(q.respond(denial{Behavior: "deny", Message: declined}))
	case broker.Cancel:
		return broker.Steps(q.respond(denial{"deny", cancelled, true}))
	case broker.AcceptForSession:
		yes.UpdatedPermissions, _ = sessionUpdates(q)
	}
	return broker.Steps(q.respond(yes))
}

// particulars joins what is there of a request, one a line.
func particulars(pairs ...string) string {
	var out []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out = append(out, pairs[i]+": "+pairs[i+1])
		}
	}
	return strings.Join(out, "\n")
}

// shown is a value for people: nothing when it isn't there.
func shown(v loosejson.Value) string {
	if !v.There() {
		return ""
	}
	return v.String()
}
