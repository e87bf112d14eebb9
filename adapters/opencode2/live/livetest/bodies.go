package livetest

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/wildcard/wildcardtest"
	"github.com/modegate/modegate/internal/strictjson"
)

type location struct {
	Directory string `json:"directory"`
}

type model struct {
	ProviderID string `json:"providerID"`
	ID         string `json:"id"`
	Variant    string `json:"variant,omitempty"`
}

// bodies are what the operations take; nil is nothing at all. A field that isn't
// here is refused, whatever the real server would make of it.
func bodyOf(name string) any {
	switch name {
	case "session.create":
		return &struct {
			Location    *location `json:"location"`
			Model       *model    `json:"model,omitempty"`
			Permissions *[]Rule   `json:"permissions,omitempty"`
		}{}
	case "session.update":
		return &struct {
			Title       string  `json:"title,omitempty"`
			Permissions *[]Rule `json:"permissions"`
		}{}
	case "session.prompt":
		return &struct {
			Text string `json:"text"`
		}{}
	case "session.synthetic":
		return &struct {
			Text     string `json:"text"`
			Delivery string `json:"delivery"`
			Resume   *bool  `json:"resume"`
		}{}
	case "session.permission.reply":
		return &struct {
			Decision string `json:"decision"`
			Message  string `json:"message,omitempty"`
		}{}
	case "session.form.reply":
		return &struct {
			Answer map[string]jsontext.Value `json:"answer"`
		}{}
	case "session.model":
		return &struct {
			Model *model `json:"model"`
		}{}
	case "session.move":
		return &location{}
	}
	return nil
}

// checkBody refuses what the real server would refuse, with the lock held.
func (s *Server) checkBody(op Operation) (answer, bool) {
	invalid := func(message string) (answer, bool) {
		return refuse(http.StatusBadRequest, "InvalidRequestError", message), true
	}
	into := bodyOf(op.Name)
	if into == nil {
		if len(op.Body) > 0 {
			return invalid(op.Name + " takes no body")
		}
		return answer{}, false
	}
	if len(op.Body) == 0 {
		return invalid(op.Name + " needs a body")
	}
	if err := strictjson.Decode(op.Body, into); err != nil {
		return invalid(err.Error())
	}
	if problem := check(op, into); problem != "" {
		return invalid(problem)
	}
	return answer{}, false
}

// check refuses values that the types let through.
func check(op Operation, body any) string {
	switch op.Name {
	case "session.create", "session.update":
		if op.Name == "session.create" && op.Input["location"] == nil {
			return "location is missing"
		}
		return checkRules(op.Input["permissions"])
	case "session.prompt":
		if op.text("text") == "" {
			return "text is missing"
		}
	case "session.synthetic":
		if op.text("text") == "" || op.text("delivery") != "steer" || op.Input["resume"] == nil {
			return "a note needs text, delivery and resume"
		}
	case "session.permission.reply":
		if d := op.text("decision"); d != "once" && d != "always" && d != "reject" {
			return "decision: expected once, always or reject, not " + d
		}
	case "session.form.reply":
		if op.Input["answer"] == nil {
			return "answer is missing"
		}
	}
	return ""
}

// checkRules refuses rules that aren't whole, and a denial of shell or read, of
// which the founding description says that OpenCode's free tier refuses such
// sessions.
func checkRules(text jsontext.Value) string {
	if text == nil {
		return ""
	}
	var rules []struct {
		Action   *string `json:"action"`
		Resource *string `json:"resource"`
		Effect   string  `json:"effect"`
	}
	if err := strictjson.Decode(text, &rules); err != nil {
		return err.Error()
	}
	for _, r := range rules {
		if r.Action == nil || r.Resource == nil || r.Effect != "allow" && r.Effect != "ask" && r.Effect != "deny" {
			return "a rule needs action, resource and effect (allow, ask or deny)"
		}
		for _, action := range []string{"shell", "read"} {
			if matches(*r.Action, action) && r.Effect == "deny" {
				return "a session that denies " + action + " is refused"
			}
		}
	}
	return ""
}

// matches is OpenCode's matching, by the second opinion on it.
func matches(pattern, text string) bool {
	is, err := wildcardtest.Match(pattern, text)
	return err == nil && is
}

// judge is what the rules say of a request: each of its resources by the last
// rule that matches, and the strictest of them.
func judge(action string, resources []string, rules ...[]Rule) string {
	total := "allow"
	for _, resource := range resources {
		effect := "ask"
		for _, list := range rules {
			for _, r := range list {
				if matches(r.Action, action) && matches(r.Resource, resource) {
					effect = r.Effect
				}
			}
		}
		if effect == "deny" || effect == "ask" && total == "allow" {
			total = effect
		}
	}
	return total
}

// firstWord is what a command's save pattern begins with.
func firstWord(command string) string {
	word, _, _ := strings.Cut(command, " ")
	return word
}
