package server

import (
	"net/http"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// policyText is the policy in force as its files have it, so that a place can be
// shown with its line.
type policyText struct {
	Policy      compiler.PolicyRef `json:"policy"`
	Files       []textFile         `json:"files"`       // the layers, base first
	Acknowledge []accepted         `json:"acknowledge"` // the gaps that the policy accepts
}

type textFile struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"` // without their endings
}

type accepted struct {
	Gap    string           `json:"gap"`
	Reason string           `json:"reason"`
	Source evaluator.Source `json:"source"`
}

func getPolicyText(_ *Server, c *call) {
	p := c.snap.policy
	out := policyText{Policy: compiler.PolicyRef{Name: p.Name, Digest: p.Digest}}
	for _, name := range p.Files {
		out.Files = append(out.Files, textFile{name, p.Lines(name)})
	}
	for _, a := range p.Acknowledge {
		if a.Gap == "" {
			continue // of an invariant
		}
		out.Acknowledge = append(out.Acknowledge, accepted{a.Gap, a.Reason, a.Source})
	}
	c.reply(http.StatusOK, out)
}
