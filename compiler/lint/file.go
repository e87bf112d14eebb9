package lint

import (
	"errors"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/strictjson"
)

// File judges a text of native settings that people have. What can't be read is a
// finding, too.
func File(l Linter, name string, text []byte, s compiler.Setting) []Finding {
	found, err := l.Lint(Settings{Text: text, Setting: s, File: name})
	if err != nil {
		found = append(found, Invalid("invalid", name, err)...)
	}
	for i := range found {
		found[i].File = name
		for j := range found[i].Related {
			found[i].Related[j].File = name
		}
	}
	return Merge(found)
}

// Invalid makes findings of an error about a file: one for each of its problems.
// Their messages say what to do, too.
func Invalid(rule, file string, err error) []Finding {
	var list diag.List
	var strict *strictjson.Error
	switch {
	case errors.As(err, &list):
	case errors.As(err, &strict):
		message := strict.Message
		if strict.Pointer != "" {
			message = strict.Pointer + ": " + message
		}
		list = diag.List{{File: file, Line: strict.Line, Column: strict.Column, Message: message}}
	default:
		list = diag.List{{File: file, Message: err.Error()}}
	}
	var out []Finding
	for _, p := range list {
		out = append(out, New(rule, evaluator.Source{File: p.File, Line: p.Line, Column: p.Column}, p.Message, ""))
	}
	return out
}
