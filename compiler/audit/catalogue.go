package audit

import "github.com/modegate/modegate/compiler/lint"

// The kinds of finding. A linter's finding has the linter's own.
const (
	kindWider     = "gap-wider"
	kindInvariant = "invariant"
	kindRefused   = "refused"
	kindOpened    = "opened"
	kindUsers     = "users-settings"
	kindPlan      = "plan-writes"
	kindDefault   = "default-mode"
	kindVersion   = "version-dependent"
	kindUnknown   = "unknown"
	kindUnspoken  = "unspoken"
	kindInstruct  = "instruction-only"
	kindUnproven  = "unproven"
	kindUnchecked = "not-checked"
	kindNarrower  = "gap-narrower"
)

// Catalogue lists every kind of finding, in the order in which equally severe ones
// are shown: the audit's own, then the linter's.
func Catalogue() []lint.Description {
	out := append([]lint.Description{}, catalogue...)
	for _, d := range lint.Catalogue() {
		if d.ID != kindInvariant && d.ID != kindRefused {
			out = append(out, d)
		}
	}
	return out
}

func describe(kind string) lint.Description {
	for _, d := range Catalogue() {
		if d.ID == kind {
			return d
		}
	}
	return lint.Description{ID: kind}
}

var catalogue = []lint.Description{
	{ID: kindWider, Severity: lint.Error, Short: "more happens than the policy says",
		Why:     "The provider's settings can't keep the rule: what it asks about, has reviewed or denies happens with less. It is an error where the Action runs unconfined, else a warning.",
		Instead: "Change the rule or the provider's profile, don't offer the mode on this provider, or acknowledge the gap by its id with a reason."},
	{ID: kindInvariant, Severity: lint.Error, Short: "an invariant that doesn't hold",
		Why:     "What must never be true of any cell is true of some: the invariants that are shipped say what a mode and plan promise.",
		Instead: "Change what decides there, or acknowledge the invariant by its id with a reason."},
	{ID: kindRefused, Severity: lint.Error, Short: "a cell that has no settings",
		Why:     "The policy can't be written in the provider's dialect, so that the cell isn't in the matrix and nothing is known of it.",
		Instead: "Do what the message says."},
	{ID: kindOpened, Severity: lint.Error, Short: "a ban that something outside of the policy opens",
		Why:     "The ban holds in a plain session, and a user's own agent rule, a grant that the provider keeps, or a grant of the session goes past it.",
		Instead: "Take such rules and grants away from users, or write the ban where nothing comes after it."},
	{ID: kindUsers, Severity: lint.Warning, Short: "a user's own settings that open what the policy closes",
		Why:     "The mode holds for users without such settings. With them the provider does what the policy has it ask about, have reviewed or deny.",
		Instead: "Look whether users have such settings, or take a policy that neutralises them, such as builtin/strict."},
	{ID: kindDefault, Severity: lint.Warning, Short: "the default mode lets everything run",
		Why:     "A session whose mode nobody chooses runs in full-access: nobody is asked about anything.",
		Instead: "Have the orchestrator send a stricter mode whenever nobody has chosen one, or a policy that asks in full-access."},
	{ID: kindPlan, Severity: lint.Warning, Short: "a command that changes files runs in plan",
		Why:     "Plan forbids changes of files by the provider's own tools. A command changes files as well, and here it runs without asking.",
		Instead: "Deny or ask about commands in plan, or don't offer plan with this mode."},
	{ID: kindVersion, Severity: lint.Warning, Short: "an answer that depends on the provider's version",
		Why:     "Another version of the provider answers otherwise under the same settings. Assume the weaker one, unless the version is pinned. Where the other version is stricter, or comes to the same in another way, it is a note.",
		Instead: "Pin the provider's version, or write the rule so that all versions keep it."},
	{ID: kindUnknown, Severity: lint.Warning, Short: "an answer that can't be predicted",
		Why:     "What the provider does isn't known, or depends on what only it can see. Nothing may be built on it.",
		Instead: "Treat it as allowed, or write settings under which the answer is certain."},
	{ID: kindUnspoken, Severity: lint.Warning, Short: "it runs, and the policy doesn't speak of it",
		Why:     "Where no rule speaks, the provider does what it does by itself, and here it runs the Action without asking, outside of full-access. It is a note for what only reads.",
		Instead: "Write a rule for the kind, so that what can't be kept shows as a gap."},
	{ID: kindInstruct, Severity: lint.Warning, Short: "only an instruction enforces the mode",
		Why:     "The model is told what not to do, and nothing stops it from doing it.",
		Instead: "Don't take the mode for a boundary: choose settings that a rule, a mode or a sandbox enforces."},
	{ID: kindUnproven, Severity: lint.Warning, Short: "no run of the real program stands behind it",
		Why:     "What is said of the provider comes from texts and recordings of others. All that this report says of it may be wrong.",
		Instead: "Have it shown on the real program before relying on it."},
	{ID: kindUnchecked, Severity: lint.Warning, Short: "something wasn't checked",
		Why:     "Without all cells of the policy there is nothing to check it over.",
		Instead: "Do what the message says."},
	{ID: kindNarrower, Severity: lint.Note, Short: "less happens than the policy says",
		Why:     "The provider stops or asks about more than the rule says. That is no hole, but people who are asked too often stop reading.",
		Instead: "Nothing has to be done; a provider that can't express a rule stays stricter than it."},
}
