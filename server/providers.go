package server

import (
	"github.com/modegate/modegate/adapters/broker"
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
	Controls     *controls              `json:"controls"`   // what a client needs to answer them, null where it can't
	Proof        []evaluator.Proof      `json:"proof"`      // of the default version
}

// controls are a provider's, with what stands behind them: they are read off the
// requests that it is known to make, so that they are worth what is known of its
// wire.
type controls struct {
	broker.Controls `json:",inline"`
	Proof           []evaluator.Proof `json:"proof"`
}

// wireClaim is the claim that a dialect makes of its provider's requests.
const wireClaim = "wire"

func controlsOf(t broker.Translator, proofs []evaluator.Proof) *controls {
	c, ok := t.(broker.Controlled)
	if !ok {
		return nil
	}
	out := controls{Controls: c.Controls()}
	for _, p := range proofs {
		if p.Claim == wireClaim {
			out.Proof = append(out.Proof, p)
		}
	}
	if out.Proof == nil {
		out.Proof = []evaluator.Proof{{Claim: wireClaim, Status: evaluator.Unverified}}
	}
	return &out
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
		one.Controls = controlsOf(cfg.Translators[d.Provider()], one.Proof)
		if able, ok := d.(compiler.Capable); ok {
			c := able.Capabilities()
			one.Capabilities = &c
		}
		out.Providers = append(out.Providers, one)
	}
	return strictjson.Encode(out)
}

func getProviders(s *Server, c *call) { c.answer(200, s.providers) }
