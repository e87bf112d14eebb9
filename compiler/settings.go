package compiler

import (
	"fmt"
	"slices"

	"github.com/modegate/modegate/evaluator"
)

// SettingsFile is one settings file of a provider, as somebody keeps it.
type SettingsFile struct {
	Layer  string // which of the dialect's layers it is; "" lets the dialect tell by the path
	Name   string // as places show it
	Path   string // absolute
	Text   []byte
	Beside []SettingsFile // what [SettingsReader.Beside] asked for
}

// SettingsReader is a dialect whose provider keeps settings in files that people
// write.
type SettingsReader interface {
	Dialect
	// Layers names what a settings file can be, the weakest first.
	Layers() []string
	// IsSettings tells the text of a settings file from what Write makes.
	IsSettings(text []byte) bool
	// Within lists where settings files lie in a folder: a project's, or the
	// provider's own. The paths are relative.
	Within() []string
	// Beside is a pattern, relative to the folder of a settings file, for further
	// files that count together with it; "" when there are none.
	Beside() string
	// ReadSettings reads the files, each a layer of its own. The error is a
	// diag.List of what is malformed, or about the Setting.
	ReadSettings(files []SettingsFile, i evaluator.Interaction, s Setting) (*FileSettings, error)
}

// FileSettings is what settings files come to.
type FileSettings struct {
	Native  []byte        // what a session is started with that adds nothing to the files
	Env     evaluator.Env // the session's surroundings, the files among them
	Sources []SourceRef   // where rules stand, by the pointers that the dialect's Verdicts have
	Assumed []string      // what the files don't say, and what was taken instead
	Doubts  []Doubt       // what the files say and nobody can foretell
	Instead []Alternative // surroundings that are as likely as Env
	Draft   Drafter       // makes a policy of them
	Losses  []Loss        // what no draft says
}

// Doubt is a part of the files whose effect can't be foretold.
type Doubt struct {
	About  func(a evaluator.Action, v evaluator.Verdict) bool // whether it may change this Verdict
	Reason string                                             // names the part and its place
}

// Alternative is an Env that the files may as well come to.
type Alternative struct {
	Env    evaluator.Env
	Reason string // on what it depends, with its place
}

// ReadSettings reads settings files in a dialect. What they mean is what the
// dialect's Read makes of them, each rule with its place; where a Verdict rests on
// what can't be foretold, it is Unknown.
func ReadSettings(d SettingsReader, files []SettingsFile, i evaluator.Interaction, s Setting) (evaluator.Meaning, *FileSettings, error) {
	got, err := d.ReadSettings(files, i, s)
	if err != nil {
		return nil, nil, err
	}
	m := &fileMeaning{settings: got, places: map[string]evaluator.Source{}}
	if m.Meaning, err = d.Read(got.Native, Setting{Version: s.Version, Env: got.Env}); err != nil {
		return nil, nil, err
	}
	for _, alternative := range got.Instead {
		other, err := d.Read(got.Native, Setting{Version: s.Version, Env: alternative.Env})
		if err != nil {
			return nil, nil, err
		}
		m.others = append(m.others, other)
	}
	for _, ref := range got.Sources {
		m.places[ref.Pointer] = ref.Source
	}
	return m, got, nil
}

// fileMeaning is the meaning of settings files.
type fileMeaning struct {
	evaluator.Meaning
	settings *FileSettings
	others   []evaluator.Meaning // of the settings' alternatives
	places   map[string]evaluator.Source
}

// Judge answers one Action.
func (m *fileMeaning) Judge(a evaluator.Action, explain bool) (evaluator.Verdict, error) {
	v, err := m.Meaning.Judge(a, explain)
	if err != nil {
		return v, err
	}
	v.EachRule(func(pointer string) *evaluator.Source {
		if at, ok := m.places[pointer]; ok {
			return &at
		}
		return nil
	})
	v.Assumed = append(slices.Clone(v.Assumed), m.settings.Assumed...)
	for i, other := range m.others {
		w, err := other.Judge(a, false)
		if err != nil {
			return v, err
		}
		if w.Effect != v.Effect || w.Confinement != v.Confinement {
			return unforetold(v, m.settings.Instead[i].Reason), nil
		}
	}
	for _, doubt := range m.settings.Doubts {
		if v.Effect != evaluator.Unknown && doubt.About(a, v) {
			v = unforetold(v, doubt.Reason)
		}
	}
	return v, nil
}

// unforetold takes back an answer that rests on what nobody can foretell. What it
// would be without that stays in the reason.
func unforetold(v evaluator.Verdict, reason string) evaluator.Verdict {
	if v.Effect != evaluator.Unknown {
		reason = fmt.Sprintf("%s; without that: %s, because %s", reason, v.Effect, v.Reason)
	}
	v.Effect, v.Native.Effect, v.Confinement = evaluator.Unknown, evaluator.Unknown, evaluator.Unconfined
	v.Decider, v.Enforcer, v.Rule, v.ToolAbsent = evaluator.ByNobody, evaluator.EnforcedByNobody, nil, false
	v.Reason = reason
	return v
}
