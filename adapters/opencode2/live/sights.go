package live

import (
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/internal/loosejson"
)

// progress shows what the agent says and does: texts of its own, calls of its
// subagents, too. The question tool isn't shown: its form comes as a request.
func (r *run) progress(e event) {
	session, call := e.text("sessionID"), e.text("id")
	s := broker.Sight{Session: session, Tool: r.tools[call]}
	switch e.kind {
	case "session.text.delta":
		r.said(session, r.textKey(e), e.text("delta"), false)
	case "session.text.ended":
		r.said(session, r.textKey(e), e.text("text"), true)
	case "session.tool.input.started":
		r.tools[call] = e.text("name")
	case "session.tool.called":
		s.Kind, s.Text = broker.SawToolStart, inputText(e.data.Get("input"))
		r.saw(s)
	case "session.tool.success":
		s.Kind, s.Detail = broker.SawToolEnd, contentText(e.data.Get("content"))
		r.saw(s)
	case "session.tool.failed":
		s.Kind, s.Detail = broker.SawToolFailed, e.text("error", "message")
		r.saw(s)
	case "session.retry.scheduled":
		r.d.note("the model is tried again: " + e.text("error", "message"))
	}
}

func (r *run) textKey(e event) string {
	return e.text("assistantMessageID") + " " + e.data.Get("ordinal").String()
}

// said shows a piece of text, or what is still missing of the whole one.
func (r *run) said(session, key, text string, whole bool) {
	if session != r.d.ID() {
		return
	}
	if rest, follows := strings.CutPrefix(text, r.shown[key]); whole && follows {
		text = rest // else something between was missed
	}
	r.shown[key] += text
	if text != "" {
		r.person.Saw(broker.Sight{Kind: broker.SawText, Session: session, Text: text})
	}
	if whole {
		r.person.Saw(broker.Sight{Kind: broker.SawTextEnd, Session: session})
	}
}

func (r *run) saw(s broker.Sight) {
	if s.Tool != "question" {
		r.person.Saw(s)
	}
}

// inputText says what a call is about.
func inputText(input loosejson.Value) string {
	for _, name := range []string{"command", "filePath", "path", "url", "query", "pattern", "description", "name"} {
		if text := input.Get(name).Text(); strings.TrimSpace(text) != "" {
			return text
		}
	}
	if len(input.Names()) == 0 {
		return ""
	}
	return input.String()
}

// contentText joins the texts of a call's result.
func contentText(content loosejson.Value) string {
	var texts []string
	for _, part := range content.List() {
		if text := part.Get("text").Text(); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}
