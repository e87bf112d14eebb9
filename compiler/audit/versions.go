package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// versions finds the Actions that another version of a provider answers otherwise,
// under the bytes that the judged version is given.
func (b *builder) versions(ctx context.Context) error {
	var found groups
	for _, c := range b.cells {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.otherVersions(&found); err != nil {
			return err
		}
	}
	for _, g := range found.list {
		worst := slices.MaxFunc(g.cases, func(a, b instance) int {
			return looseness(a.shown.Differs[0].Effect, 0) - looseness(b.shown.Differs[0].Effect, 0)
		}).shown
		d := worst.Differs[0]
		f := b.finding(kindVersion, kindVersion+"."+g.key, fmt.Sprintf("%s on %s: %s comes to %s, and %s to %s",
			worst.Witness.Kind, worst.Provider, worst.Version, worst.outcomeText(), d.Version, d.Effect))
		f = f.fill(g)
		f.Shown, f.Reason = worst, fmt.Sprintf("%s: %s; %s: %s", worst.Version, worst.Reason, d.Version, d.Reason)
		if !strings.HasSuffix(g.key, looser) {
			f.Severity = lint.Note
		}
		b.add(f)
	}
	return nil
}

// otherVersions compares a cell's answers with those of the provider's other
// versions: those that can be judged, and those that a Verdict speaks of.
func (c *audited) otherVersions(found *groups) error {
	other := map[string]evaluator.Meaning{}
	for _, version := range c.dialect.Versions() {
		if version == c.version {
			continue
		}
		m, err := c.dialect.Read(c.compiled.RuleSet.Native, compiler.Setting{Version: version, Env: c.env})
		if err != nil {
			return fmt.Errorf("%s: %s: %w", c, version, err)
		}
		other[version] = m
	}
	for _, s := range c.probed {
		differs := slices.Clip(s.Differs)
		for _, version := range c.dialect.Versions() {
			if other[version] == nil || slices.ContainsFunc(differs, func(d evaluator.Difference) bool { return d.Version == version }) {
				continue
			}
			v, err := evaluator.Evaluate(other[version], s.Witness, false)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", c, version, err)
			}
			if v.Effect != s.Effect {
				differs = append(differs, evaluator.Difference{Version: version, Effect: v.Effect, Reason: v.Reason})
			}
		}
		for _, d := range differs {
			one := *s.Shown
			one.Differs = []evaluator.Difference{d}
			found.add(versionKey(s.Witness.Kind, s.Shown, d), c, &one)
		}
	}
	return nil
}

// looser ends the key of differences by which another version lets more happen.
const looser = "-looser"

// versionKey is what a difference is about: where another version is looser, that
// kind of Action.
func versionKey(kind evaluator.Kind, s *Shown, d evaluator.Difference) string {
	by := looseness(d.Effect, evaluator.Unconfined) - looseness(s.Effect, evaluator.Unconfined)
	switch {
	case by > 0:
		return fmt.Sprintf("%s.%s.%s%s", s.Provider, kind, d.Version, looser)
	case by < 0:
		return fmt.Sprintf("%s.%s-stricter", s.Provider, d.Version)
	}
	return fmt.Sprintf("%s.%s-otherwise", s.Provider, d.Version)
}
