package audit

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/diff"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/compiler/lint/policylint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// providers says what stands behind every provider, and finds those that no run of
// the real program stands behind.
func (b *builder) providers(context.Context) error {
	for _, d := range b.Dialects {
		p := Provider{Name: d.Provider(), Version: b.versionOf(d), Versions: d.Versions()}
		for _, c := range b.cells {
			if c.Provider == p.Name {
				p.Cells++
			}
		}
		if b.Evidence != nil {
			p.Claims = b.Evidence(d, p.Version)
		}
		b.report.Providers = append(b.report.Providers, p)
		for _, c := range p.Claims {
			b.report.Evidence.widen(c.Proof)
		}
		if slices.ContainsFunc(p.Claims, func(c Claim) bool { return c.Status == evaluator.Verified }) {
			continue
		}
		f := b.finding(kindUnproven, fmt.Sprintf("%s.%s", kindUnproven, p.Name), fmt.Sprintf("What is said of %s %s was never shown on the real program", p.Name, p.Version))
		f.Providers, f.Reason = []evaluator.Provider{p.Name}, "there is no evidence at all"
		if len(p.Claims) > 0 {
			f.Reason = "its best evidence: " + proofText(strongest(p.Claims))
		}
		for _, c := range b.cells {
			if c.Provider == p.Name {
				f.Cells = append(f.Cells, c.String())
			}
		}
		b.add(f)
	}
	return nil
}

func (s *Span) widen(p evaluator.Proof) {
	if p.Date == "" {
		return
	}
	if s.From == "" || p.Date < s.From {
		s.From = p.Date
	}
	s.To = max(s.To, p.Date)
}

// strongest is the first of the best proven claims.
func strongest(claims []Claim) evaluator.Proof {
	order := []evaluator.Status{evaluator.Unverified, evaluator.Documented, evaluator.Recorded, evaluator.Verified}
	best := claims[0].Proof
	for _, c := range claims[1:] {
		if slices.Index(order, c.Status) > slices.Index(order, best.Status) {
			best = c.Proof
		}
	}
	return best
}

// proofText is a proof in one line.
func proofText(p evaluator.Proof) string {
	s := fmt.Sprintf("%s: %s", p.Claim, p.Status)
	if p.By != "" {
		s += " by " + p.By
	}
	if p.Date != "" {
		s += " on " + p.Date
	}
	return s
}

// lint takes in what the linter finds in the policy.
func (b *builder) lint(context.Context) error {
	var cells []lint.Cell
	for _, c := range b.cells {
		set := c.compiled.RuleSet
		set.Gaps = c.gaps
		cells = append(cells, lint.Cell{Dialect: c.dialect, Set: set, Setting: compiler.Setting{Version: c.version, Env: c.env}})
	}
	for _, l := range policylint.All(b.policy, cells) {
		at := l.Source
		f := b.finding(l.Rule, fmt.Sprintf("%s.%s", l.Rule, about(l)), describe(l.Rule).Short)
		f.Severity, f.Providers, f.Cells, f.Reason, f.Instead = l.Severity, l.Providers, l.Cells, l.Message, l.Instead
		if at.File != "" {
			f.Source = &at
		}
		b.add(f)
	}
	return nil
}

// about names what a linter's finding is about: a rule, or else what it says, so
// that the name stays when lines move.
func about(f lint.Finding) string {
	file := path.Base(filepath.ToSlash(f.File))
	if f.ID != "" {
		return file + "." + f.ID
	}
	return file + "." + f.Message
}

// changes compares the policy with an earlier one.
func (b *builder) changes(ctx context.Context) error {
	if b.Since == nil {
		return nil
	}
	side, err := diff.OfPolicy(ctx, b.policy.Name, b.lenient, diff.Options{
		Dialects: b.Dialects, Modes: b.Modes, Interactions: b.Interactions, Version: b.Version, Env: b.Env,
	})
	var list diag.List
	if errors.As(err, &list) {
		b.unchecked("changes", "What changed wasn't found out", "a cell of the policy has no settings: "+list[0].Message)
		return nil
	}
	if err != nil {
		return err
	}
	b.report.Changes, err = diff.Compare(ctx, b.Since, side)
	return err
}
