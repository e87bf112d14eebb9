package broker

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
)

// Follower is a Translator of a provider whose native settings say what our
// callback answers by itself. Its own Automatic knows the cell alone, and so
// answers as the built-in policy does; a policy may say otherwise.
type Follower interface {
	// Follow returns the Translator that answers as a RuleSet's native settings
	// say, for a session in an Env.
	Follow(native jsontext.Value, env evaluator.Env) (Translator, error)
}

// RuleWriter is a Translator of a provider that takes rules while a session
// runs, also while it waits for an answer.
type RuleWriter interface {
	// WriteRules are the steps that put a RuleSet's native settings in force.
	WriteRules(session string, native jsontext.Value) ([]Operation, error)
}

// Limiter is a Translator of a provider whose session settings reach less than
// what the agent does.
type Limiter interface {
	// Limits are what native settings can't hold in a session of an Env: each one
	// a sentence for whoever runs it.
	Limits(native jsontext.Value, env evaluator.Env) ([]string, error)
}

// Following is the Translator that answers by itself as native settings say, where
// they say it, for a session in an Env.
func Following(t Translator, native jsontext.Value, env evaluator.Env) (Translator, error) {
	if f, ok := t.(Follower); ok {
		return f.Follow(native, env)
	}
	return t, nil
}
