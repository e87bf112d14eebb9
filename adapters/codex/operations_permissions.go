package codex

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/loosejson"
)

// readPermissions reads the request of the request_permissions tool. Its kind is
// that of what is asked for: any write makes it a change, reads alone a read.
func readPermissions(q asked, r *broker.Request) {
	profile := q.params.Get("permissions")
	wanted := wantedPaths(profile.Get("fileSystem"))
	r.Kind = evaluator.Command
	var parts []string
	for _, access := range []string{"write", "read"} {
		if paths := wanted[access]; len(paths) > 0 {
			parts = append(parts, access+" "+strings.Join(paths, ", "))
			r.Resources = append(r.Resources, paths...)
		}
	}
	if len(wanted["read"]) > 0 {
		r.Kind = evaluator.FileRead
	}
	if len(wanted["write"]) > 0 {
		r.Kind = evaluator.FileChange
	}
	if profile.Get("network", "enabled").True() {
		parts = append(parts, "network")
	}
	what := strings.Join(parts, "; ")
	if what == "" {
		what = "what the request names"
	}
	r.Title = "permissions: " + what
	r.Detail = details("reason", q.params.Get("reason").Text(), "folder", q.params.Get("cwd").Text(), "permissions", profile.String())
	// Codex has no reply here that ends the turn.
	r.Offered = []broker.Offer{
		{Decision: broker.Cancel, Label: "Grant nothing", Scope: thisRequest},
		{Decision: broker.Decline, Label: "Grant nothing", Scope: thisRequest},
	}
	if profile.IsObject() {
		r.Offered = append(r.Offered, session(what), broker.Offer{Decision: broker.Accept, Label: "Allow " + what + " this turn", Scope: thisTurn})
	}
}

// wantedPaths are the paths of a file system profile by access. The lists read
// and write repeat what entries say, and will go (schema of 0.171.0).
func wantedPaths(fs loosejson.Value) map[string][]string {
	out := map[string][]string{}
	add := func(access, path string) {
		if path != "" && !slices.Contains(out[access], path) {
			out[access] = append(out[access], path)
		}
	}
	for _, access := range []string{"write", "read"} {
		for _, path := range fs.Get(access).Texts() {
			add(access, path)
		}
	}
	for _, entry := range fs.Get("entries").List() {
		path := entry.Get("path")
		add(entry.Get("access").Text(), first(path, shown(path), "path", "pattern"))
	}
	return out
}

// replyPermissions grants what was asked for, or nothing. Codex grants the
// intersection with its request, and only for the scope (measured on 0.171.0,
// 2026-11-30); an empty grant is the refusal.
func replyPermissions(q asked, _ broker.Request, a broker.Answer) (any, error) {
	type grant struct {
		Permissions any    `json:"permissions"`
		Scope       string `json:"scope"`
	}
	switch a.Decision {
	case broker.Accept:
		return grant{q.params.Get("permissions").Raw(), "turn"}, nil
	case broker.AcceptForSession:
		return grant{q.params.Get("permissions").Raw(), "session"}, nil
	}
	return grant{struct{}{}, "turn"}, nil
}
