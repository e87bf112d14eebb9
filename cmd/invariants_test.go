package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/policies"
)

// checkedInvariants runs the invariants of folders over a policy, one line for each that is
// broken.
func checkedInvariants(t *testing.T, text string, dirs ...string) string {
	t.Helper()
	p, err := policies.Load("builtin/t3code")
	if text != "" {
		path := filepath.Join(t.TempDir(), "p.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err = policies.Load(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	in, err := invariants(dirs)
	if err != nil {
		t.Fatal(err)
	}
	found, unneeded, err := checkInvariants(context.Background(), p, adapters.Table(), in)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range found {
		accepted := "not acknowledged"
		if f.Acknowledged != nil {
			accepted = f.Acknowledged.Reason
		}
		fmt.Fprintf(&b, "%s %s\n  %s: %s\n  %s\n", f.ID, strings.Join(f.Cells, " "), actionText(f.Shown.Action), f.Shown.Message, accepted)
	}
	for _, a := range unneeded {
		fmt.Fprintf(&b, "not needed: %s\n", a.Invariant)
	}
	return b.String()
}

// TestInvariantsOfStrict: of what we advise, one thing is known and acknowledged.
func TestInvariantsOfStrict(t *testing.T) {
	want := `cursor.modes_only_loosen cursor/auto/default cursor/auto/plan
  subagent general: approval-required allows it, and auto comes to review: --auto-review leaves it to Cursor's classifier
  Auto has Cursor's classifier; the modes before it leave a person's own approvalMode in force, which asks about nothing unless the person has set it.
`
	if d := cmp.Diff(want, checkedInvariants(t, "apiVersion: modegate/v1\nname: acme\nextends: builtin/strict\n")); d != "" {
		t.Error(d)
	}
}

// TestInvariantsOfT3Code: what the restated tables break is known, acknowledged
// and shown with a witness.
func TestInvariantsOfT3Code(t *testing.T) {
	want := `claude.modes_only_loosen claude/auto/default claude/auto/plan
  subagent general: approval-required allows it, and auto comes to review: auto mode doesn't start agents unasked: auto mode's classifier decides
  In auto, Claude has the start of a subagent reviewed, which it starts unasked otherwise.
codex.plan_changes_nothing codex/auto-accept-edits/plan codex/auto/plan codex/full-access/plan
  file-change .env: plan allows a change of .env: every path lies where workspaceWrite may write, so the patch is applied without asking; plan only tells the model not to change anything
  On Codex plan is an instruction to the model, and the mode's sandbox lets it write.
claude.plan_changes_nothing claude/full-access/plan
  file-change ../sibling/a.txt: plan allows a change of ../sibling/a.txt: plan asks before every change of a file; the callback answers allow to what Claude asks
  In full access the callback allows what Claude asks in plan.
grok.plan_changes_nothing grok/full-access/plan
  file-change ../sibling/a.txt: plan allows a change of ../sibling/a.txt: Grok asks: write isn't read-only; the callback allows it
  Plan is not sent to Grok, and in full access the callback allows what it asks.
opencode.plan_changes_nothing opencode/full-access/plan
  file-change ../sibling/a.txt: plan allows a change of ../sibling/a.txt: external_directory "/sibling/*" is allowed by rule 0 of the session: * "*" allow
  In full access the session's allow of everything comes after the plan agent's deny.
`
	if d := cmp.Diff(want, checkedInvariants(t, "")); d != "" {
		t.Error(d)
	}
}

// TestInvariantsFindFaults breaks each shipped invariant in a policy of somebody's.
func TestInvariantsFindFaults(t *testing.T) {
	const head = "apiVersion: modegate/v1\nname: acme\nextends: builtin/t3code\n"
	for name, c := range map[string]struct {
		policy, want string
		news         int
	}{
		"plan that a rule opens": {head + `interactions: {plan: {rules: [{id: plan-edits-deny, kind: file-change, match: "*", effect: allow, providers: [opencode2]}]}}` + "\n",
			"opencode2.plan_changes_nothing opencode2/approval-required/plan opencode2/auto-accept-edits/plan opencode2/auto/plan opencode2/full-access/plan\n", 1},
		"a looser mode that asks": {head + `rules: [{id: ask-edits, kind: file-change, match: "*", effect: ask, modes: [full-access], providers: [opencode2]}]` + "\n",
			"opencode2.modes_only_loosen opencode2/full-access/default\n", 1},
		"subagents that are opened": {head + `providers: {opencode2: {last: [{id: subagents-ask, action: subagent, resource: "*", effect: ask}]}}` + "\n",
			"opencode2.denies_subagents ", 1},
		"an acknowledgement too many": {head + "acknowledge: [{invariant: codex.modes_only_loosen, reason: r}, {invariant: codex.no_such_thing, reason: r}]\n",
			"not needed: codex.modes_only_loosen\nnot needed: codex.no_such_thing\n", 0},
	} {
		got := checkedInvariants(t, c.policy)
		if !strings.Contains(got, c.want) || strings.Count(got, "not acknowledged") != c.news {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// TestOwnInvariants run beside the shipped ones, and can be acknowledged as they.
func TestOwnInvariants(t *testing.T) {
	dir := t.TempDir()
	text := `package modegate.invariants.no_web

violation contains {"cell": cell.name, "action": action, "message": "the web is open"} if {
	some cell in input.cells
	cell.provider == "grok"
	some i, action in input.actions
	action.kind == "web-search"
	cell.verdicts[i].effect == "allow"
}
`
	if err := os.WriteFile(filepath.Join(dir, "web.rego"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := checkedInvariants(t, "apiVersion: modegate/v1\nname: acme\nextends: builtin/t3code\nacknowledge: [{invariant: grok.no_web, reason: it searches}]\n", dir)
	if !strings.Contains(got, "grok.no_web grok/approval-required/default ") || !strings.Contains(got, "web-search example: the web is open\n  it searches\n") || !strings.Contains(got, "codex.plan_changes_nothing") {
		t.Error(got)
	}
	if err := os.WriteFile(filepath.Join(dir, "plan.rego"), []byte("package modegate.invariants.plan_changes_nothing\n\nviolation contains 1 if input.x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := invariants([]string{dir}); err == nil || !strings.Contains(err.Error(), "in builtin/invariants/plan_changes_nothing.rego:") {
		t.Errorf("a shipped invariant can be replaced: %v", err)
	}
}
