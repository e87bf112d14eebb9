package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// question is the body of an evaluation.
type question struct {
	Provider    evaluator.Provider    `json:"provider"`
	Version     string                `json:"providerVersion"` // "" is the default version
	Mode        evaluator.Mode        `json:"mode"`            // of the policy in force; or
	Native      jsontext.Value        `json:"native"`          // settings in the provider's own form
	Interaction evaluator.Interaction `json:"interaction"`     // default when missing
	Env         *evaluator.Env        `json:"env"`
	Action      *evaluator.Action     `json:"action"`  // one, or
	Actions     *[]evaluator.Action   `json:"actions"` // many
	Explain     bool                  `json:"explain"` // adds the trace
}

// judge answers one Action.
type judge func(a evaluator.Action, explain bool) (evaluator.Verdict, error)

func postEvaluate(s *Server, c *call) {
	data, p := c.body()
	if p != nil {
		c.refuse(p)
		return
	}
	if !s.guarded() {
		if out := c.snap.quickly(data); out != nil {
			c.answer(http.StatusOK, *out)
			release(out)
			return
		}
	}
	out, p := s.evaluate(c, data)
	if p != nil {
		c.refuse(p)
		return
	}
	c.answer(http.StatusOK, out)
}

// evaluate answers any evaluation, or says what is wrong with it.
func (s *Server) evaluate(c *call, data []byte) ([]byte, *problem) {
	var q question
	if err := strictjson.DecodeNoNull(data, &q); err != nil {
		return nil, malformed(err)
	}
	d, bad := s.check(&q)
	if len(bad) > 0 {
		return nil, invalid(bad...)
	}
	judge, p := s.judge(c, d, q)
	if p != nil {
		return nil, p
	}
	if s.guarded() && q.Actions != nil {
		if p := c.heavy(); p != nil {
			return nil, p
		}
	}
	guard, end := s.guard(c, d, q)
	defer end()
	if q.Actions == nil {
		v, bad := answer(judge, "/action", *q.Action, q.Explain)
		if bad != nil {
			return nil, invalid(*bad)
		}
		if guard != nil {
			if err := guard(&v, *q.Action); err != nil {
				return nil, unavailable(err)
			}
		}
		return encode(v)
	}
	verdicts := struct {
		Verdicts []evaluator.Verdict `json:"verdicts"`
	}{make([]evaluator.Verdict, 0, len(*q.Actions))}
	for i, a := range *q.Actions {
		v, one := answer(judge, fmt.Sprintf("/actions/%d", i), a, q.Explain)
		if one != nil {
			bad = append(bad, *one)
			continue
		}
		if guard != nil && len(bad) == 0 {
			if err := guard(&v, a); err != nil {
				return nil, unavailable(err)
			}
		}
		verdicts.Verdicts = append(verdicts.Verdicts, v)
	}
	if len(bad) > 0 {
		return nil, invalid(bad...)
	}
	return encode(verdicts)
}

func encode(v any) ([]byte, *problem) {
	out, err := strictjson.Encode(v)
	if err != nil {
		return nil, newProblem(http.StatusInternalServerError, "internal", "the answer can't be written: "+err.Error())
	}
	return out, nil
}

func answer(judge judge, pointer string, a evaluator.Action, explain bool) (evaluator.Verdict, *place) {
	if bad := checkSize(pointer, a); bad != nil {
		return evaluator.Verdict{}, bad
	}
	if err := a.Check(); err != nil {
		bad := wrong(pointer, err)
		return evaluator.Verdict{}, &bad
	}
	v, err := judge(a, explain)
	if err != nil {
		if a.Kind == evaluator.Native {
			pointer += "/request"
		}
		bad := wrong(pointer, err)
		return evaluator.Verdict{}, &bad
	}
	return v, nil
}

// check reports everything that is missing or too much in a question.
func (s *Server) check(q *question) (d compiler.Dialect, bad []place) {
	refuse := func(pointer, format string, args ...any) {
		bad = append(bad, place{Pointer: &pointer, Message: fmt.Sprintf(format, args...)})
	}
	i := slices.IndexFunc(s.Dialects, func(d compiler.Dialect) bool { return d.Provider() == q.Provider })
	switch {
	case q.Provider == "":
		refuse("/provider", "provider is missing: use %s", join(evaluator.Providers()))
	case i < 0:
		refuse("/provider", "this build has no dialect for %s", q.Provider)
	default:
		d = s.Dialects[i]
		if q.Version != "" && !slices.Contains(d.Versions(), q.Version) {
			refuse("/providerVersion", "unknown version %q of %s: use %s", q.Version, q.Provider, strings.Join(d.Versions(), ", "))
		}
	}
	switch {
	case q.Mode == "" && q.Native == nil:
		refuse("/mode", "give the mode, or native settings: use %s", join(evaluator.Modes()))
	case q.Mode != "" && q.Native != nil:
		refuse("/native", "native settings say themselves what the mode is: give mode or native, not both")
	case len(q.Native) > maxNative:
		refuse("/native", "longer than %d bytes", maxNative)
	}
	if q.Interaction == "" {
		q.Interaction = evaluator.Default
	}
	switch {
	case q.Action == nil && q.Actions == nil:
		refuse("/action", "give an action, or a list of actions")
	case q.Action != nil && q.Actions != nil:
		refuse("/actions", "give action or actions, not both")
	case q.Actions != nil && len(*q.Actions) == 0:
		refuse("/actions", "the list is empty")
	case q.Actions != nil && len(*q.Actions) > maxActions:
		refuse("/actions", "more than %d actions", maxActions)
	}
	if q.Env != nil {
		if p := checkEnv(*q.Env); p != nil {
			bad = append(bad, *p)
		}
	}
	return d, bad
}

func join[T ~string](words []T) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}

// judge finds who answers: the compiled cell, the cell compiled for the Env, or
// the native settings.
func (s *Server) judge(c *call, d compiler.Dialect, q question) (judge, *problem) {
	if q.Native != nil {
		if len(q.Native) > cheapNative {
			if p := c.heavy(); p != nil {
				return nil, p
			}
		}
		return s.nativeJudge(d, q)
	}
	at := evaluator.Cell{Provider: q.Provider, Mode: q.Mode, Interaction: q.Interaction}
	if q.Env == nil && (q.Version == "" || q.Version == d.Versions()[0]) {
		return c.snap.cells[at].compiled.Evaluate, nil
	}
	if p := c.heavy(); p != nil {
		return nil, p
	}
	var env evaluator.Env
	if q.Env != nil {
		env = *q.Env
	}
	compiled, err := s.inEnv(c.snap, at, env, q.Version)
	if err != nil {
		return nil, uncompilable(err)
	}
	return compiled.Evaluate, nil
}

func (s *Server) nativeJudge(d compiler.Dialect, q question) (judge, *problem) {
	var env evaluator.Env
	if q.Env != nil {
		env = *q.Env
	}
	m, err := d.Read(q.Native, compiler.Setting{Version: q.Version, Env: d.Env(q.Interaction, env)})
	if err != nil {
		pointer := "/native"
		if strings.HasPrefix(err.Error(), "facts: ") {
			pointer, err = "/env/facts", errors.Unwrap(err)
		}
		return nil, invalid(wrong(pointer, err))
	}
	return func(a evaluator.Action, explain bool) (evaluator.Verdict, error) {
		v, err := evaluator.Evaluate(m, a, explain)
		v.Proof = s.proofs(d)(v.Provider.Version)
		return v, err
	}, nil
}
