package codex

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/loosejson"
)

// refusals are what can always be said: 0.171.0 never advertises decline and
// always honours it (measured 2026-11-30).
func refusals() []broker.Offer {
	return []broker.Offer{
		{Decision: broker.Cancel, Label: "Refuse and end the turn", Scope: thisTurn},
		{Decision: broker.Decline, Label: "Refuse; the agent goes on without it", Scope: thisRequest},
	}
}

func once() broker.Offer {
	return broker.Offer{Decision: broker.Accept, Label: "Allow once", Scope: thisRequest}
}

func session(what string) broker.Offer {
	return broker.Offer{Decision: broker.AcceptForSession, Label: "Allow " + what + " this session", Scope: thisSession}
}

// readCommand reads an approval of a command, of input to a terminal, or of a
// host that the network proxy stopped.
func readCommand(q asked, r *broker.Request) {
	p := q.params
	command, kind := p.Get("command").Text(), p.Get("kind").Text()
	host := p.Get("networkApprovalContext", "host").Text()
	r.Kind = evaluator.Command
	switch {
	case host != "":
		r.Title, r.Resources = "network: "+host, []string{host}
	case command == "":
		r.Title = "a command that the request doesn't name"
	case kind == "writeStdin":
		r.Title, r.Resources = "input to a terminal: "+command, []string{command}
	default:
		r.Title, r.Resources = "command: "+command, []string{command}
	}
	r.Detail = details("reason", p.Get("reason").Text(), "folder", p.Get("cwd").Text(), "command", command,
		"network", shown(p.Get("networkApprovalContext")), "more permissions", shown(p.Get("additionalPermissions")))
	r.Offered = refusals()
	if !advertised(p, "accept") {
		return
	}
	// The session's key is the argv with its folder, its sandbox and its further
	// permissions. It was measured for commands alone; humanCommand takes none.
	if command != "" && host == "" && (kind == "" || kind == "command") {
		r.Offered = append(r.Offered, session(command))
	}
	r.Offered = append(r.Offered, once())
}

// advertised reports whether the request leaves a decision open. What isn't a
// plain word there (an amendment of the command rules or of the network's) is
// kept for good by Codex, so that no decision comes to it.
func advertised(p loosejson.Value, decision string) bool {
	list := p.Get("availableDecisions")
	return !list.There() || slices.Contains(list.Texts(), decision)
}

// readFileChange reads an approval of a patch. Its diff is only in the
// item/started before it.
func readFileChange(q asked, r *broker.Request) {
	p := q.params
	reason, root := p.Get("reason").Text(), p.Get("grantRoot").Text()
	r.Kind, r.Title = evaluator.FileChange, "change files"
	r.Detail = details("reason", reason, "root", root)
	r.Offered = refusals()
	switch {
	case root != "":
		// "Unclear if this is honored", says the schema of 0.171.0, which never sends it.
		r.Title, r.Resources = "change files under "+root, []string{root}
		r.Offered = append(r.Offered, broker.Offer{Decision: broker.Accept, Label: "Allow changes under " + root, Scope: "perhaps this session: Codex doesn't say"})
	case reason != "":
		// An approval with a reason isn't kept for the session (source read 2026-11-30).
		r.Title = "change files: " + reason
		r.Offered = append(r.Offered, once())
	default:
		r.Offered = append(r.Offered, session("changes of the same files"), once())
	}
}

func readFileRead(q asked, r *broker.Request) {
	path := first(q.params, "", "path", "grantRoot")
	r.Kind, r.Title = evaluator.FileRead, "read a file"
	if path != "" {
		r.Title, r.Resources = "read "+path, []string{path}
	}
	r.Detail = details("reason", q.params.Get("reason").Text(), "request", q.params.String())
	r.Offered = append(refusals(), session("the same read"), once())
}

// replyDecision is {decision} in the words of app-server v2, which are ours.
func replyDecision(_ asked, _ broker.Request, a broker.Answer) (any, error) {
	return map[string]any{"decision": a.Decision}, nil
}

// readLegacyCommand and readLegacyPatch read the requests of app-server v1, which
// 0.171.0 still has in its schema.
func readLegacyCommand(q asked, r *broker.Request) {
	command := words(q.params.Get("command").Texts())
	r.Kind, r.Title = evaluator.Command, "command: "+command
	if command == "" {
		r.Title = "a command that the request doesn't name"
	} else {
		r.Resources = []string{command}
	}
	r.Detail = details("reason", q.params.Get("reason").Text(), "folder", q.params.Get("cwd").Text())
	r.Offered = refusals()
	if command != "" {
		r.Offered = append(r.Offered, session(command))
	}
	r.Offered = append(r.Offered, once())
}

func readLegacyPatch(q asked, r *broker.Request) {
	p := q.params
	files := p.Get("fileChanges").Names()
	r.Kind, r.Title = evaluator.FileChange, "change files"
	r.Offered = refusals()
	diff := ""
	if len(files) > 0 {
		r.Title, r.Resources = "change "+strings.Join(files, ", "), files
		for _, file := range files {
			change := p.Get("fileChanges", file)
			diff += "\n" + file + " (" + change.Get("type").Text() + ")\n" + first(change, "", "unified_diff", "content")
		}
		r.Offered = append(r.Offered, session("changes of "+strings.Join(files, ", ")))
	}
	r.Detail = strings.TrimSpace(details("reason", p.Get("reason").Text(), "root", p.Get("grantRoot").Text()) + diff)
	r.Offered = append(r.Offered, once())
}

// replyReview is {decision} in the words of app-server v1. 0.171.0 takes denied
// only with what the model is told (its schema); older versions took the bare
// word.
func replyReview(_ asked, _ broker.Request, a broker.Answer) (any, error) {
	decision := map[broker.Decision]any{
		broker.Accept:           "approved",
		broker.AcceptForSession: "approved_for_session",
		broker.Decline:          map[string]any{"denied": map[string]string{"rejection": "The user declined this."}},
		broker.Cancel:           "abort",
	}[a.Decision]
	return map[string]any{"decision": decision}, nil
}

// words writes an argv on one line, quoted where it has to be.
func words(argv []string) string {
	out := make([]string, len(argv))
	for i, word := range argv {
		out[i] = word
		if word == "" || strings.ContainsAny(word, " \t\n'\"\\$&|;<>()*?[]{}#~`!") {
			out[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
