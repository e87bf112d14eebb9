package grok

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

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

// Conform judges one row of a case file by its inputs argv, sessionMeta, tool
// and input, and returns what Grok did and what we say that Grok does by itself:
// allow, ask, deny, review, question, plan-exit or unknown.
func Conform(row []byte, version string) (did, said string, err error) {
	var c caseRow
	if err := strictjson.Decode(row, &c); err != nil {
		return "", "", err
	}
	version, err = New().version(version)
	if err != nil {
		return "", "", err
	}
	m, err := read(Native{c.Argv, c.SessionMeta, Callback{AskPermission}}, version, evaluator.Env{Facts: c.Facts})
	if err != nil {
		return c.Outcome, "", fmt.Errorf("%s: %w", c.ID, err)
	}
	r, in, err := readRequest(encoded(request{c.Tool, c.Input}))
	if err != nil {
		return c.Outcome, "", fmt.Errorf("%s: %w", c.ID, err)
	}
	if m.launch.unknown != "" {
		return c.Outcome, evaluator.Unknown.String(), nil
	}
	switch a := m.engine(r, in); a.shape {
	case question:
		return c.Outcome, "question", nil
	case planExit:
		return c.Outcome, "plan-exit", nil
	default:
		return c.Outcome, a.effect.String(), nil
	}
}
