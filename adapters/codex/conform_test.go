package codex

import (
	"encoding/json"
	"hash/fnv"
	"os"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// corpusRow is a row as the file has it.
type corpusRow struct {
	ID                string         `json:"id"`
	Approval          jsontext.Value `json:"approvalPolicy"`
	SandboxPolicy     jsontext.Value `json:"sandboxPolicy"`
	Reviewer          string         `json:"approvalsReviewer"`
	CollaborationMode string         `json:"collaborationMode"`
	Rules             *string        `json:"rules"`
	Action            jsontext.Value `json:"action"`
	SandboxDenied     *bool          `json:"sandboxDenied"`
	Outcome           string         `json:"outcome"`
	OnDenial          string         `json:"onDenial"`
	AfterApproval     string         `json:"afterApproval"`
}

func (r corpusRow) toCase() Case {
	c := Case{
		ID: r.ID, Approval: r.Approval, SandboxPolicy: r.SandboxPolicy, Reviewer: r.Reviewer, CollaborationMode: r.CollaborationMode,
		Action: r.Action, SandboxDenied: r.SandboxDenied, Outcome: r.Outcome, OnDenial: r.OnDenial, AfterApproval: r.AfterApproval,
	}
	if r.Rules != nil {
		c.Rules = *r.Rules
	}
	return c
}

func corpus(t testing.TB) []Case {
	t.Helper()
	data, err := os.ReadFile("../../testdata/codex/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []corpusRow `json:"cases"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	var out []Case
	for _, r := range file.Cases {
		out = append(out, r.toCase())
	}
	return out
}

// TestConform compares our answers with 918 rows of the real 0.171.0. The rows are
// split in two by a hash of their ids: the evaluator was written against the first
// half and then tried on the second.
func TestConform(t *testing.T) {
	var passed, failed [2]int
	for _, c := range corpus(t) {
		h := fnv.New32a()
		h.Write([]byte(c.ID))
		half := int(h.Sum32()>>7) % 2
		if half == 1 && os.Getenv("CODEX_HALF") == "1" {
			continue
		}
		a, err := c.Judge()
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			failed[half]++
			continue
		}
		wrong := c.Check(a)
		if wrong == "" {
			passed[half]++
			continue
		}
		failed[half]++
		mark := ""
		if c.Unsafe(a) {
			mark = " UNSAFE"
		}
		t.Errorf("%s%s: %s\n  %s %s %s %s\n  %s\n  %q", c.ID, mark, wrong, c.Approval, c.SandboxPolicy, c.Reviewer, c.Action, a.Verdict.Reason, c.Rules)
	}
	t.Logf("first half %d passed, %d failed; second half %d passed, %d failed", passed[0], failed[0], passed[1], failed[1])
}
