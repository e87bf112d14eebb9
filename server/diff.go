package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/diff"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// diffSide is one of the two that are compared: exactly one of its forms.
type diffSide struct {
	Policy   string         `json:"policy"`   // one that is loaded: the digest or name of the one in force, or builtin/NAME; or
	Text     string         `json:"text"`     // a policy's YAML, with
	Name     string         `json:"name"`     // the name of its file, as places show it; or
	RuleSets jsontext.Value `json:"ruleSets"` // one compiled RuleSet, or a list
}

// postDiff compares two sides by what they mean, and puts nothing in force.
func postDiff(s *Server, c *call) {
	var in struct {
		Old *diffSide      `json:"old"`
		New *diffSide      `json:"new"`
		Env *evaluator.Env `json:"env"` // of both sides
	}
	if p := c.decode(&in); p != nil {
		c.refuse(p)
		return
	}
	o := diff.Options{Dialects: s.Dialects, Modes: evaluator.Modes(), Interactions: evaluator.Interactions()}
	if in.Env != nil {
		if bad := checkEnv(*in.Env); bad != nil {
			c.refuse(invalid(*bad))
			return
		}
		o.Env = *in.Env
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), checkTimeout)
	defer cancel()
	if p := s.take(ctx); p != nil {
		c.refuse(p)
		return
	}
	defer s.give()
	report, p := s.diff(ctx, c.snap, in.Old, in.New, o)
	if ctx.Err() != nil {
		p = busy("the comparison takes too long")
	}
	if p != nil {
		c.refuse(p)
		return
	}
	c.reply(http.StatusOK, report)
}

// diff compares two sides, or says what is wrong with both.
func (s *Server) diff(ctx context.Context, snap *snapshot, old, new *diffSide, o diff.Options) (*diff.Report, *problem) {
	a, badOld := s.diffSide(ctx, snap, "old", old, o)
	b, badNew := s.diffSide(ctx, snap, "new", new, o)
	switch {
	case badOld != nil && badNew != nil && badOld.Status == badNew.Status:
		badOld.Errors = append(badOld.Errors, badNew.Errors...)
		return nil, badOld
	case badOld != nil:
		return nil, badOld
	case badNew != nil:
		return nil, badNew
	}
	report, err := diff.Compare(ctx, a, b)
	if err != nil {
		return nil, newProblem(http.StatusUnprocessableEntity, "nothing-to-compare", err.Error())
	}
	return report, nil
}

func (s *Server) diffSide(ctx context.Context, snap *snapshot, name string, in *diffSide, o diff.Options) (*diff.Side, *problem) {
	at := "/" + name
	forms := 0
	if in != nil {
		for _, given := range []bool{in.Policy != "", in.Text != "", in.RuleSets != nil} {
			if given {
				forms++
			}
		}
	}
	switch {
	case forms != 1:
		return nil, invalid(wrong(at, errors.New("give one of policy, text and ruleSets")))
	case in.Name != "" && in.Text == "":
		return nil, invalid(wrong(at+"/name", errors.New("only a text has a name")))
	case len(in.Name) > maxName:
		return nil, invalid(wrong(at+"/name", fmt.Errorf("longer than %d bytes", maxName)))
	case in.RuleSets != nil:
		sets, err := compiler.ReadRuleSets(in.RuleSets)
		if err != nil {
			return nil, invalid(wrong(at+"/ruleSets", err))
		}
		return broken(diff.OfRuleSets(name, sets, o))
	}
	p, called, bad := s.diffPolicy(snap, at, name, in)
	if bad != nil {
		return nil, bad
	}
	if n := countRules(p); n > maxChecked {
		return nil, newProblem(http.StatusUnprocessableEntity, "too-large", fmt.Sprintf("the %s policy has %d rules; %d at most are compared here", name, n, maxChecked))
	}
	if err := compiler.Validate(p, s.Dialects); err != nil {
		return broken(nil, err)
	}
	return broken(diff.OfPolicy(ctx, called, p, o))
}

// diffPolicy finds or reads the policy of a side, and what it is called.
func (s *Server) diffPolicy(snap *snapshot, at, name string, in *diffSide) (p *policies.Policy, called string, bad *problem) {
	var err error
	switch builtin, ok := strings.CutPrefix(in.Policy, "builtin/"); {
	case in.Text != "":
		called = in.Name
		if called == "" {
			called = name + ".yaml"
		}
		p, err = policies.Parse(policies.File{Name: called, Data: []byte(in.Text)})
	case ok:
		var f policies.File
		if f, err = policies.Builtin(builtin); err != nil {
			return nil, "", invalid(wrong(at+"/policy", err))
		}
		called = in.Policy
		p, err = policies.Parse(f)
	case in.Policy == snap.policy.Digest || in.Policy == snap.policy.Name:
		return snap.policy, snap.policy.Name, nil
	default:
		return nil, "", invalid(wrong(at+"/policy", errors.New("no such policy is loaded: use the digest or name of the one in force, or builtin/NAME")))
	}
	if err != nil {
		_, bad = broken(nil, err)
	}
	return p, called, bad
}

// broken is a side that can't be read or compiled: everything that is wrong with it.
func broken(side *diff.Side, err error) (*diff.Side, *problem) {
	if err == nil {
		return side, nil
	}
	p := newProblem(http.StatusUnprocessableEntity, "broken-policy", "a side can't be read or compiled")
	p.Errors = places(err)
	return nil, p
}
