package grok

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// Openings are the user's own always-approve, and the bypass mode of Claude's
// settings, which Grok reads as its own (measured on 1.0.41).
func (Dialect) Openings(env evaluator.Env) []compiler.Opening {
	var out []compiler.Opening
	for _, o := range []struct{ id, what, fact, value string }{
		{"always-approve", "a user's own always-approve in ~/.grok/config.toml", "permissionMode", `"always-approve"`},
		{"claude-bypass", "a user's own bypassPermissions in ~/.claude/settings.json", "claudeDefaultMode", `"bypassPermissions"`},
	} {
		facts := map[string]jsontext.Value{}
		if len(env.Facts) > 0 && strictjson.Decode(env.Facts, &facts) != nil {
			return nil
		}
		facts[o.fact] = jsontext.Value(o.value)
		with, err := env, error(nil)
		if with.Facts, err = strictjson.Encode(facts); err != nil {
			return nil
		}
		out = append(out, compiler.Opening{ID: o.id, What: o.what, Env: with})
	}
	return out
}
