package claude

import (
	"slices"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// Openings are a user's own settings that allow everything.
func (dialect) Openings(env evaluator.Env) []compiler.Opening {
	facts, raw, err := splitFacts(env.Facts)
	if err != nil {
		return nil
	}
	bypass := SettingsMode(Bypass)
	own := SettingsSource{Layer: UserLayer, Folder: (&settingsReader{env: env, facts: facts}).config()}
	own.Settings.Permissions.Allow = []string{"Bash", "Edit", "Read", "WebFetch", "WebSearch", "Agent", "mcp__example"}
	own.Settings.Permissions.DefaultMode = &bypass
	with := env
	if raw["sources"], err = strictjson.Encode(append(slices.Clone(facts.Sources), own)); err != nil {
		return nil
	}
	if with.Facts, err = strictjson.Encode(raw); err != nil {
		return nil
	}
	return []compiler.Opening{{ID: "allow-all", What: "a user's own settings.json that allows everything", Env: with}}
}
