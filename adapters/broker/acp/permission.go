package acp

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/loosejson"
)

// kinds are the kinds of the protocol's tool kinds; search, fetch, think,
// switch_mode and other have none.
var kinds = map[string]evaluator.Kind{
	"execute": evaluator.Command,
	"read":    evaluator.FileRead,
	"edit":    evaluator.FileChange,
	"delete":  evaluator.FileChange,
	"move":    evaluator.FileChange,
}

// optionOf is the id of the first option of a kind. Options without an id can't
// be chosen.
func optionOf(m Message, kind string) string {
	for _, o := range m.Params.Get("options").List() {
		if id := o.Get("optionId").Text(); o.Get("kind").Text() == kind && id != "" {
			return id
		}
	}
	return ""
}

// permission reads session/request_permission. What "always" means is up to the
// agent, and Grok and Cursor keep it for the project: the session's decision is
// the once-only option, and the grant is ours to keep.
func (t translator) permission() Extension {
	return Extension{Read: t.readPermission, Reply: replyPermission}
}

func (t translator) readPermission(m Message, r *broker.Request) {
	call := m.Params.Get("toolCall")
	kind := call.Get("kind").Text()
	r.Kind = kinds[kind]
	r.Resources = resources(call)
	r.Title = call.Get("title").Text()
	if kind == "" {
		kind = "a tool"
	}
	if len(r.Resources) > 0 {
		r.Title = kind + ": " + strings.Join(r.Resources, ", ")
	} else if strings.TrimSpace(r.Title) == "" {
		r.Title = kind + " that the request doesn't describe"
	}
	r.Detail = detail(m, call)
	r.Offered = t.offers(m, r)
}

// offers are the decisions that the request's options can say. A kind that is
// missing is reported in the request's detail.
func (t translator) offers(m Message, r *broker.Request) []broker.Offer {
	out := []broker.Offer{{Decision: broker.Cancel, Label: "Refuse and end the turn", Scope: ThisTurn}}
	switch {
	case optionOf(m, "reject_once") != "":
		out = append(out, t.agent.Refusal)
	case optionOf(m, "reject_always") != "":
		out = append(out, broker.Offer{Decision: broker.Decline, Label: "Refuse now and from now on: the agent has no refusal for once", Scope: "beyond this session"})
	default:
		r.Detail += "\nno option of kind reject_once: it can only be cancelled"
	}
	if optionOf(m, "allow_once") == "" {
		r.Detail += "\nno option of kind allow_once: it can't be allowed"
		if optionOf(m, "allow_always") != "" {
			r.Detail += " without allowing more than this session, which is never done here"
		}
		r.Detail = strings.TrimSpace(r.Detail)
		return out
	}
	if grants := grants(m.Params.Get("toolCall").Get("kind").Text(), r.Resources); len(grants) > 0 {
		what := strings.Join(r.Resources, ", ")
		if r.Kind != evaluator.Command {
			what = grants[0].Action + " " + what
		}
		out = append(out, broker.Offer{Decision: broker.AcceptForSession, Label: "Allow " + what + " this session", Scope: ThisSession, Grants: grants})
	}
	r.Detail = strings.TrimSpace(r.Detail)
	return append(out, broker.Offer{Decision: broker.Accept, Label: "Allow once", Scope: ThisRequest})
}

// grants are what the session keeps: this very text and nothing like it. Grants
// are patterns, so a text with a wildcard, or with a backslash that a pattern
// reads as a slash, can't be kept exactly, and isn't.
func grants(action string, resources []string) []evaluator.Grant {
	var out []evaluator.Grant
	for _, text := range resources {
		if action == "" || strings.ContainsAny(text+action, `*?\`) {
			return nil
		}
		out = append(out, evaluator.Grant{Action: action, Resource: text})
	}
	return out
}

// resources are what a tool call is about: its command, else its files, else
// where it goes. rawInput is the agent's own; these are the names that agents use.
func resources(call loosejson.Value) []string {
	input := call.Get("rawInput")
	if command := input.Get("command"); command.Text() != "" {
		return []string{command.Text()}
	} else if list := command.Texts(); len(list) > 0 {
		return []string{strings.Join(list, " ")}
	}
	out := []string{}
	add := func(text string) {
		if text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	for _, l := range call.Get("locations").List() {
		add(l.Get("path").Text())
	}
	for _, c := range call.Get("content").List() {
		add(c.Get("path").Text())
	}
	for _, name := range []string{"file_path", "filePath", "target_file", "path", "url"} {
		add(input.Get(name).Text())
	}
	return out
}

func detail(m Message, call loosejson.Value) string {
	out := call.Get("title").Text()
	for _, c := range call.Get("content").List() {
		if path := c.Get("path").Text(); path != "" {
			out += "\n" + path + "\n" + c.Get("newText").Text()
		} else if text := c.Get("content", "text").Text(); text != "" {
			out += "\n" + text
		}
	}
	if input := call.Get("rawInput"); input.There() {
		out += "\ninput: " + input.String()
	}
	for _, o := range m.Params.Get("options").List() {
		out += "\noption " + o.Get("kind").Text() + ": " + o.Get("name").Text()
	}
	return strings.TrimSpace(out)
}

// outcome is what was chosen.
type outcome struct {
	Outcome  string `json:"outcome"`
	OptionID string `json:"optionId,omitempty"`
}

func replyPermission(m Message, r broker.Request, a broker.Answer) ([]broker.Step, error) {
	chosen := func(kind string) broker.Step {
		return m.Respond(map[string]outcome{"outcome": {"selected", optionOf(m, kind)}})
	}
	switch a.Decision {
	case broker.Accept:
		return []broker.Step{chosen("allow_once")}, nil
	case broker.AcceptForSession:
		offer, _ := r.Offers(a.Decision)
		return []broker.Step{chosen("allow_once"), {Call: broker.KeepGrants, Arguments: offer.Grants}}, nil
	case broker.Decline:
		if optionOf(m, "reject_once") == "" {
			return []broker.Step{chosen("reject_always")}, nil
		}
		return []broker.Step{chosen("reject_once")}, nil
	}
	return []broker.Step{m.Respond(map[string]outcome{"outcome": {Outcome: "cancelled"}})}, nil
}
