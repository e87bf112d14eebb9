package evaluator

import "github.com/go-json-experiment/json/jsontext"

// Verdict is the answer for one Action: what the provider does with it under
// the native settings that were read, who decides, and what proves the claim.
type Verdict struct {
	Effect      Effect          `json:"effect"`               // the end of the matter, our callback's own answers included
	Confinement Confinement     `json:"confinement"`          // the sandbox that an allowed Action runs in
	Decider     Decider         `json:"decider"`              //
	Enforcer    Enforcer        `json:"enforcer"`             //
	Native      NativeAnswer    `json:"native"`               // what the provider alone decides
	Reason      string          `json:"reason"`               // one sentence for people
	Rule        *RuleRef        `json:"rule"`                 // the deciding rule; nil when the provider's default decided
	Parts       []Part          `json:"parts"`                // the requests that the Action becomes, in the provider's order
	Then        *Then           `json:"then,omitempty"`       // what follows an approval
	OnDenial    string          `json:"onDenial,omitempty"`   // what follows when the sandbox stops it: fails, ask, review, unsandboxed
	ToolAbsent  bool            `json:"toolAbsent,omitempty"` // the provider doesn't offer the tool to the model
	Visible     *bool           `json:"visible,omitempty"`    // false: no client sees this outcome
	Differs     []Difference    `json:"differs,omitempty"`    // versions of the provider that answer differently
	Trace       []Step          `json:"trace,omitempty"`      // every rule that was looked at, when asked for
	Gaps        []Gap           `json:"gaps"`                 // where the settings mean something else than the policy, for this kind
	Assumed     []string        `json:"assumed"`              // missing inputs, and what was taken instead
	Mode        Mode            `json:"mode,omitempty"`       // the cell, when a policy was evaluated
	Interaction Interaction     `json:"interaction,omitempty"`
	Provider    ProviderVersion `json:"provider"`
	Proof       []Proof         `json:"proof"`
	Policy      string          `json:"policy,omitempty"` // digest of the policy, when one was evaluated

	Guardrails []GuardrailAnswer `json:"guardrails,omitempty"` // those that want the Action held tighter
}

// NativeAnswer is what the provider decides, before our callback answers.
type NativeAnswer struct {
	Effect Effect `json:"effect"`
}

// ProviderVersion names the provider and the version that a Verdict is about.
type ProviderVersion struct {
	Name    Provider `json:"name"`
	Version string   `json:"version"`
}

// Part is one request that the Action becomes, and what the provider does with it.
type Part struct {
	Request jsontext.Value `json:"request"`
	Effect  Effect         `json:"effect"`
	Rule    *RuleRef       `json:"rule"`
}

// RuleRef points at one native rule: its place among the rules of its layer,
// its text, and the line of the policy that it came from.
type RuleRef struct {
	Index  int            `json:"index"` // 0-based, within the layer
	Layer  string         `json:"layer"` // whose rules: agent, session, saved, …
	Native jsontext.Value `json:"native"`
	Source *Source        `json:"source,omitempty"`

	Pointer string `json:"-"` // JSON Pointer into the native settings, "" for rules that aren't ours
}

// Source is a place in a policy file. Line and Column are 1-based; 0 means that
// the value didn't come from a file.
type Source struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	ID     string `json:"id,omitempty"` // the policy rule's id
}

// Then says where an approved command runs: sandboxed, unsandboxed, or
// sandboxed-then-unsandboxed.
type Then struct {
	Runs string `json:"runs"`
}

// Difference is another version's answer to the same Action.
type Difference struct {
	Version string `json:"version"`
	Effect  Effect `json:"effect"`
	Reason  string `json:"reason"`
}

// Step is one rule looked at for one text of one part.
type Step struct {
	Part     int            `json:"part"`               // 0-based index into Parts
	Resource string         `json:"resource,omitempty"` // the text that the rule was compared with
	Layer    string         `json:"layer"`
	Index    int            `json:"index"`
	Native   jsontext.Value `json:"native"`
	Matched  bool           `json:"matched"`
	Decided  bool           `json:"decided"`
	Reason   string         `json:"reason"` // why it matched or not, why it decided or not
	Source   *Source        `json:"source,omitempty"`

	Pointer string `json:"-"` // as in RuleRef
}

// Direction says how native settings part from the policy's intent.
type Direction string

// The directions of a gap. NotCompared means that nobody has looked.
const (
	Wider       Direction = "wider"        // the provider lets more happen than the policy says
	Narrower    Direction = "narrower"     // the provider stops or asks more than the policy says
	NotCompared Direction = "not-compared" // the dialect can't be read yet, so nothing is known
)

// Gap is a place where the native settings mean something else than the Intent.
type Gap struct {
	ID           string    `json:"id"` // provider.kind.rule: what a policy acknowledges
	Kind         Kind      `json:"kind"`
	Direction    Direction `json:"direction"`
	Want         Effect    `json:"want"`
	Got          Effect    `json:"got"`
	Reason       string    `json:"reason"`
	Acknowledged bool      `json:"acknowledged"`
	Source       *Source   `json:"source,omitempty"` // the policy rule that isn't kept
}

// EachRule fills in the policy place of every rule that the Verdict mentions.
// place returns nil for a rule that no policy line stands behind.
func (v *Verdict) EachRule(place func(pointer string) *Source) {
	refs := []*RuleRef{v.Rule}
	for i := range v.Parts {
		refs = append(refs, v.Parts[i].Rule)
	}
	for _, r := range refs {
		if r != nil && r.Pointer != "" {
			r.Source = place(r.Pointer)
		}
	}
	for i := range v.Trace {
		if p := v.Trace[i].Pointer; p != "" {
			v.Trace[i].Source = place(p)
		}
	}
}
