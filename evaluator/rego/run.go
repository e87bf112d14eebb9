package rego

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	oparego "github.com/open-policy-agent/opa/v1/rego"

	"github.com/modegate/modegate/internal/strictjson"
)

// errUndefined is Rego that came to nothing at all: a condition that can't be
// evaluated, and no default.
var errUndefined = errors.New("it came to nothing: give the rule a default, and see which reference is undefined")

// errTimeout is Rego that wasn't done in time.
var errTimeout = errors.New("it took too long")

// slots bound how many programs run at a time. One that doesn't hear that its
// time is over (a built-in function on a huge text) keeps its slot until it ends.
type slots chan struct{}

func newSlots() slots { return make(slots, 2*runtime.GOMAXPROCS(0)) }

// run evaluates one program. It returns when the context ends, whatever the
// program does.
func (s slots) run(ctx context.Context, p program, input ast.Value) (any, error) {
	select {
	case s <- struct{}{}:
	case <-ctx.Done():
		return nil, errTimeout
	}
	type result struct {
		value any
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if fault := recover(); fault != nil {
				r = result{nil, fmt.Errorf("the engine failed: %v", fault)}
			}
			<-s
			done <- r
		}()
		r.value, r.err = evaluate(ctx, p.query, input)
	}()
	select {
	case r := <-done:
		if ctx.Err() != nil {
			return nil, errTimeout
		}
		return r.value, r.err
	case <-ctx.Done():
		return nil, errTimeout
	}
}

func evaluate(ctx context.Context, q oparego.PreparedEvalQuery, input ast.Value) (any, error) {
	out, err := q.Eval(ctx, oparego.EvalParsedInput(input))
	switch {
	case err != nil:
		return nil, errors.New(strings.Join(strings.Fields(err.Error()), " ")) // OPA's span lines
	case len(out) == 0:
		return nil, errUndefined
	case len(out) > 1 || len(out[0].Expressions) != 1:
		return nil, fmt.Errorf("it came to %d results", len(out))
	}
	return out[0].Expressions[0].Value, nil
}

// inputOf is a value as Rego sees its JSON.
func inputOf(v any) (ast.Value, error) {
	text, err := strictjson.Encode(v)
	if err != nil {
		return nil, err
	}
	return ast.ValueFromReader(bytes.NewReader(text))
}
