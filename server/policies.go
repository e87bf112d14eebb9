package server

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/compiler/lint/policylint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// The states of what is loaded.
const (
	stateOK       = "ok"
	stateDegraded = "degraded" // the files on disk are broken: the last good policy is in force
)

// loaded is what is in force, and what is wrong with what is on disk.
type loaded struct {
	Name    string     `json:"name"`
	Digest  string     `json:"digest"`
	State   string     `json:"state"`
	Files   []string   `json:"files"` // the layers, base first
	Paths   []string   `json:"paths"` // as the service was started with
	Loaded  time.Time  `json:"loaded"`
	Cells   int        `json:"cells"`
	Errors  []place    `json:"errors"`
	Failed  *time.Time `json:"failed,omitempty"` // since when the files are broken
	Builtin []string   `json:"builtin"`

	Guardrails *guardrailState `json:"guardrails,omitempty"` // null when there are none
}

func (s *Server) loaded(snap *snapshot) loaded {
	out := loaded{
		Name: snap.policy.Name, Digest: snap.policy.Digest, State: stateOK, Files: snap.policy.Files, Paths: s.Policies,
		Loaded: snap.loaded, Cells: len(snap.order), Builtin: policies.BuiltinNames(), Guardrails: s.guardrailState(),
	}
	if f := s.failure.Load(); f != nil {
		out.State, out.Errors, out.Failed = stateDegraded, f.errors, &f.since
	}
	return out
}

func getPolicies(s *Server, c *call) { c.reply(http.StatusOK, s.loaded(c.snap)) }

// maxChecked is how many rules a text may have that is checked over HTTP: every
// one of them is compared with what every cell does.
const (
	maxChecked   = 200
	maxName      = 200 // bytes of its file's name
	checkTimeout = 20 * time.Second
)

// checked is what a check found.
type checked struct {
	OK     bool                `json:"ok"`
	Policy *compiler.PolicyRef `json:"policy"` // null when it isn't one
	Errors []place             `json:"errors"`
	Gaps   []cellGaps          `json:"gaps"` // of each cell that has any
	// Findings are about a policy that reads well; of one that doesn't compile, only
	// those that need no cells.
	Findings []lint.Finding `json:"findings"`
}

type cellGaps struct {
	Provider    evaluator.Provider    `json:"provider"`
	Mode        evaluator.Mode        `json:"mode"`
	Interaction evaluator.Interaction `json:"interaction"`
	Gaps        []evaluator.Gap       `json:"gaps"`
}

// postCheck compiles a policy text, looks for faults, and puts nothing in force.
func postCheck(s *Server, c *call) {
	var in struct {
		Name string `json:"name"` // of the file, as places show it
		Text string `json:"text"`
	}
	if p := c.decode(&in); p != nil {
		c.refuse(p)
		return
	}
	if in.Name == "" {
		in.Name = "policy.yaml"
	}
	if len(in.Name) > maxName {
		c.refuse(invalid(wrong("/name", fmt.Errorf("longer than %d bytes", maxName))))
		return
	}
	out := checked{}
	policy, err := policies.Parse(policies.File{Name: in.Name, Data: []byte(in.Text)})
	if err != nil {
		out.Errors = places(err)
		c.reply(http.StatusOK, out)
		return
	}
	if n := countRules(policy); n > maxChecked {
		c.refuse(newProblem(http.StatusUnprocessableEntity, "too-large", fmt.Sprintf("the policy has %d rules; %d at most are checked here", n, maxChecked)))
		return
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), checkTimeout)
	defer cancel()
	if p := s.take(ctx); p != nil {
		c.refuse(p)
		return
	}
	defer s.give()
	snap, err := s.build(ctx, policy)
	switch {
	case ctx.Err() != nil:
		c.refuse(busy("the check takes too long"))
		return
	case err != nil:
		out.Errors, out.Findings = places(err), policylint.Policy(policy)
	default:
		out.OK, out.Findings = true, policylint.All(policy, lintCells(snap))
		for _, one := range snap.order {
			if gaps := one.compiled.RuleSet.Gaps; len(gaps) > 0 {
				out.Gaps = append(out.Gaps, cellGaps{one.Provider, one.Mode, one.Interaction, gaps})
			}
		}
	}
	out.Policy = &compiler.PolicyRef{Name: policy.Name, Digest: policy.Digest}
	c.reply(http.StatusOK, out)
}

func lintCells(snap *snapshot) []lint.Cell {
	var out []lint.Cell
	for _, c := range snap.order {
		setting := compiler.Setting{Env: c.dialect.Env(c.Interaction, evaluator.Env{})}
		out = append(out, lint.Cell{Dialect: c.dialect, Set: c.compiled.RuleSet, Setting: setting})
	}
	return out
}

func countRules(p *policies.Policy) int {
	n := len(p.Rules)
	for _, m := range p.Modes {
		n += len(m.Rules)
	}
	for _, rules := range p.Interactions {
		n += len(rules)
	}
	return n
}

// take waits for the one place in which policies are compiled.
func (s *Server) take(ctx context.Context) *problem {
	select {
	case <-s.reloading:
		return nil
	case <-ctx.Done():
		return busy("another policy is being compiled")
	}
}

func (s *Server) give() { s.reloading <- struct{}{} }

func busy(detail string) *problem {
	p := newProblem(http.StatusServiceUnavailable, "busy", detail+": try again later")
	p.retryAfter = "5"
	return p
}
