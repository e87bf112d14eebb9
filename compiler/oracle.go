package compiler

import (
	"context"
	"math/rand/v2"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/internal/strictjson"
)

// Oracle is a real provider's binary that is started here and asked what it does.
type Oracle interface {
	// Answer has the binary do each row of a case file; the answers are in the
	// rows' order. The error is about the whole: a binary that can't be driven.
	Answer(ctx context.Context, f CaseFile, rows []jsontext.Value) ([]Answer, error)
	// Fresh makes n rows that no file has, and what they share. The same source
	// of numbers makes the same rows.
	Fresh(r *rand.Rand, n int) (CaseFile, []jsontext.Value)
	// Close ends what was started. It may be called more than once.
	Close() error
}

// Answer is what a binary did with one row.
type Answer struct {
	Row     jsontext.Value // the row, with what the binary did in place of what was recorded
	Did     string         // what it did, in the words of the case file
	Skipped string         // why the row can't be asked here, "" when it was
	Failed  string         // why an asked row has no answer, "" when it has one
}

// Answered puts what a binary did into a row, in place of what was recorded.
func Answered(row jsontext.Value, did string, fields map[string]any, drop ...string) Answer {
	var r map[string]jsontext.Value
	if err := json.Unmarshal(row, &r); err != nil {
		return Answer{Failed: err.Error()}
	}
	for _, name := range drop {
		delete(r, name)
	}
	for name, value := range fields {
		raw, err := strictjson.Encode(value)
		if err != nil {
			return Answer{Failed: err.Error()}
		}
		r[name] = raw
	}
	out, err := strictjson.Encode(r)
	if err != nil {
		return Answer{Failed: err.Error()}
	}
	return Answer{Row: out, Did: did}
}
