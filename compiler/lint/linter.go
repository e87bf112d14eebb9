package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Linter is a dialect that finds what is wrong with its provider's settings.
type Linter interface {
	// Lint judges one text of settings. Findings have their place in the text, and
	// the JSON Pointer by which Write's sources name the same part. The error is
	// about a text that isn't one of the provider's settings.
	Lint(in Settings) ([]Finding, error)
}

// Settings is one text of a provider's settings.
type Settings struct {
	// Text is what an adapter sends, as Write makes it, or a settings file of the
	// provider's own.
	Text    []byte
	Setting compiler.Setting
	// Written says that an adapter sends the text. Otherwise people wrote it, as a
	// file of the provider's, unless its form is the adapter's.
	Written bool
	// File is the name of the file, "" when there is none: some providers read
	// only files with certain names.
	File string
}

// Cell is one compiled cell of a policy, with what it was compiled for.
type Cell struct {
	Dialect compiler.Dialect
	Set     compiler.RuleSet
	Setting compiler.Setting
}

func (c Cell) name() string {
	return evaluator.Cell{Provider: c.Set.Provider, Mode: c.Set.Mode, Interaction: c.Set.Interaction}.String()
}

// Cells judges the native settings of a policy's cells, and traces each finding
// back to the line of the policy that it stems from. What doesn't stem from a
// policy, such as a session's grants, isn't its affair.
func Cells(cells []Cell) []Finding {
	var out []Finding
	d := newDeadLines()
	for _, c := range cells {
		l, ok := c.Dialect.(Linter)
		if !ok {
			continue
		}
		found, err := l.Lint(Settings{Text: c.Set.Native, Setting: c.Setting, Written: true})
		if err != nil { // Compile has read them back, so that they are only too long
			out = append(out, New("too-large", evaluator.Source{}, fmt.Sprintf("the settings of %s aren't looked at: %v", c.name(), err), "split the policy"))
			continue
		}
		d.count(c)
		for _, f := range found {
			if f, ok = c.trace(f); !ok {
				continue
			}
			if f.Rule == DeadRule {
				d.add(c, f)
				continue
			}
			out = append(out, f)
		}
	}
	return Merge(append(out, d.findings()...))
}

// trace finds the policy's places of a finding about native settings.
func (c Cell) trace(f Finding) (Finding, bool) {
	at, ok := c.source(f.Pointer)
	if !ok {
		return f, false
	}
	f.Source, f.Pointer = at, ""
	f.Providers, f.Cells = []evaluator.Provider{c.Set.Provider}, []string{c.name()}
	if (f.Rule == "path-form" || f.Rule == "never-matches") && c.accepts(at) {
		f.Severity = Note
	}
	related := f.Related
	f.Related = nil
	for _, r := range related {
		if at, ok := c.source(r.Pointer); ok {
			r.Source, r.Pointer = at, ""
			f.Related = append(f.Related, r)
		}
	}
	return f, true
}

// accepts reports whether the policy acknowledges that a rule isn't kept, or the
// provider is stricter than it.
func (c Cell) accepts(at evaluator.Source) bool {
	return slices.ContainsFunc(c.Set.Gaps, func(g evaluator.Gap) bool {
		return g.Source != nil && *g.Source == at && (g.Acknowledged || g.Direction == evaluator.Narrower)
	})
}

// source is the line of the policy that a part of the settings came from: that of
// the part itself, or of the smallest part around it that has one.
func (c Cell) source(pointer string) (evaluator.Source, bool) {
	best := -1
	var at evaluator.Source
	for _, s := range c.Set.Sources {
		inside := pointer == s.Pointer || strings.HasPrefix(pointer, s.Pointer+"/")
		if inside && len(s.Pointer) > best {
			best, at = len(s.Pointer), s.Source
		}
	}
	return at, best >= 0 && at.File != ""
}

// deadLines collects the dead rules of native settings. A line of a policy is dead
// on a provider only when everything that it comes to there is dead.
type deadLines struct {
	all  map[evaluator.Source]map[evaluator.Provider]int // native rules that stem from a line
	dead map[evaluator.Source]map[evaluator.Provider][]Finding
}

func newDeadLines() *deadLines {
	return &deadLines{map[evaluator.Source]map[evaluator.Provider]int{}, map[evaluator.Source]map[evaluator.Provider][]Finding{}}
}

func (d *deadLines) count(c Cell) {
	for _, s := range c.Set.Sources {
		if d.all[s.Source] == nil {
			d.all[s.Source] = map[evaluator.Provider]int{}
		}
		d.all[s.Source][c.Set.Provider]++
	}
}

func (d *deadLines) add(c Cell, f Finding) {
	if d.dead[f.Source] == nil {
		d.dead[f.Source] = map[evaluator.Provider][]Finding{}
	}
	d.dead[f.Source][c.Set.Provider] = append(d.dead[f.Source][c.Set.Provider], f)
}

// findings makes one finding of each line that is dead on a provider. Where the
// line still decides on another one, it is a note: that provider is stricter than
// the policy, which its gaps say as well.
func (d *deadLines) findings() []Finding {
	var out []Finding
	for at, providers := range d.dead {
		for _, p := range evaluator.Providers() {
			list := providers[p]
			if len(list) == 0 || len(list) < d.all[at][p] {
				continue
			}
			one := list[0]
			for _, f := range list[1:] {
				one.Cells = union(one.Cells, f.Cells)
			}
			for other, n := range d.all[at] {
				if len(providers[other]) < n {
					one.Severity = Note
				}
			}
			out = append(out, one)
		}
	}
	return out
}
