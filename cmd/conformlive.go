package cmd

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/livebin"
)

// liveOptions are the flags of conform --live.
type liveOptions struct {
	on     bool
	sample int
	random int
	seed   uint64
}

func (l *liveOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&l.on, "live", false, "ask the real binaries")
	f.IntVar(&l.sample, "sample", 60, "with --live: recorded cases to take again, of each corpus")
	f.IntVar(&l.random, "random", 60, "with --live: random cases that nobody recorded, of each binary")
	f.Uint64Var(&l.seed, "seed", 0, "with --live: what the choice and the random cases come from (default: the time)")
}

// liveTimeout bounds one binary's run.
const liveTimeout = 20 * time.Minute

// run is what asking one binary came to.
type run struct {
	Provider evaluator.Provider `json:"provider"`
	Version  string             `json:"version"`
	By       string             `json:"by"` // the agent whose binary it is
	Claim    string             `json:"claim"`
	Binary   string             `json:"binary,omitempty"` // SHA-256
	Seed     uint64             `json:"seed,omitempty"`
	NotRun   string             `json:"notRun,omitempty"`
	Recorded tally              `json:"recorded"`
	Fresh    tally              `json:"fresh"`
	Drifted  int                `json:"drifted"` // recorded cases that the binary did otherwise than the file has
}

// tally counts cases that were judged.
type tally struct {
	Cases         int `json:"cases"`
	Disagreements int `json:"disagreements"`
}

func (r run) String() string {
	if r.NotRun != "" {
		return fmt.Sprintf("%s %s: not run: %s", r.Claim, r.Version, r.NotRun)
	}
	s := fmt.Sprintf("%s by %s %s (seed %d): %d recorded cases, %d disagreements; %d fresh cases, %d disagreements",
		r.Claim, r.By, r.Version, r.Seed, r.Recorded.Cases, r.Recorded.Disagreements, r.Fresh.Cases, r.Fresh.Disagreements)
	if r.Drifted > 0 {
		s += fmt.Sprintf("; %d recorded otherwise than it does now", r.Drifted)
	}
	return s
}

func (c *common) conformLive(cmd *cobra.Command, l liveOptions, files []string) error {
	if l.sample < 0 || l.random < 0 || l.sample+l.random == 0 {
		return errors.New("--sample and --random say how many cases to ask: at least one in all")
	}
	if l.seed == 0 {
		l.seed = uint64(time.Now().UnixNano())
	}
	chosen, err := c.chooseOracles()
	if err != nil {
		return err
	}
	given, err := c.givenCases(files)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := report{Cases: []result{}}
	for _, o := range chosen {
		corpora := given[o.provider]
		if len(files) > 0 && (corpora == nil || o.files == nil) {
			continue // none of the files is for it
		}
		if len(files) == 0 {
			if corpora, err = c.ownCases(o); err != nil {
				return err
			}
		}
		done, err := r.ask(ctx, o, corpora, l)
		if err != nil {
			return err
		}
		r.Runs = append(r.Runs, done)
		if err := keep(o, done); err != nil {
			return err
		}
	}
	if err := r.print(cmd, c.output); err != nil {
		return err
	}
	notRun := slices.ContainsFunc(r.Runs, func(done run) bool { return done.NotRun != "" })
	if r.Failed > 0 || notRun || r.Passed == 0 {
		return exit{code: exitNo}
	}
	return nil
}

// chooseOracles lists the binaries of the chosen provider and version.
func (c *common) chooseOracles() ([]oracle, error) {
	known := evaluator.Providers()
	if c.providers != "" && c.providers != "all" {
		var err error
		if known, err = choose("provider", c.providers, known); err != nil {
			return nil, err
		}
	}
	var out []oracle
	for _, o := range oracles() {
		if slices.Contains(known, o.provider) && (c.version == "" || c.version == o.agent.Version) {
			out = append(out, o)
		}
	}
	if len(out) == 0 {
		return nil, exit{exitNo, fmt.Sprintf("%s %s: not run: there is no binary of it that can be driven here", c.providers, c.version)}
	}
	return out, nil
}

// givenCases reads the files of the command line.
func (c *common) givenCases(files []string) (map[evaluator.Provider][]caseFile, error) {
	out := map[evaluator.Provider][]caseFile{}
	for _, name := range files {
		f, err := c.readCases(name)
		if err != nil {
			return nil, err
		}
		out[f.provider] = append(out[f.provider], f)
	}
	return out, nil
}

// ownCases reads the recorded cases of the repository that we stand in.
func (c *common) ownCases(o oracle) ([]caseFile, error) {
	root, err := livebin.ModuleRoot()
	if err != nil {
		return nil, fmt.Errorf("name the case files: %w", err)
	}
	var out []caseFile
	for _, name := range o.files {
		f, err := (&common{}).readCases(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		f.name = name
		out = append(out, f)
	}
	return out, nil
}

// ask starts one binary and compares what it does with what we say.
func (r *report) ask(ctx context.Context, o oracle, corpora []caseFile, l liveOptions) (run, error) {
	done := run{Provider: o.provider, By: o.agent.Name, Version: o.agent.Version, Claim: o.claim}
	bin, err := livebin.Find(o.agent)
	if err != nil {
		done.NotRun = err.Error()
		return done, nil
	}
	digest, err := livebin.Digest(bin)
	if err != nil {
		return done, err
	}
	done.Binary, done.Seed = digest, l.seed
	judge := o.judge
	if judge == nil {
		d, _ := adapters.Find(o.provider)
		judge = d.(compiler.Conformer)
	}
	ctx, cancel := context.WithTimeout(ctx, liveTimeout)
	defer cancel()
	real, err := o.open(bin)
	if err != nil {
		return done, fmt.Errorf("%s %s: %w", o.provider, o.agent.Version, err)
	}
	defer real.Close()
	numbers := rand.New(rand.NewPCG(l.seed, 1))
	for _, f := range corpora {
		f.recorded, f.Version = f.Version, o.agent.Version
		picked := sample(numbers, len(f.cases), l.sample)
		rows := make([]jsontext.Value, len(picked))
		for i, at := range picked {
			rows[i] = f.cases[at]
		}
		if err := r.compare(ctx, real, judge, f, picked, rows, &done); err != nil {
			return done, err
		}
	}
	shared, rows := real.Fresh(numbers, l.random)
	shared.Version = o.agent.Version
	return done, r.compare(ctx, real, judge, caseFile{name: string(o.provider) + " " + fresh, CaseFile: shared}, nil, rows, &done)
}

// fresh is the name that cases have which no file has.
const fresh = "fresh"

// neighbours is how many cases that follow each other are taken together: they
// mostly share their settings, and one start of a binary answers them all.
const neighbours = 4

// sample picks count of n cases at random, in runs of neighbours.
func sample(r *rand.Rand, n, count int) []int {
	starts := r.Perm((n + neighbours - 1) / neighbours)
	var out []int
	for _, s := range starts {
		for at := s * neighbours; at < min(n, (s+1)*neighbours) && len(out) < count; at++ {
			out = append(out, at)
		}
	}
	return out
}

// compare asks for rows and judges the answers. at gives the rows' places in
// their file, nil for fresh ones.
func (r *report) compare(ctx context.Context, real compiler.Oracle, judge compiler.Conformer, f caseFile, at []int, rows []jsontext.Value, done *run) error {
	if len(rows) == 0 {
		return nil
	}
	answers, err := real.Answer(ctx, f.CaseFile, rows)
	if err != nil {
		return fmt.Errorf("%s %s: %w", done.Provider, done.Version, err)
	}
	for i, a := range answers {
		count, index, before := &done.Fresh, i, compiler.Judged{Case: string(rows[i])}
		if at != nil {
			count, index = &done.Recorded, at[i]
			if before, err = judge.Conform(rows[i], f.CaseFile); err != nil {
				return fmt.Errorf("%s: case %d: %w", f.name, index, err)
			}
		}
		j := compiler.Judged{Skipped: a.Skipped, Got: before.Got, Want: "not answer: " + a.Failed}
		if a.Skipped == "" && a.Failed == "" {
			if j, err = judge.Conform(a.Row, f.CaseFile); err != nil {
				return fmt.Errorf("%s: case %d: %w", f.name, index, err)
			}
			if at == nil && j.Got == evaluator.Unknown.String() {
				j.Skipped = "fresh cases of which we say that we don't know"
			}
			if at != nil && f.recorded == f.Version && j.Want != before.Want {
				done.Drifted++
			}
		}
		j.Case = before.Case
		if j.Skipped == "" {
			count.Cases++
			if !j.Passed {
				count.Disagreements++
			}
		}
		r.add(f.name, index, j, before.Want)
	}
	return nil
}
