package opencode2

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/loosejson"
)

// Boundary is the pure half of OpenCode 2's live boundary: its permission
// requests and forms, and the operations that answers come to.
func Boundary() broker.Translator { return boundary{} }

type boundary struct {
	adapter *opencode.Decliner // what the rules in force have us decline; nil: nothing
}

// Follow reads out of a session's rules what we decline by ourselves.
func (boundary) Follow(native jsontext.Value, env evaluator.Env) (broker.Translator, error) {
	rules, err := decode(native)
	if err != nil {
		return nil, err
	}
	adapter, err := opencode.NewDecliner(rules, declinable, env)
	return boundary{adapter}, err
}

// Controls are those of permission.asked and of forms.
func (boundary) Controls() broker.Controls {
	return broker.Controls{
		Decisions:    []broker.Decision{broker.Accept, broker.AcceptForSession, broker.Decline, broker.Cancel},
		SessionGrant: broker.ServiceGrants, Questions: true, MultiSelect: true, CustomAnswers: true,
	}
}

// The calls of 2's operations, by the names that the recording of 2.0.18 has for
// them. A saved "always" is for the whole project, so that no decision comes to
// it.
const (
	CallReply      = "session.permission.reply" // POST /api/session/{sessionID}/permission/{requestID}/reply
	CallUpdate     = "session.update"           // PATCH /api/session/{sessionID}
	CallSynthetic  = "session.synthetic"        // POST /api/session/{sessionID}/synthetic; the next step follows also when it fails
	CallFormReply  = "session.form.reply"       // POST /api/session/{sessionID}/form/{formID}/reply
	CallFormCancel = "session.form.cancel"      // DELETE /api/session/{sessionID}/form/{formID}, or POST …/cancel
)

// ReplyArguments are the arguments of CallReply.
type ReplyArguments struct {
	SessionID string `json:"sessionID"`
	RequestID string `json:"requestID"`
	Decision  string `json:"decision"`          // once or reject
	Message   string `json:"message,omitempty"` // with it, a rejection fails the call and the run goes on
}

// UpdateArguments are the arguments of CallUpdate.
type UpdateArguments struct {
	SessionID   string         `json:"sessionID"`
	Permissions jsontext.Value `json:"permissions"`
}

// SyntheticArguments are the arguments of CallSynthetic.
type SyntheticArguments struct {
	SessionID string `json:"sessionID"`
	Text      string `json:"text"`
	Delivery  string `json:"delivery"`
	Resume    bool   `json:"resume"`
}

// FormArguments are the arguments of CallFormReply and CallFormCancel.
type FormArguments struct {
	SessionID string         `json:"sessionID"`
	FormID    string         `json:"formID"`
	Answer    map[string]any `json:"answer,omitempty"` // a text for each field, a list where several can be chosen
}

// asked is a permission request or a form: out of its event, or as the lists of
// what is pending have it.
type asked struct {
	kind  string // the event's type
	body  loosejson.Value
	form  bool
	whole loosejson.Value
}

func readAsked(native []byte) (asked, error) {
	v, err := loosejson.Parse(native)
	if err != nil {
		return asked{}, fmt.Errorf("a request of OpenCode can't be read: %w", err)
	}
	q := asked{kind: v.Get("type").Text(), body: v, whole: v}
	if v.Get("data").IsObject() {
		q.body = v.Get("data")
	}
	if form := q.body.Get("form"); form.IsObject() {
		q.body, q.form = form, true
	} else {
		q.form = q.kind == "form.created" || q.body.Get("fields").IsList()
	}
	if q.id() == "" || q.session() == "" {
		return asked{}, errors.New("a request of OpenCode has no id or no session")
	}
	return q, nil
}

func (q asked) id() string      { return q.body.Get("id").Text() }
func (q asked) session() string { return q.body.Get("sessionID").Text() }

// permissionKinds are the kinds of 2's actions. No other action has one: kinds
// aren't invented.
var permissionKinds = map[string]evaluator.Kind{
	"shell": evaluator.Command,
	"read":  evaluator.FileRead,
	"edit":  evaluator.FileChange,
}

// How far a decision reaches.
const (
	thisRequest = "this request"
	thisRun     = "this run"
	thisSession = "this session"
)

// Request reads a permission request or a form. The session may be a child of
// ours: a subagent's requests are answered where they were asked.
func (boundary) Request(native []byte) (broker.Request, error) {
	q, err := readAsked(native)
	if err != nil {
		return broker.Request{}, err
	}
	r := broker.Request{ID: q.id(), Session: q.session(), Shape: broker.Approval, Resources: []string{}, Native: q.whole.Raw()}
	if q.form {
		readForm(q, &r)
		return r, nil
	}
	action := q.body.Get("action").Text()
	r.Kind = permissionKinds[action]
	if resources := q.body.Get("resources").Texts(); len(resources) > 0 {
		r.Resources = resources
	}
	r.Title = action
	if action == "" {
		r.Title = strings.TrimSpace("a request without an action " + q.kind)
	}
	if len(r.Resources) > 0 {
		r.Title += ": " + strings.Join(r.Resources, ", ")
	}
	if r.Kind == "" || len(r.Resources) == 0 {
		r.Detail = q.whole.String()
	}
	r.Offered = offers(q, action)
	return r, nil
}

// offers are the decisions in the order in which T3 Code has them (source read
// 2026-11-30). One for the session needs patterns that say what it reaches:
// without any, nothing would be kept.
func offers(q asked, action string) []broker.Offer {
	out := []broker.Offer{
		{Decision: broker.Cancel, Label: "Refuse and end the run", Scope: thisRun},
		{Decision: broker.Decline, Label: "Refuse; the agent goes on without it", Scope: thisRequest},
	}
	if grants := saved(q, action); len(grants) > 0 {
		out = append(out, broker.Offer{Decision: broker.AcceptForSession, Label: "Allow " + reach(action, grants) + " this session", Scope: thisSession, Grants: grants})
	}
	return append(out, broker.Offer{Decision: broker.Accept, Label: "Allow once", Scope: thisRequest})
}

func saved(q asked, action string) []evaluator.Grant {
	var out []evaluator.Grant
	for _, pattern := range q.body.Get("save").Texts() {
		if action == "" || pattern == "" {
			return nil
		}
		out = append(out, evaluator.Grant{Action: action, Resource: pattern})
	}
	return out
}

// reach names what grants cover: the patterns, or all of an action. A command's
// pattern speaks for itself.
func reach(action string, grants []evaluator.Grant) string {
	var patterns []string
	for _, g := range grants {
		if g.Resource == "*" {
			return "every " + action
		}
		patterns = append(patterns, g.Resource)
	}
	if action == "shell" {
		return strings.Join(patterns, ", ")
	}
	return action + " " + strings.Join(patterns, ", ")
}

// Operations says an answer in 2's calls. A grant is in the session's rules
// before the request is answered once. A rejection's message doesn't reach the
// model, so that a note tells it first; without a message the run ends.
func (b boundary) Operations(r broker.Request, a broker.Answer) ([]broker.Operation, error) {
	if err := broker.Check(r, a); err != nil {
		return nil, err
	}
	q, err := readAsked(r.Native)
	if err != nil {
		return nil, err
	}
	if q.form {
		return replyForm(q, r, a)
	}
	reply := func(decision, message string) broker.Step {
		return broker.Step{Call: CallReply, Arguments: ReplyArguments{q.session(), q.id(), decision, message}}
	}
	switch a.Decision {
	case broker.Accept:
		return broker.Steps(reply("once", ""))
	case broker.AcceptForSession:
		offer, _ := r.Offers(a.Decision)
		return broker.Steps(
			broker.Step{Call: broker.KeepGrants, Arguments: offer.Grants},
			broker.Step{Call: broker.SyncRules, Arguments: struct{}{}},
			reply("once", ""))
	case broker.Decline:
		text := opencode.Refused(r.Title)
		if by, ok := b.declines(q, r); ok {
			text = by.Refusal(r.Title)
		}
		return broker.Steps(
			broker.Step{Call: CallSynthetic, Arguments: SyntheticArguments{SessionID: q.session(), Text: text, Delivery: "steer"}},
			reply("reject", text))
	case broker.Cancel:
		return broker.Steps(reply("reject", ""))
	}
	return nil, fmt.Errorf("OpenCode 2 has no reply for %q", a.Decision)
}

// WriteRules puts a RuleSet's rules in force, also while the session waits: the
// asks after it are compared with them (T3 Code, source read 2026-11-30).
func (boundary) WriteRules(session string, native jsontext.Value) ([]broker.Operation, error) {
	if _, err := decode(native); err != nil {
		return nil, err
	}
	return broker.Steps(broker.Step{Call: CallUpdate, Arguments: UpdateArguments{session, native}})
}

// Automatic cancels the forms that can't be shown, and declines what the rules in
// force have us decline, because a session can't deny it. In every mode the rules
// themselves say what isn't asked.
func (b boundary) Automatic(_ evaluator.Cell, r broker.Request) (broker.Answer, string, bool) {
	q, err := readAsked(r.Native)
	if err != nil {
		return broker.Answer{}, "", false
	}
	if !q.form {
		by, ok := b.declines(q, r)
		return broker.Answer{Decision: broker.Decline}, by.Reason(), ok
	}
	why := unsupported(q.body)
	return broker.Answer{Decision: broker.Cancel}, "the form can't be shown: " + why, why != ""
}

// declines is what the rules in force have us decline a permission request by.
func (b boundary) declines(q asked, r broker.Request) (opencode.Denial, bool) {
	return b.adapter.Declines(q.body.Get("action").Text(), r.Resources)
}
