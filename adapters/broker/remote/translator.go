package remote

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/evaluator"
)

// Asking is a Translator for runs whose requests are answered at a service: it
// answers none by itself.
func Asking(t broker.Translator) broker.Translator { return asking{t} }

type asking struct{ broker.Translator }

func (asking) Automatic(evaluator.Cell, broker.Request) (broker.Answer, string, bool) {
	return broker.Answer{}, "", false
}

// Limits are those of the provider.
func (a asking) Limits(native jsontext.Value, env evaluator.Env) ([]string, error) {
	if l, ok := a.Translator.(broker.Limiter); ok {
		return l.Limits(native, env)
	}
	return nil, nil
}
