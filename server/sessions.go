package server

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modegate/modegate/evaluator"
)

// sessionBody is the body of PUT and PATCH. PUT takes what is missing for its
// default, PATCH for what it was.
type sessionBody struct {
	Provider    *evaluator.Provider    `json:"provider"`
	Mode        *evaluator.Mode        `json:"mode"`
	Interaction *evaluator.Interaction `json:"interaction"`
	Workspace   *string                `json:"workspace"`
	Parent      *string                `json:"parent"`
	Native      *string                `json:"nativeSession"`
	Env         *evaluator.Env         `json:"env"`
}

// check reports everything that is wrong with the body, whatever the session.
func (in *sessionBody) check() (bad []place) {
	refuse := func(pointer, format string, args ...any) {
		bad = append(bad, place{Pointer: &pointer, Message: fmt.Sprintf(format, args...)})
	}
	if in.Workspace != nil && (!strings.HasPrefix(*in.Workspace, "/") || len(*in.Workspace) > maxText) {
		refuse("/workspace", "must be an absolute path of at most %d bytes", maxText)
	}
	if in.Parent != nil && !sessionName.MatchString(*in.Parent) {
		refuse("/parent", "isn't a session's id")
	}
	if in.Native != nil && len(*in.Native) > 256 {
		refuse("/nativeSession", "longer than 256 bytes")
	}
	if in.Env == nil {
		return bad
	}
	if p := checkEnv(*in.Env); p != nil {
		bad = append(bad, *p)
	}
	if len(in.Env.Grants) > 0 {
		refuse("/env/grants", "a session's grants come from its approvals alone, and live in memory")
	}
	if in.Workspace != nil && in.Env.Workspace != "" && in.Env.Workspace != *in.Workspace {
		refuse("/env/workspace", "is another than workspace")
	}
	return bad
}

// missing reports what a new session can't do without.
func (in *sessionBody) missing() (bad []place) {
	refuse := func(pointer, format string, args ...any) {
		bad = append(bad, place{Pointer: &pointer, Message: fmt.Sprintf(format, args...)})
	}
	if in.Provider == nil {
		refuse("/provider", "provider is missing: use %s", join(evaluator.Providers()))
	}
	if in.Mode == nil {
		refuse("/mode", "mode is missing: use %s", join(evaluator.Modes()))
	}
	if in.Workspace == nil {
		refuse("/workspace", "workspace is missing: give the folder that the session works in")
	}
	return bad
}

// onto is what the body makes of a session.
func (in *sessionBody) onto(a agentSession) agentSession {
	take(&a.Provider, in.Provider)
	take(&a.Mode, in.Mode)
	take(&a.Interaction, in.Interaction)
	take(&a.Workspace, in.Workspace)
	take(&a.Parent, in.Parent)
	take(&a.Native, in.Native)
	take(&a.Env, in.Env)
	if in.Workspace == nil && in.Env != nil && in.Env.Workspace != "" {
		a.Workspace = in.Env.Workspace
	}
	a.Env.Workspace = a.Workspace
	return a
}

func take[T any](into *T, from *T) {
	if from != nil {
		*into = *from
	}
}

func putSession(d *desk, c *call) {
	id, in, ok := readSession(c)
	if !ok {
		return
	}
	if bad := in.missing(); len(bad) > 0 {
		c.refuse(invalid(bad...))
		return
	}
	d.serve(c, func(ch *change) (int, any, *problem) {
		old := ch.session(id)
		base := agentSession{ID: id, Interaction: evaluator.Default, Created: ch.at}
		switch {
		case old == nil && len(d.sessions) >= maxAgentSessions:
			return 0, nil, newProblem(http.StatusTooManyRequests, "too-many", fmt.Sprintf("%d sessions are loaded: unload some", maxAgentSessions))
		case old == nil:
			p := ch.replace(nil, in.onto(base))
			return http.StatusCreated, ch.session(id), p
		case in.Parent != nil && *in.Parent != old.Parent:
			return 0, nil, newProblem(http.StatusConflict, "conflict", "a session's parent can't change")
		}
		base.Created, base.Turn, base.Revision, base.Ruleset = old.Created, old.Turn, old.Revision, old.Ruleset
		base.Parent, base.Native = old.Parent, old.Native
		p := ch.replace(old, in.onto(base))
		return http.StatusOK, ch.session(id), p
	})
}

func patchSession(d *desk, c *call) {
	id, in, ok := readSession(c)
	if !ok {
		return
	}
	if in.Parent != nil {
		c.refuse(invalid(wrong("/parent", errors.New("a session's parent can't change"))))
		return
	}
	d.serve(c, func(ch *change) (int, any, *problem) {
		old := ch.session(id)
		if old == nil {
			return 0, nil, noSession(id)
		}
		p := ch.replace(old, in.onto(*old))
		return http.StatusOK, ch.session(id), p
	})
}

func readSession(c *call) (id string, in sessionBody, ok bool) {
	if p := c.decode(&in); p != nil {
		c.refuse(p)
		return "", in, false
	}
	if id = c.Param("id"); !sessionName.MatchString(id) {
		c.refuse(invalid(place{Message: "a session's id has letters, digits and ._~:@-, 128 at most"}))
		return "", in, false
	}
	if bad := in.check(); len(bad) > 0 {
		c.refuse(invalid(bad...))
		return "", in, false
	}
	return id, in, true
}

func noSession(id string) *problem {
	return newProblem(http.StatusNotFound, "not-found", fmt.Sprintf("no session %q is loaded", id))
}

func getSession(d *desk, c *call) {
	d.serve(c, func(ch *change) (int, any, *problem) {
		a := ch.session(c.Param("id"))
		if a == nil {
			return 0, nil, noSession(c.Param("id"))
		}
		return http.StatusOK, a, nil
	})
}

// deleteSession unloads a session: its requests are closed, its grants dropped.
// Its history stays.
func deleteSession(d *desk, c *call) {
	if _, p := c.body(); p != nil {
		c.refuse(p)
		return
	}
	d.serve(c, func(ch *change) (int, any, *problem) {
		if ch.session(c.Param("id")) == nil {
			return 0, nil, noSession(c.Param("id"))
		}
		ch.unload(c.Param("id"))
		return http.StatusNoContent, nil, nil
	})
}
