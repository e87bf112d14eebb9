package compiler

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// Imported is a policy that was made of settings files.
type Imported struct {
	Text   []byte // the policy file
	Losses []Loss // what it doesn't say, in order of place
}

// ImportOptions are what Import is told besides the files.
type ImportOptions struct {
	Name    string           // of the policy
	Modes   []evaluator.Mode // the modes that it gives the files' meaning
	Setting Setting
}

// DraftID is the id of a rule of an imported policy, by its number in the files.
func DraftID(rule int) string { return "rule-" + strconv.Itoa(rule+1) }

// Import makes a policy of settings files: in a policy's own words what those say
// exactly, else in the provider's profile. What it can't say is a loss; so is every
// Action on which the compiled policy and the files come to something else.
func Import(d SettingsReader, files []SettingsFile, o ImportOptions) (*Imported, error) {
	im := &importer{d: d, o: o, verbatim: map[int]bool{}, native: map[evaluator.Interaction]evaluator.Meaning{}}
	var settings *FileSettings
	for _, i := range evaluator.Interactions() {
		s := o.Setting
		s.Env = d.Env(i, s.Env)
		m, got, err := ReadSettings(d, files, i, s)
		if err != nil {
			return nil, err
		}
		im.native[i] = m
		if settings == nil {
			settings = got
		}
	}
	im.drafter = settings.Draft
	if err := im.draft(); err != nil {
		return nil, err
	}
	im.losses = append(im.losses, settings.Losses...)
	if err := im.compare(); err != nil {
		return nil, err
	}
	return im.result(files), nil
}

type importer struct {
	d        SettingsReader
	o        ImportOptions
	drafter  Drafter
	verbatim map[int]bool
	native   map[evaluator.Interaction]evaluator.Meaning // what the files mean
	policy   policies.Draft
	losses   []Loss
}

func (im *importer) cells() []evaluator.Cell {
	var out []evaluator.Cell
	for _, m := range im.o.Modes {
		for _, i := range evaluator.Interactions() {
			out = append(out, evaluator.Cell{Provider: im.d.Provider(), Mode: m, Interaction: i})
		}
	}
	return out
}

// draft writes the policy, again and again, each time with those rules in the
// provider's own words that didn't come back as they were; then it accepts the gaps
// that are left.
func (im *importer) draft() error {
	for {
		im.policy, im.losses = im.drafter.Draft(im.verbatim, im.o.Modes)
		im.policy.Name = im.o.Name
		p, err := im.parse()
		if err != nil {
			return err
		}
		known := len(im.verbatim)
		for _, cell := range im.cells() {
			env := im.d.Env(cell.Interaction, im.o.Setting.Env)
			in := Lower(p, cell)
			in.PlanFiles = im.d.PlanFiles(env)
			w, err := im.d.Write(in, env)
			if err != nil {
				return err
			}
			for _, rule := range im.drafter.Lost(w) {
				im.verbatim[rule] = true
			}
		}
		if len(im.verbatim) == known {
			return im.acknowledge(p)
		}
	}
}

func (im *importer) parse() (*policies.Policy, error) {
	p, err := policies.Parse(policies.File{Name: im.o.Name + ".yaml", Data: im.policy.Format()})
	if err == nil {
		err = Validate(p, []Dialect{im.d})
	}
	if err != nil {
		return nil, fmt.Errorf("the policy that was made can't be read: %w", err)
	}
	return p, nil
}

// acknowledge accepts the gaps that let more happen than the policy's words say:
// the settings were what they were before there was a policy.
func (im *importer) acknowledge(p *policies.Policy) error {
	reasons := map[string]string{}
	for _, cell := range im.cells() {
		env := im.d.Env(cell.Interaction, im.o.Setting.Env)
		in := Lower(p, cell)
		in.PlanFiles = im.d.PlanFiles(env)
		declared, found, err := Compare(im.d, in, Setting{Version: im.o.Setting.Version, Env: env})
		if err != nil {
			return err
		}
		for _, g := range explained(found, declared) {
			if g.Direction == evaluator.Wider {
				reasons[g.ID] = g.Reason
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(reasons)) {
		im.policy.Acknowledge = append(im.policy.Acknowledge, policies.Acknowledgement{Gap: id, Reason: policies.Visible("as it was before the import: " + reasons[id])})
	}
	return nil
}

// compare judges the probes by the files and by the compiled policy. Where they
// part and no loss says why, that is one.
func (im *importer) compare() error {
	p, err := im.parse()
	if err != nil {
		return err
	}
	probes := im.drafter.Probes()
	for _, h := range handProbes() {
		probes = append(probes, h.Action)
	}
	said := map[string]bool{}
	for _, cell := range im.cells() {
		c, err := Compile(p, im.d, cell, Options{Env: im.o.Setting.Env, Version: im.o.Setting.Version})
		if err != nil {
			return fmt.Errorf("the policy that was made doesn't compile: %w", err)
		}
		for _, a := range probes {
			if a.Check() != nil || slices.ContainsFunc(im.losses, func(l Loss) bool { return l.About(a, cell.Interaction) }) {
				continue
			}
			was, err := evaluator.Evaluate(im.native[cell.Interaction], a, false)
			if err != nil {
				continue // the files can't be asked about it either
			}
			is, err := c.Evaluate(a, false)
			if err != nil {
				return err
			}
			if was.Effect == is.Effect && was.Confinement == is.Confinement {
				continue
			}
			message := fmt.Sprintf("%s: the settings say %s, the policy comes to %s", Describe(a), outcome(was), outcome(is))
			if cell.Interaction == evaluator.Plan {
				message = "in plan, " + message
			}
			if said[message] {
				continue
			}
			said[message] = true
			l := Loss{Message: message}
			if was.Rule != nil && was.Rule.Source != nil {
				l.Source = *was.Rule.Source
			}
			im.losses = append(im.losses, l)
		}
	}
	return nil
}

func outcome(v evaluator.Verdict) string {
	if v.Effect == evaluator.Allow && v.Confinement != evaluator.Unconfined {
		return v.Effect.String() + " (" + v.Confinement.String() + ")"
	}
	return v.Effect.String()
}

// result writes the policy with its losses on top.
func (im *importer) result(files []SettingsFile) *Imported {
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	slices.SortStableFunc(im.losses, func(a, b Loss) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	about := []string{fmt.Sprintf("What %s says to %s, as a policy.", strings.Join(names, ", "), im.d.Provider())}
	if len(im.losses) == 0 {
		about = append(about, "Nothing is lost.")
	} else {
		about = append(about, "Lost:")
	}
	for _, l := range im.losses {
		about = append(about, "- "+strings.ReplaceAll(l.Problem().String(), "\n", " "))
	}
	im.policy.About = append(about, im.policy.About...)
	return &Imported{Text: im.policy.Format(), Losses: im.losses}
}
