package lint

// DeadRule is the id of rules that never decide.
const DeadRule = "dead-rule"

// Description says what a lint looks for, for people who meet its id.
type Description struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"` // of its findings, unless one says otherwise
	Short    string   `json:"short"`    // a few words
	Why      string   `json:"why"`      // what goes wrong
	Instead  string   `json:"instead"`  // what to do about it
}

// Catalogue lists everything that is looked for, in order of id.
func Catalogue() []Description { return catalogue }

// Describe returns the entry of an id; the zero value when there is none.
func Describe(id string) Description {
	for _, d := range catalogue {
		if d.ID == id {
			return d
		}
	}
	return Description{}
}

var catalogue = []Description{
	{"catch-all-last", Note, "a rule for everything, written last",
		"The last rule that matches decides, so that a rule for everything behind narrower ones takes all of them out of force.",
		"Write the rule for everything first, and the narrower ones after it."},
	{DeadRule, Warning, "a rule that never decides",
		"Whatever the rule matches, a later or a stricter rule decides. Who reads it believes in a permission or a ban that isn't there.",
		"Write the rule behind the one that hides it, make that one narrower, or remove the rule."},
	{"ignored-file", Error, "a file that the provider doesn't read",
		"Rules in it are never in force.",
		"Give the file the name, and the place, that the provider reads."},
	{"ignored-key", Error, "a key that the provider doesn't read",
		"The provider passes over a key that it doesn't know, or that stands where it isn't looked for: what is written there is never in force.",
		"Write the name, in the place, that the provider reads, which the message gives."},
	{"inert-rule", Error, "a rule that does nothing",
		"The provider reads the rule without a complaint and never applies it.",
		"Write it in the form that the provider applies, which the message gives."},
	{"inert-setting", Warning, "a setting that does nothing",
		"Beside the other settings it never comes into play.",
		"Remove it, or change the setting that keeps it from being used."},
	{"integer-key", Error, "a pattern that changes its place",
		"In a JSON object, names that are whole numbers come first, whatever the text's order is; and the last rule that matches decides.",
		"Write the number with a wildcard, as in \"10 *\", or send the rules as a list."},
	{"invalid", Error, "a file that isn't what it should be",
		"What is malformed is refused as a whole: none of its rules is in force.",
		"Do what the message says."},
	{"invariant", Error, "an invariant that doesn't hold",
		"What must never be true of any cell, in Rego, is true of some: those that are shipped say what a mode and plan promise.",
		"Change the rule that decides, or acknowledge it by its id with a reason."},
	{"launcher", Warning, "a launcher that allows everything",
		"Programs such as env, xargs, npx, sh -c and find -exec run whatever stands in their arguments, so that allowing one of them allows every program.",
		"Allow the programs that it is to run, each by its own name."},
	{"literal-pattern", Warning, "characters that aren't special here",
		"Classes, choices and anchors of other pattern languages are ordinary characters in this one, so that the rule doesn't match what it was written for.",
		"Write one rule for each choice, with the wildcards that this language has."},
	{"never-matches", Error, "a pattern that can't match",
		"Nothing that the provider compares with the pattern can look like it. A ban that never matches bans nothing.",
		"Write the pattern as the provider compares it, which the message gives."},
	{"no-permissions", Note, "a file without permissions",
		"Nothing in the file says what is allowed: another file does, or the provider's own default holds.",
		"Write permissions, or leave the file as it is when others have them."},
	{"other-tool", Warning, "a rule on one tool, taken to cover another",
		"A rule speaks of the tool that it names. A file that one tool may not read is open to another tool, and to a command.",
		"Give the other tool a rule of its own, or leave it to be asked about."},
	{"path-form", Error, "a form of path that never matches",
		"The provider compares paths in one form, and the pattern has another: absolute where they are relative, with a home shortcut that isn't expanded, or with segments that are taken out.",
		"Write the path in the form that the provider compares, which the message gives."},
	{"pruned-rule", Warning, "a rule that the provider deletes",
		"On its first start Codex takes broad allow rules without a justification out of default.rules.",
		"Give the rule a justification, or keep it in another file."},
	{"refused", Error, "a policy that doesn't compile",
		"A provider can't keep a rule, and would let more happen than the policy says.",
		"Acknowledge the gap by its id with a reason, or change the rule."},
	{"saved-grant", Warning, "an answer of the past that beats a rule",
		"What somebody once allowed for always is judged after the rules, so that they no longer ask.",
		"Remove the saved grant."},
	{"shallow-pattern", Warning, "a pattern that misses a depth",
		"The pattern matches in some folders and not in the ones above or below, where the same file is as secret.",
		"Write the pattern for every depth, which the message gives."},
	{"special-pattern", Warning, "characters that are special here",
		"A name in brackets is one character of a class in this pattern language, so that the rule doesn't match the file that is called so.",
		"Put a backslash before the bracket."},
	{"stall", Error, "a pattern that stalls the provider",
		"OpenCode tries every way in which several wildcards can share out a text, so that one long text holds the whole agent up for minutes.",
		"Leave out all wildcards but one or two."},
	{"textual-ban", Warning, "a ban on a name inside a command's text",
		"A shell has many spellings of one name: a variable, a quote or a wildcard of its own goes past the pattern.",
		"Put the ban on the tools that read and change files, and ask about commands."},
	{"too-large", Note, "more rules than are looked at",
		"Looking for rules that never decide takes the longer the more there are.",
		"Split the policy."},
	{"undone-layer", Warning, "a layer that undoes a ban of the one below",
		"A rule of a later layer matches all that a ban of an earlier one matches, and allows it.",
		"Make the later rule narrower, or repeat the ban behind it."},
	{"unknown-action", Error, "an action that the provider doesn't have",
		"The rule is read without a complaint and never matches: no tool asks under that name.",
		"Write the name that the provider has, which the message gives."},
	{"unknown-gap", Warning, "an acknowledgement of nothing",
		"The policy has no rule of that id, so that nothing is accepted by it.",
		"Write the id that the compiler reports, or remove the acknowledgement."},
	{"unneeded-acknowledgement", Note, "an acknowledgement of what holds",
		"The invariant that it accepts holds, or isn't there, so that a later fault would be accepted unseen.",
		"Remove the acknowledgement."},
	{"unspecified-mode", Warning, "a mode that is left to the providers",
		"Where no rule speaks, each provider does what it does by itself, and some allow everything.",
		"Extend a built-in policy, or begin the mode with a rule for everything."},
	{"unused-action", Warning, "an action that nothing asks under",
		"The provider knows the name, and this version of it has no tool that asks under it.",
		"Remove the rule, or put it on the tool that is meant."},
	{"wide-grant", Warning, "a grant that is wider than it looks",
		"The rule allows more than its name, its mode or its pattern says at a glance.",
		"Write the pattern so that it ends where the label ends."},
}
