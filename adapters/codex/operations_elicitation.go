package codex

import (
	"fmt"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/internal/loosejson"
)

// readElicitation reads what an MCP server asks of a person, which is also how
// Codex asks whether one of its tools may run. Whoever keeps a lasting choice is
// Codex (for a tool: `approval_mode = "approve"` in config.toml, measured on
// 0.171.0, 2026-11-30) or the server.
func readElicitation(q asked, r *broker.Request) {
	p := q.params
	meta, server := p.Get("_meta"), p.Get("serverName").Text()
	tool := meta.Get("tool_name").Text()
	r.Kind = broker.MCPElicitation
	if id := p.Get("elicitationId").Text(); id != "" && p.Get("mode").Text() == "url" {
		r.ID = id
	} else if server != "" {
		r.ID = "mcp-elicitation:" + server
	}
	r.Title = title(p, server)
	what := "what an MCP server asks here"
	switch {
	case tool != "" && server != "":
		r.Resources, what = []string{server + "/" + tool}, tool+" of "+server
	case server != "":
		r.Resources, what = []string{server}, "what "+server+" asks here"
	}
	r.Detail = details("server", server, "tool", tool, "about", meta.Get("tool_description").Text(), "hints", shown(meta.Get("tool_annotations")),
		"input", shown(meta.Get("tool_params")), "link", p.Get("url").Text(), "form", shown(p.Get("requestedSchema")))
	// Neither ends the turn: both fail the call.
	r.Offered = []broker.Offer{
		{Decision: broker.Cancel, Label: "Dismiss", Scope: thisRequest},
		{Decision: broker.Decline, Label: "Refuse", Scope: thisRequest},
	}
	if _, err := accept(q, broker.Accept); err != nil {
		r.Detail += "\ncan't be accepted: " + err.Error()
		return
	}
	lasting := persistences(p)
	if _, err := accept(q, broker.AcceptForSession); err == nil && lasting[broker.AcceptForSession] {
		r.Offered = append(r.Offered, session(what))
	}
	if _, err := accept(q, broker.AcceptAlways); err == nil && lasting[broker.AcceptAlways] {
		r.Offered = append(r.Offered, broker.Offer{Decision: broker.AcceptAlways, Label: "Always allow " + what, Scope: "every session, until it is undone at Codex or the server"})
	}
	r.Offered = append(r.Offered, once())
}

func title(p loosejson.Value, server string) string {
	text := p.Get("message").Text()
	if text == "" {
		text = p.Get("description").Text()
	}
	name := first(p.Get("_meta"), "", "app_name", "connector_name")
	switch {
	case blank(text) && name != "":
		return name + " asks something"
	case blank(text) && server != "":
		return server + " asks something"
	case blank(text):
		return "an MCP server asks something"
	case name != "":
		return name + ": " + text
	}
	return text
}

// persistences are the lasting choices that a request has: in _meta.persist, in
// _meta.allowPersistentApproval, or among its form's fields.
func persistences(p loosejson.Value) map[broker.Decision]bool {
	out := map[broker.Decision]bool{}
	meta := p.Get("_meta")
	persist := meta.Get("persist")
	for _, text := range append(persist.Texts(), persist.Text()) {
		out[persistence(text)] = true
	}
	if meta.Get("allowPersistentApproval").True() {
		out[broker.AcceptAlways] = true
	}
	fields, err := formFields(p)
	if err != nil {
		return out
	}
	for _, f := range fields {
		if f.isBool() {
			out[f.persistent()] = true
		}
		for _, c := range f.choices() {
			out[c.persistence()] = true
		}
	}
	return out
}

// acceptance is a reply that accepts.
type acceptance struct {
	Action  string         `json:"action"`
	Content map[string]any `json:"content"`
	Meta    *persist       `json:"_meta,omitzero"`
}

type persist struct {
	Persist string `json:"persist"`
}

// accept is the reply of a decision that accepts, or why there is none. A link
// can't be opened from here, and what a new mode asks for isn't known.
func accept(q asked, d broker.Decision) (acceptance, error) {
	switch mode := q.params.Get("mode").Text(); mode {
	case "form", "openai/form", "openaiForm":
	case "url":
		return acceptance{}, fmt.Errorf("it wants a link to be opened")
	default:
		return acceptance{}, fmt.Errorf("its mode %q isn't known", mode)
	}
	fields, err := formFields(q.params)
	if err != nil {
		return acceptance{}, err
	}
	out := acceptance{Action: "accept", Content: map[string]any{}}
	for _, f := range fields {
		value, err := f.fill(d)
		if err != nil {
			return acceptance{}, err
		}
		if value != nil {
			out.Content[f.key] = value
		}
	}
	switch d {
	case broker.AcceptForSession:
		out.Meta = &persist{"session"}
	case broker.AcceptAlways:
		out.Meta = &persist{"always"}
	}
	return out, nil
}

func replyElicitation(q asked, _ broker.Request, a broker.Answer) (any, error) {
	switch a.Decision {
	case broker.Decline, broker.Cancel:
		return map[string]any{"action": a.Decision}, nil
	}
	return accept(q, a.Decision)
}
