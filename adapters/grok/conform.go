package grok

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// caseRow is one row of a case file. What isn't an input is only carried.
type caseRow struct {
	ID          string         `json:"id"`
	Argv        []string       `json:"argv"`
	SessionMeta SessionMeta    `json:"sessionMeta"`
	Facts       jsontext.Value `json:"facts,omitempty"` // the user's own settings, where a row has them
	Tool        string         `json:"tool"`
	Input       jsontext.Value `json:"input"`
	Outcome     string         `json:"outcome"`
	Options     jsontext.Value `json:"options"`
	ToolKind    jsontext.Value `json:"toolKind"`
}

// The folders that stand for a case file's ${PROJ}, ${OUT} and ${HOME}.
const (
	caseProject = "/case/project"
	caseOutside = "/case/outside"
	caseHome    = "/case/home"
)

func casePlaces(row []byte) []byte {
	row = bytes.ReplaceAll(row, []byte("${PROJ}"), []byte(caseProject))
	row = bytes.ReplaceAll(row, []byte("${HOME}"), []byte(caseHome))
	return bytes.ReplaceAll(row, []byte("${OUT}"), []byte(caseOutside))
}

// Conform judges a row by its inputs argv, sessionMeta, facts, tool and input.
func (d Dialect) Conform(raw jsontext.Value, f compiler.CaseFile) (compiler.Judged, error) {
	var c caseRow
	if err := strictjson.Decode(casePlaces(raw), &c); err != nil {
		return compiler.Judged{}, err
	}
	version, err := d.version(f.Version)
	if err != nil {
		return compiler.Judged{}, err
	}
	said, err := c.judge(version)
	if err != nil {
		return compiler.Judged{}, fmt.Errorf("%s: %w", c.ID, err)
	}
	return compiler.Judged{
		Passed: said == c.Outcome, Got: said, Want: c.Outcome, Unsafe: stricter(said, c.Outcome),
		Case: fmt.Sprintf("%s: %v %s %s %s", c.ID, c.Argv, encoded(c.SessionMeta), c.Tool, c.Input),
	}, nil
}

// judge says what Grok does by itself, in the words of a case file: allow, ask,
// deny, review, question, plan-exit or unknown.
func (c caseRow) judge(version string) (string, error) {
	m, err := read(Native{c.Argv, c.SessionMeta, Callback{Permission: AskPermission}}, version, evaluator.Env{Workspace: caseProject, Home: caseHome, Facts: c.Facts})
	if err != nil {
		return "", err
	}
	r, in, err := readRequest(encoded(request{c.Tool, c.Input}))
	if err != nil {
		return "", err
	}
	if m.launch.unknown != "" {
		return evaluator.Unknown.String(), nil
	}
	switch a := m.engine(r, in); a.shape {
	case question:
		return "question", nil
	case planExit:
		return "plan-exit", nil
	default:
		return a.effect.String(), nil
	}
}

// stricter reports whether one word says that less happens than another.
func stricter(said, than string) bool {
	order := []string{"allow", "review", "ask", "deny"}
	a, b := slices.Index(order, said), slices.Index(order, than)
	return a > b && b >= 0
}
