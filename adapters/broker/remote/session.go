package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// A Session is one session of an agent at a service, with the turn that runs. Its
// calls are made one at a time.
type Session struct {
	c    *Client
	id   string
	cell evaluator.Cell // of the turn; what was asked for until there is one
	made bool
	turn string
	last int64       // the event that was seen last
	lost atomic.Bool // the service has been given up: nothing is tried twice any more
}

// NewSession names a session that the service is told of with its first turn.
func (c *Client) NewSession(cell evaluator.Cell) *Session {
	return &Session{c: c, id: "run-" + strings.ToLower(rand.Text()), cell: cell}
}

// ID is the session's name at the service.
func (s *Session) ID() string { return s.id }

// Cell is the cell of the turn that runs: the service's, which somebody there may
// have changed.
func (s *Session) Cell() evaluator.Cell { return s.cell }

// tell makes a call that may be made twice.
func (s *Session) tell(ctx context.Context, method, path string, body, into any) error {
	if s.lost.Load() {
		return s.c.call(ctx, method, path, body, into)
	}
	return s.c.until(ctx, method, path, body, into)
}

func (s *Session) path(rest string) string { return "/v1/sessions/" + s.id + rest }

// Begin tells the service what the session is now, starts a turn, and returns the
// rules that the service has for it. native is the provider's id of the session,
// "" when it has none yet.
func (s *Session) Begin(ctx context.Context, env evaluator.Env, native string) (compiler.RuleSet, error) {
	env.Grants = nil // the service keeps them
	if err := s.put(ctx, env, native); err != nil {
		return compiler.RuleSet{}, err
	}
	var t turnAnswer
	turn := "turn-" + strings.ToLower(rand.Text())
	if err := s.tell(ctx, "POST", s.path("/turns"), map[string]string{"turn": turn}, &t); err != nil {
		return compiler.RuleSet{}, err
	}
	if t.ID != turn || t.Session != s.id {
		return compiler.RuleSet{}, &Misunderstanding{fmt.Errorf("turn %s of session %s was started instead of %s", t.ID, t.Session, turn)}
	}
	s.turn, s.cell.Mode, s.cell.Interaction = turn, t.Mode, t.Interaction
	set, err := s.Ruleset(ctx)
	if err == nil && set.Digest != t.Ruleset {
		err = fmt.Errorf("the rules of session %s changed while its turn was started: try again", s.id)
	}
	return set, err
}

// put makes the session, or tells the service what it is by now. Its modes are
// the service's from the first time on.
func (s *Session) put(ctx context.Context, env evaluator.Env, native string) error {
	body := map[string]any{"env": env}
	method := "PATCH"
	if !s.made {
		method = "PUT"
		body["provider"], body["mode"], body["interaction"], body["workspace"] = s.cell.Provider, s.cell.Mode, s.cell.Interaction, env.Workspace
	}
	if native != "" {
		body["nativeSession"] = native
	}
	var a sessionAnswer
	if err := s.tell(ctx, method, s.path(""), body, &a); err != nil {
		return err
	}
	if a.ID != s.id || a.Provider != s.cell.Provider {
		return &Misunderstanding{fmt.Errorf("session %s of %s was made instead of %s", a.ID, a.Provider, s.id)}
	}
	s.made = true
	return nil
}

// Native tells the service the provider's id of the session.
func (s *Session) Native(ctx context.Context, native string) error {
	var a sessionAnswer
	return s.tell(ctx, "PATCH", s.path(""), map[string]string{"nativeSession": native}, &a)
}

// Ruleset is the session's current RuleSet, its grants included.
func (s *Session) Ruleset(ctx context.Context) (compiler.RuleSet, error) {
	var set compiler.RuleSet
	err := s.tell(ctx, "GET", s.path("/ruleset"), nil, &set)
	return set, err
}

// The ways in which a turn ends.
const (
	Completed = "completed"
	Failed    = "failed"
	Cancelled = "cancelled"
	Restarted = "restarted" // another turn goes on under other modes
)

// End ends the turn, which closes what it left open.
func (s *Session) End(ctx context.Context, status string) error {
	if s.turn == "" {
		return nil
	}
	var t turnAnswer
	err := s.tell(ctx, "POST", s.path("/turns/"+s.turn+"/end"), map[string]string{"status": status}, &t)
	if err == nil {
		s.turn = ""
	}
	return err
}

// Unload takes the session away. Its history stays.
func (s *Session) Unload(ctx context.Context) error {
	if !s.made {
		return nil
	}
	err := s.tell(ctx, "DELETE", s.path(""), nil, nil)
	var no *Refusal
	if errors.As(err, &no) && no.Status == http.StatusNotFound {
		return nil // an earlier try, or somebody else, has done it
	}
	return err
}
