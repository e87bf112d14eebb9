package server

import (
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// provider is what is published about a provider.
type provider struct {
	Name         evaluator.Provider     `json:"name"`
	Versions     []string               `json:"versions"` // that can be judged, the default first
	Capabilities *compiler.Capabilities `json:"capabilities"`
	ModeChange   string                 `json:"modeChange"` // how a runtime mode change reaches it while a turn runs
	Requests     bool                   `json:"requests"`   // whether this build can read and answer its requests
	Proof        []evaluator.Proof      `json:"proof"`      // of the default version
}

const capabilityNote = "evidence of what the provider and its adapter can do, not a guarantee that a runtime will ask"

func encodeProviders(cfg Config) ([]byte, error) {
	out := struct {
		Note      string     `json:"note"`
		Providers []provider `json:"providers"`
	}{Note: capabilityNote}
	for _, d := range cfg.Dialects {
		one := provider{Name: d.Provider(), Versions: d.Versions(), ModeChange: modeChangeOf(cfg.Dialects, d.Provider())}
		_, one.Requests = cfg.Translators[d.Provider()]
		if cfg.Proofs != nil {
			one.Proof = cfg.Proofs(d, one.Versions[0])
		}
		if able, ok := d.(compiler.Capable); ok {
			c := able.Capabilities()
			one.Capabilities = &c
		}
		out.Providers = append(out.Providers, one)
	}
	return strictjson.Encode(out)
}

func getProviders(s *Server, c *call) { c.answer(200, s.providers) }
