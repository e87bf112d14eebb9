package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// failure is what is wrong with the policy or the guardrails on disk.
type failure struct {
	errors []place
	text   string
	since  time.Time
}

// reloaded is what a reload did.
type reloaded struct {
	loaded
	Changed bool     `json:"changed"` // another policy is in force
	Lifted  []lifted `json:"lifted"`  // denies that no longer hold
}

// lifted is a deny that the policy had and has no more, or no longer in every
// cell: a rule, or what a sample Action came to.
type lifted struct {
	ID     string            `json:"id"` // the rule's, "" where no rule stands behind it
	Kind   evaluator.Kind    `json:"kind"`
	Match  string            `json:"match"`
	Sample string            `json:"sample,omitempty"` // the matrix's sample that isn't denied any more
	Source *evaluator.Source `json:"source"`           // where it stood
	Cells  []string          `json:"cells"`
}

// reload loads the policy from disk and puts it in force. A broken policy
// changes nothing but the state. The caller holds the place in which policies
// are compiled.
func (s *Server) reload(ctx context.Context) (reloaded, error) {
	old := s.current.Load()
	policy, err := policies.Load(s.Policies...)
	if err == nil && policy.Digest == old.policy.Digest && slices.Equal(policy.Files, old.policy.Files) {
		s.mended()
		s.metrics.reloads("unchanged")
		return reloaded{loaded: s.loaded(old)}, nil
	}
	var next *snapshot
	if err == nil {
		next, err = s.build(ctx, policy)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.degrade(err)
		}
		return reloaded{loaded: s.loaded(old)}, err
	}
	out := reloaded{Changed: true, Lifted: liftedDenies(old, next)}
	s.mended()
	s.retire(old)
	s.current.Store(next)
	close(old.changed)
	if s.desk != nil {
		s.desk.policyIsNew(ctx)
	}
	s.metrics.reloads("changed")
	s.Log.Info("policy in force", "name", next.policy.Name, "digest", next.policy.Digest, "before", old.policy.Digest)
	for _, l := range out.Lifted {
		s.Log.Warn("a deny no longer holds", "id", l.ID, "kind", l.Kind, "match", l.Match, "sample", l.Sample, "cells", l.Cells)
	}
	out.loaded = s.loaded(next)
	return out, nil
}

// degrade remembers what is wrong with the policy on disk, and says it once.
func (s *Server) degrade(err error) {
	if s.remember(&s.failure, "the policy on disk is broken, the last good one stays in force", err) {
		s.metrics.reloads("failed")
	}
}

// remember keeps what is wrong with something on disk, and says it once.
func (s *Server) remember(as *atomic.Pointer[failure], message string, err error) (said bool) {
	f := &failure{errors: places(err), text: err.Error(), since: time.Now().UTC().Truncate(time.Second)}
	if before := as.Load(); before != nil {
		f.since = before.since
		if before.text == f.text {
			return false
		}
	}
	as.Store(f)
	for _, e := range f.errors {
		s.Log.Error(message, "file", e.File, "line", e.Line, "column", e.Column, "message", e.Message)
	}
	return true
}

func (s *Server) mended() {
	if s.failure.Swap(nil) != nil {
		s.Log.Info("the policy on disk is good again")
	}
}

// denyKey is a deny, whatever it is called.
type denyKey struct {
	kind  evaluator.Kind
	match string
}

// denies are the denies of a cell that can still decide something, and the
// sample Actions that come to a deny.
func denies(snap *snapshot, c *cell) map[denyKey]lifted {
	out := map[denyKey]lifted{}
	for _, r := range compiler.Lower(snap.policy, c.Cell).Effective() {
		if r.Effect == evaluator.Deny {
			out[denyKey{r.Kind, r.Match}] = lifted{ID: r.ID, Kind: r.Kind, Match: r.Match, Source: &r.Source}
		}
	}
	actions := sampleActions()
	for i, one := range c.samples {
		if one.Effect == evaluator.Deny {
			l := lifted{Sample: one.ID, Kind: actions[i].Action.Kind, Match: subject(actions[i].Action), Source: one.Source}
			if one.Source != nil {
				l.ID = one.Source.ID
			}
			out[denyKey{"", one.ID}] = l
		}
	}
	return out
}

func subject(a evaluator.Action) string {
	return strings.Join(slices.DeleteFunc([]string{a.Command, a.Cwd, a.Path, a.URL, a.Query, a.Server, a.Tool, a.Agent, a.Text}, func(s string) bool { return s == "" }), " ")
}

// liftedDenies names every deny of the old snapshot that the next one lacks. A
// deny on the whole of a kind stands for narrower ones.
func liftedDenies(old, next *snapshot) []lifted {
	var out []lifted
	at := map[denyKey]int{}
	for _, before := range old.order {
		after := next.cells[before.Cell]
		kept := denies(next, after)
		gone := denies(old, before)
		keys := make([]denyKey, 0, len(gone))
		for k := range gone {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b denyKey) int { // rules before samples
			return -strings.Compare(string(a.kind)+" "+a.match, string(b.kind)+" "+b.match)
		})
		for _, k := range keys {
			if held(kept, k) {
				continue
			}
			if _, ok := at[k]; !ok {
				at[k] = len(out)
				out = append(out, gone[k])
			}
			one := &out[at[k]]
			one.Cells = append(one.Cells, before.Cell.String())
		}
	}
	return out
}

func held(kept map[denyKey]lifted, k denyKey) bool {
	if _, ok := kept[k]; ok {
		return true
	}
	if k.kind == "" {
		return false
	}
	_, all := kept[denyKey{k.kind, compiler.Everything}]
	return all
}

// reloadAll loads the policy and the guardrails, each by itself: what is wrong
// with one doesn't keep the other back. The caller holds the place in which
// policies are compiled.
func (s *Server) reloadAll(ctx context.Context) (reloaded, error) {
	changed, removed, guardErr := s.reloadGuardrails()
	out, err := s.reload(ctx)
	if out.Guardrails = s.guardrailState(); out.Guardrails != nil {
		out.Guardrails.Changed, out.Guardrails.Removed = changed, removed
	}
	return out, errors.Join(err, guardErr)
}

// reloadGuardrails puts the guardrails on disk in force. Broken ones change
// nothing but the state.
func (s *Server) reloadGuardrails() (changed bool, removed []string, err error) {
	if !s.guarded() {
		return false, nil, nil
	}
	changed, removed, err = s.loadGuardrails()
	if err != nil {
		s.remember(&s.guardFailure, "the guardrails on disk are broken, the last good ones stay in force", err)
		return false, nil, err
	}
	if s.guardFailure.Swap(nil) != nil {
		s.Log.Info("the guardrails on disk are good again")
	}
	if changed {
		s.Log.Info("guardrails in force", "digest", s.guards.Load().Digest())
	}
	for _, name := range removed {
		s.Log.Warn("a guardrail no longer holds", "guardrail", name)
	}
	return changed, removed, nil
}

func postReload(s *Server, c *call) {
	if _, p := c.body(); p != nil {
		c.refuse(p)
		return
	}
	if p := s.take(c.Request.Context()); p != nil {
		c.refuse(p)
		return
	}
	out, err := s.reloadAll(context.WithoutCancel(c.Request.Context()))
	s.give()
	c.snap = s.current.Load()
	c.Writer.Header()[policyHeader] = c.snap.header
	if err != nil {
		p := newProblem(http.StatusUnprocessableEntity, "broken-policy", "the policy on disk is broken; the last good one stays in force")
		if s.failure.Load() == nil {
			p = newProblem(http.StatusUnprocessableEntity, "broken-guardrails", "the guardrails on disk are broken; the last good ones stay in force")
		}
		p.Errors = places(err)
		if errors.Is(err, context.Canceled) {
			p = busy("the service is stopping")
		}
		c.refuse(p)
		return
	}
	c.reply(http.StatusOK, out)
}
