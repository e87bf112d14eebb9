package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// GuardrailSet is an admin's guardrails, compiled: it never changes. They may
// only tighten what they are asked about.
type GuardrailSet interface {
	// Ask puts one input to every guardrail, in order. Those that give no answer
	// before the context ends have an error.
	Ask(ctx context.Context, in evaluator.GuardrailInput) []evaluator.Said
	List() []evaluator.Guardrail
	Digest() string
}

// GuardrailConfig says where guardrails come from. The zero value is that there
// are none, and then nothing asks for any.
type GuardrailConfig struct {
	Dir     string                       // is watched
	Load    func() (GuardrailSet, error) // of Dir; nil: there are none
	Ask     bool                         // a guardrail that gives no answer makes it an ask; false: there is no answer at all
	Timeout time.Duration                // for all that is asked about one Action, DefaultGuardrailTimeout when 0
}

// DefaultGuardrailTimeout is how long guardrails may take when the configuration
// says nothing.
const DefaultGuardrailTimeout = 500 * time.Millisecond

// guardrails are those in force.
type guardrails struct {
	GuardrailSet
	loaded time.Time
}

// ask puts one input to every guardrail that can be put to them.
func (g *guardrails) ask(ctx context.Context, in evaluator.GuardrailInput) []evaluator.Said {
	if in.Unaskable == nil {
		return g.Ask(ctx, in)
	}
	list := g.List()
	out := make([]evaluator.Said, len(list))
	for i, one := range list {
		out[i] = evaluator.Said{Guardrail: one, Err: fmt.Errorf("guardrail %s wasn't asked: %w", one.Name, in.Unaskable)}
	}
	return out
}

// errNoGuardrail is that guardrails gave no answer.
type errNoGuardrail struct{ error }

// guarded reports whether there are guardrails.
func (s *Server) guarded() bool { return s.Guardrails.Load != nil }

// loadGuardrails puts those on disk in force. The caller holds the place in which
// policies are compiled, or nobody else runs yet.
func (s *Server) loadGuardrails() (changed bool, removed []string, err error) {
	next, err := s.Guardrails.Load()
	if err != nil {
		return false, nil, err
	}
	old := s.guards.Load()
	if old != nil && old.Digest() == next.Digest() {
		return false, nil, nil
	}
	s.guards.Store(&guardrails{next, time.Now().UTC().Truncate(time.Second)})
	if old != nil {
		removed = gone(old.List(), next.List())
	}
	return true, removed, nil
}

// gone names the guardrails of a list that another lacks.
func gone(old, next []evaluator.Guardrail) (names []string) {
	there := map[string]bool{}
	for _, g := range next {
		there[g.Name] = true
	}
	for _, g := range old {
		if !there[g.Name] {
			names = append(names, g.Name)
		}
	}
	return names
}

// askGuardrails asks one set, until the context ends.
func (s *Server) askGuardrails(ctx context.Context, set *guardrails) compiler.AskGuardrails {
	return func(in evaluator.GuardrailInput) ([]evaluator.Said, error) {
		said := set.ask(ctx, in)
		for _, one := range said {
			s.metrics.guardrail(one)
			if one.Err != nil {
				s.Log.Error("a guardrail gave no answer", "guardrail", one.Name, "file", one.File, "error", one.Err.Error())
			}
		}
		said, err := evaluator.Settle(said, s.Guardrails.Ask)
		if err != nil {
			return nil, errNoGuardrail{err}
		}
		return said, nil
	}
}

// longBatch is how many Actions' time a batch has at most.
const longBatch = 20

// guard is how the guardrails in force are laid over the Verdicts of one
// evaluation; nil when there are none.
func (s *Server) guard(c *call, d compiler.Dialect, q question) (lay func(*evaluator.Verdict, evaluator.Action) error, end context.CancelFunc) {
	if !s.guarded() {
		return nil, func() {}
	}
	set, limit := s.guards.Load(), s.Guardrails.Timeout
	if q.Actions != nil {
		limit *= time.Duration(min(len(*q.Actions), longBatch))
	}
	ctx, end := context.WithTimeout(c.Request.Context(), limit)
	var session evaluator.GuardrailSession
	if q.Env != nil {
		session.Workspace = q.Env.Workspace
	}
	return func(v *evaluator.Verdict, a evaluator.Action) error {
		one, over := context.WithTimeout(ctx, s.Guardrails.Timeout)
		defer over()
		return compiler.Guard(d, v, a, session, q.Explain, s.askGuardrails(one, set))
	}, end
}

// unavailable is an answer that guardrails have not been heard about. Whoever
// waits for it has none, and lets nothing happen.
func unavailable(err error) *problem {
	p := newProblem(http.StatusServiceUnavailable, "unavailable", "guardrails gave no answer, so there is none: don't let the action happen; ask again, or have the guardrail mended")
	var none errNoGuardrail
	if !errors.As(err, &none) {
		p.Status, p.Title = http.StatusInternalServerError, http.StatusText(http.StatusInternalServerError)
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		p.Errors = append(p.Errors, place{Message: line})
	}
	return p
}

// guardrailState is what is in force of guardrails, and what is wrong with what
// is on disk.
type guardrailState struct {
	Dir        string                `json:"dir"`
	Digest     string                `json:"digest"`
	State      string                `json:"state"`
	OnError    string                `json:"onError"` // what stands in for a guardrail without an answer: error or ask
	Timeout    string                `json:"timeout"`
	Loaded     time.Time             `json:"loaded"`
	Guardrails []evaluator.Guardrail `json:"guardrails"` // in the order in which they are asked
	Errors     []place               `json:"errors"`
	Failed     *time.Time            `json:"failed,omitempty"`
	Removed    []string              `json:"removed,omitempty"` // by this reload
	Changed    bool                  `json:"changed,omitzero"`  // by this reload
}

// guardrailState is nil where there are none.
func (s *Server) guardrailState() *guardrailState {
	if !s.guarded() {
		return nil
	}
	set := s.guards.Load()
	out := &guardrailState{
		Dir: s.Guardrails.Dir, Digest: set.Digest(), State: stateOK, OnError: "error", Timeout: s.Guardrails.Timeout.String(),
		Loaded: set.loaded, Guardrails: set.List(),
	}
	if s.Guardrails.Ask {
		out.OnError = "ask"
	}
	if f := s.guardFailure.Load(); f != nil {
		out.State, out.Errors, out.Failed = stateDegraded, f.errors, &f.since
	}
	return out
}

// describeTree is what the files below a folder look like.
func describeTree(b *strings.Builder, dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			b.WriteString(path + ": none\n")
			return nil
		case path != dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			describe(b, path)
		}
		return nil
	})
}
