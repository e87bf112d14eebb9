package compiler

import (
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Dialect is the pure half of a provider: it writes Intents in the provider's
// own settings and reads such settings back. Write and Read share nothing but
// the native bytes.
type Dialect interface {
	// Provider names the provider.
	Provider() evaluator.Provider
	// Versions lists the versions that Read understands, the default first.
	Versions() []string
	// Claims lists what is claimed about a version, each with the best that its
	// sources can show; the evidence file says what has been shown.
	Claims(version string) []Claim
	// PlanFiles lists the path globs of the provider's own plan folder, which a
	// policy calls @plan-files. They are absolute, or relative to the workspace.
	PlanFiles(env evaluator.Env) []string
	// CheckProfile reports what is wrong with a policy's profile for this
	// provider. n is never nil.
	CheckProfile(r *policies.Reader, n *policies.Node)
	// Env completes what a session of this interaction mode starts with.
	Env(interaction evaluator.Interaction, env evaluator.Env) evaluator.Env
	// Write says an Intent in native settings and declares what they can't say.
	Write(in Intent, env evaluator.Env) (Written, error)
	// Read takes native settings apart. The error is about the bytes, the Env's
	// facts or an unknown version.
	Read(native []byte, s Setting) (evaluator.Meaning, error)
}

// Setting is what native settings are read with: the provider's version, and
// the session's surroundings.
type Setting struct {
	Version string // "" is the default version
	Env     evaluator.Env
}

// Written is what a dialect makes of an Intent.
type Written struct {
	Native  []byte      // exactly the bytes that the adapter sends
	Sources []SourceRef // where each part came from
	Assumed []string
	// Gaps declares what the settings don't keep of the Intent. It is asked before
	// anything is read back, and knows nothing of what that will say.
	Gaps  func() []evaluator.Gap
	Agent string // the provider's agent that the session must run, "" for its own choice
}

// SourceRef says which policy line a part of the native settings came from.
type SourceRef struct {
	Pointer string `json:"pointer"` // JSON Pointer into the native settings
	evaluator.Source
}

// Claim is something that is said about a provider's version, the key under
// which evidence for it is kept, and what its sources can show without a run.
type Claim struct {
	Claim  string           // as people read it
	Key    string           // evidence key, "" when no run can prove it
	Status evaluator.Status // what holds without a run: documented or unverified
	By     string           // the document
	Date   string           // of the document or of the restatement
}
