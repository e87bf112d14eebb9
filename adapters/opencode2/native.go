package opencode2

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/opencode"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// rule is one rule as the wire has it.
type rule struct {
	Action   *string           `json:"action"`
	Resource *string           `json:"resource"`
	Effect   *evaluator.Effect `json:"effect"`
}

// decode reads the rules of a session. All three fields must be there, and the
// effect must be one that OpenCode has.
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
		if r.Action == nil || r.Resource == nil || r.Effect == nil {
			return nil, fmt.Errorf("/%d: a rule needs action, resource and effect", i)
		}
		out[i] = lastmatch.Rule{Action: *r.Action, Resource: *r.Resource, Effect: *r.Effect}
	}
	return out, opencode.CheckRules(out)
}

func encode(r lastmatch.Rule) jsontext.Value {
	return opencode.Object("action", r.Action, "resource", r.Resource, "effect", r.Effect.String())
}

// request is one permission request as the evaluator takes it.
type request struct {
	Action    *string    `json:"action"`
	Resources *[]*string `json:"resources"`
	Save      []string   `json:"save,omitempty"`
}

func encodeRequest(action string, resources []string) jsontext.Value {
	return opencode.Object("action", action, "resources", resources)
}

// decodeRequest reads a native request. An empty list of resources is refused:
// the real evaluator allows it.
func decodeRequest(native []byte) (opencode.Request, error) {
	var q request
	if err := strictjson.Decode(native, &q); err != nil {
		return opencode.Request{}, err
	}
	if q.Action == nil || q.Resources == nil {
		return opencode.Request{}, fmt.Errorf("a request needs action and resources")
	}
	return opencode.NewRequest(*q.Action, *q.Resources)
}

var words = opencode.Words{Rule: encode, Request: encodeRequest}
