package opencode

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
)

// Boundary is the pure half of 1.x's live boundary: its permission requests and
// questions, and the steps that answers come to.
func Boundary() broker.Translator { return boundary{} }

type boundary struct {
	adapter *oc.Decliner // what the rules in force have us decline; nil: nothing
}

// Follow reads out of a session's rules what we decline by ourselves.
func (boundary) Follow(native jsontext.Value, env evaluator.Env) (broker.Translator, error) {
	rules, err := decode(native)
	if err != nil {
		return nil, err
	}
	adapter, err := oc.NewDecliner(rules, declinable, env)
	return boundary{adapter}, err
}

// Controls are those of permission.asked and question.asked.
func (boundary) Controls() broker.Controls {
	return broker.Controls{
		Decisions:    []broker.Decision{broker.Accept, broker.AcceptForSession, broker.Decline, broker.Cancel},
		SessionGrant: broker.ServiceGrants, Questions: true, MultiSelect: true, CustomAnswers: true,
	}
}

// asked is the part of permission.asked and question.asked that is read, as
// GET /doc of 1.18.33 describes them. Fields that a later 1.x adds don't matter.
type asked struct {
	ID         string     `json:"id"`
	SessionID  string     `json:"sessionID"`
	Permission string     `json:"permission"`
	Patterns   []string   `json:"patterns"`
	Always     []string   `json:"always"`
	Metadata   metadata   `json:"metadata"`
	Questions  []question `json:"questions"`
}

// metadata is what a tool says of its request.
type metadata struct {
	Command string `json:"command"` // bash: the whole text, of which patterns are the commands
	Diff    string `json:"diff"`    // edit, write, apply_patch
}

type question struct {
	Question string `json:"question"`
	Header   string `json:"header"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
	Multiple bool  `json:"multiple"`
	Custom   *bool `json:"custom"` // true when missing (source of 1.18.33)
}

// Request reads a pending request of either shape. A request that can't be read
// in full is shown as it came, and can be answered all the same.
func (boundary) Request(native []byte) (broker.Request, error) {
	var a asked
	full := json.Unmarshal(native, &a)
	if full != nil {
		var least struct {
			ID         string `json:"id"`
			SessionID  string `json:"sessionID"`
			Permission string `json:"permission"`
		}
		if err := json.Unmarshal(native, &least); err != nil {
			return broker.Request{}, fmt.Errorf("a request of OpenCode can't be read: %w", err)
		}
		a = asked{ID: least.ID, SessionID: least.SessionID, Permission: least.Permission}
	}
	if a.ID == "" || a.SessionID == "" {
		return broker.Request{}, errors.New("a request of OpenCode has no id or no session")
	}
	r := broker.Request{ID: a.ID, Session: a.SessionID, Native: jsontext.Value(native), Resources: a.Patterns}
	if a.Permission == "" && len(a.Questions) > 0 {
		r.Shape, r.Questions, r.Title = broker.Questioned, questions(a.Questions), a.Questions[0].Question
		r.Offered = []broker.Offer{{Decision: broker.Cancel, Label: "dismiss the question", Scope: "this run"}}
		return r, nil
	}
	r.Shape, r.Kind, r.Title = broker.Approval, kinds[a.Permission], title(a)
	r.Detail = a.Metadata.Diff
	switch a.Permission {
	case "task":
		r.Detail = freeSubagent
	case "doom_loop":
		r.Detail = ownRules
	}
	if full != nil || !known[a.Permission] {
		r.Detail = string(native)
	}
	r.Offered = offers(a)
	return r, nil
}

// freeSubagent is what a person should know before a subagent is let loose
// (measured on 1.18.33, 2026-11-30: a child of a session that asks ran touch and
// write unasked).
const freeSubagent = "The subagent runs under its own agent's rules. It inherits what this session denies and its external_directory rules, not its asks: it may change files and run commands unasked."

// ownRules is what a person should know who finds this asked about, or a session's
// rules not kept (measured on 1.18.33, 2026-11-30).
const ownRules = "OpenCode asks about this by the agent's own rules alone, whatever this session's rules say."

// kinds are the kinds of 1.x's permissions. No other permission has one: kinds
// aren't invented.
var kinds = map[string]evaluator.Kind{
	"bash": evaluator.Command,
	"read": evaluator.FileRead,
	"edit": evaluator.FileChange,
}

// known are the permissions of 1.18.33's own tools. The request of another, such
// as an MCP tool, is shown raw.
var known = map[string]bool{
	"bash": true, "read": true, "edit": true, "glob": true, "grep": true, "webfetch": true, "websearch": true,
	"task": true, "skill": true, "todowrite": true, "lsp": true, "doom_loop": true, "external_directory": true,
}

func title(a asked) string {
	if a.Permission == "bash" && a.Metadata.Command != "" {
		return "bash: " + a.Metadata.Command
	}
	if a.Permission == "doom_loop" {
		return "doom_loop: the same call of " + strings.Join(a.Patterns, ", ") + " again and again"
	}
	name := a.Permission
	if name == "" {
		name = "a request without a name"
	}
	if len(a.Patterns) == 0 {
		return name
	}
	return name + ": " + strings.Join(a.Patterns, ", ")
}

// offers are the decisions that a request can take. One for the session needs
// patterns that say what it reaches.
func offers(a asked) []broker.Offer {
	out := []broker.Offer{{Decision: broker.Accept, Label: "allow this once", Scope: "this request"}}
	if len(a.Always) > 0 && a.Permission != "" {
		o := broker.Offer{Decision: broker.AcceptForSession, Label: "allow " + reach(a) + " this session", Scope: "this session"}
		for _, pattern := range a.Always {
			o.Grants = append(o.Grants, evaluator.Grant{Action: a.Permission, Resource: pattern})
		}
		out = append(out, o)
	}
	return append(out,
		broker.Offer{Decision: broker.Decline, Label: "refuse this; the agent goes on", Scope: "this request"},
		broker.Offer{Decision: broker.Cancel, Label: "refuse this and end the run", Scope: "this run"})
}

// reach names what the patterns of a grant cover.
func reach(a asked) string {
	for _, pattern := range a.Always {
		if pattern != "*" {
			if a.Permission == "bash" {
				return strings.Join(a.Always, ", ")
			}
			return a.Permission + " " + strings.Join(a.Always, ", ")
		}
	}
	return "every " + a.Permission
}

func questions(in []question) []broker.Question {
	out := make([]broker.Question, len(in))
	for i, q := range in {
		out[i] = broker.Question{
			ID: questionID(i), Header: q.Header, Question: q.Question, Multiple: q.Multiple,
			Custom: q.Custom == nil || *q.Custom || len(q.Options) == 0, Options: []broker.Option{},
		}
		for _, o := range q.Options {
			out[i].Options = append(out[i].Options, broker.Option{Value: o.Label, Label: o.Label, Description: o.Description})
		}
	}
	return out
}

func questionID(i int) string { return fmt.Sprintf("question-%d", i) }
