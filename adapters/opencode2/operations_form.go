package opencode2

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/internal/loosejson"
)

// readForm reads the form of form.created, as recorded from 2.0.18: {id,
// sessionID, title, fields: [{key, title, description, type, options: [{value,
// label, description}], custom}]}.
func readForm(q asked, r *broker.Request) {
	r.Shape, r.Title = broker.Questioned, q.body.Get("title").Text()
	why := unsupported(q.body)
	if why != "" {
		r.Title, r.Detail = "a form that can't be shown: "+why, q.whole.String()
		r.Offered = []broker.Offer{{Decision: broker.Cancel, Label: "Cancel the form; the turn fails", Scope: thisRun}}
		return
	}
	r.Offered = []broker.Offer{{Decision: broker.Cancel, Label: "Dismiss the question", Scope: thisRequest}}
	for i, f := range q.body.Get("fields").List() {
		header := f.Get("title").Text()
		if strings.TrimSpace(header) == "" {
			header = fmt.Sprintf("Question %d", i+1)
		}
		one := broker.Question{ID: f.Get("key").Text(), Header: header, Question: f.Get("description").Text(), Options: fieldOptions(f), Multiple: f.Get("type").Text() == "multiselect"}
		if strings.TrimSpace(one.Question) == "" {
			one.Question = header
		}
		one.Custom = f.Get("custom").True() || len(one.Options) == 0
		r.Questions = append(r.Questions, one)
	}
	if len(r.Questions) == 1 || strings.TrimSpace(r.Title) == "" {
		r.Title = r.Questions[0].Question
	}
}

func fieldOptions(f loosejson.Value) []broker.Option {
	out := []broker.Option{}
	seen := map[string]bool{}
	for _, o := range f.Get("options").List() {
		one := broker.Option{Value: o.Get("value").Text(), Label: o.Get("label").Text(), Description: o.Get("description").Text()}
		if one.Value == "" {
			one.Value = one.Label
		}
		if strings.TrimSpace(one.Label) == "" {
			one.Label = one.Value
		}
		if strings.TrimSpace(one.Value) != "" && !seen[one.Value] {
			seen[one.Value] = true
			out = append(out, one)
		}
	}
	return out
}

// unsupported says why a form can't be shown, or nothing. Its fields are texts
// and choices; a number, a link, what is hidden or depends on another field can't
// be answered by somebody who only sees questions.
func unsupported(form loosejson.Value) string {
	for _, name := range []string{"external", "url"} {
		if given(form.Get(name)) {
			return "it wants a link to be opened"
		}
	}
	fields := form.Get("fields").List()
	if len(fields) == 0 {
		return "it has no fields"
	}
	keys := map[string]bool{}
	for i, f := range fields {
		key := f.Get("key").Text()
		name := key
		if strings.TrimSpace(name) == "" {
			name = fmt.Sprintf("number %d", i+1)
		}
		switch kind := f.Get("type").Text(); {
		case kind != "string" && kind != "multiselect":
			return fmt.Sprintf("its field %q is of the type %q", name, kind)
		case given(f.Get("external")), given(f.Get("url")):
			return fmt.Sprintf("its field %q wants a link to be opened", name)
		case given(f.Get("hidden")):
			return fmt.Sprintf("its field %q is hidden", name)
		case given(f.Get("when")):
			return fmt.Sprintf("its field %q depends on another", name)
		case strings.TrimSpace(key) == "":
			return fmt.Sprintf("its field %s has no key", name)
		case keys[key]:
			return fmt.Sprintf("two of its fields are called %q", name)
		}
		keys[key] = true
	}
	return ""
}

// given reports whether a value says anything: false, null and what is empty don't.
func given(v loosejson.Value) bool {
	switch {
	case !v.There(), v.IsBool() && !v.True():
		return false
	case v.IsList():
		return len(v.List()) > 0
	case v.IsObject():
		return len(v.Names()) > 0
	case v.IsText():
		return v.Text() != ""
	}
	return true
}

// replyForm answers by the fields' keys: a text, or a list where several can be
// chosen. A form that can't be shown is cancelled, and the turn fails with the
// reason: nothing goes on as if it had been answered.
func replyForm(q asked, r broker.Request, a broker.Answer) ([]broker.Operation, error) {
	out := FormArguments{SessionID: q.session(), FormID: q.id()}
	if a.Decision == broker.Cancel {
		cancel := broker.Step{Call: CallFormCancel, Arguments: out}
		if why := unsupported(q.body); why != "" {
			return broker.Steps(cancel, broker.Step{Call: broker.FailTurn, Arguments: broker.Failure{Reason: "OpenCode asked with a form that can't be shown: " + why}})
		}
		return broker.Steps(cancel)
	}
	out.Answer = map[string]any{}
	for _, question := range r.Questions {
		given := a.Answers[question.ID]
		if question.Multiple {
			out.Answer[question.ID] = given
		} else {
			out.Answer[question.ID] = given[0]
		}
	}
	return broker.Steps(broker.Step{Call: CallFormReply, Arguments: out})
}
