package opencode

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	oc "github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// rule is one rule as the wire has it.
type rule struct {
	Permission *string           `json:"permission"`
	Pattern    *string           `json:"pattern"`
	Action     *evaluator.Effect `json:"action"`
}

// decode reads the rules of a session. All three fields must be there; 1.x
// answers 400 to an action that it doesn't have.
func decode(native []byte) ([]lastmatch.Rule, error) {
	var list []rule
	if err := strictjson.Decode(native, &list); err != nil {
		return nil, err
	}
	if list == nil {
		return nil, errors.New("the rules must be a list, not null")
	}
	out := make([]lastmatch.Rule, len(list))
	for i, r := range list {
		if r.Permission == nil || r.Pattern == nil || r.Action == nil {
			return nil, fmt.Errorf("/%d: a rule needs permission, pattern and action", i)
		}
		out[i] = lastmatch.Rule{Action: *r.Permission, Resource: *r.Pattern, Effect: *r.Action}
	}
	return out, oc.CheckRules(out)
}

// list is the rules as the wire has them.
func list(rules []lastmatch.Rule) []rule {
	out := make([]rule, len(rules))
	for i := range rules {
		out[i] = rule{Permission: &rules[i].Action, Pattern: &rules[i].Resource, Action: &rules[i].Effect}
	}
	return out
}

func encode(r lastmatch.Rule) jsontext.Value {
	return oc.Object("permission", r.Action, "pattern", r.Resource, "action", r.Effect.String())
}

func encodeRequest(permission string, patterns []string) jsontext.Value {
	return oc.Object("permission", permission, "patterns", patterns)
}

// request is one permission request, in the words of 1.x or in those that case
// files share between the generations.
type request struct {
	Permission *string    `json:"permission"`
	Patterns   *[]*string `json:"patterns"`
	Action     *string    `json:"action"`
	Resources  *[]*string `json:"resources"`
}

// decodeRequest reads a native request. An empty list of patterns is refused:
// the real evaluator allows it.
func decodeRequest(native []byte) (oc.Request, error) {
	var q request
	if err := strictjson.Decode(native, &q); err != nil {
		return oc.Request{}, err
	}
	permission, patterns := q.Permission, q.Patterns
	if permission == nil && patterns == nil {
		permission, patterns = q.Action, q.Resources
	} else if q.Action != nil || q.Resources != nil {
		return oc.Request{}, fmt.Errorf("a request has permission and patterns, or action and resources, not both")
	}
	if permission == nil || patterns == nil {
		return oc.Request{}, fmt.Errorf("a request needs permission and patterns")
	}
	return oc.NewRequest(*permission, *patterns)
}

var words = oc.Words{Rule: encode, Request: encodeRequest}
