package cmd

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

func conformCommand() *cobra.Command {
	var c common
	var l liveOptions
	cmd := &cobra.Command{
		Use:   "conform [-p PROVIDER] [--live] FILE...",
		Short: "Compare our answers with recorded answers of the real provider",
		Long: `Compare our answers with recorded answers of the real provider, case by case.
A failed case is printed with what we said and what the provider did, and UNSAFE
where we said stricter than the provider is. Exit 1 when a case failed.

With --live the real binaries are started here, offline, with folders and a
scripted model of their own, and asked again: a random sample of the recorded
cases (those in testdata when no FILE is given), then random cases that nobody
recorded. A binary is the one that its variable names (MODEGATE_CLAUDE, ...) or
the one below .live; a missing one is "not run", which never passes: exit 1.`,
		Example: "  modegate conform -p opencode2 testdata/opencode/eval.json\n  modegate conform -p claude --live --sample 100",
		RunE: func(cmd *cobra.Command, files []string) error {
			switch {
			case l.on:
				return c.conformLive(cmd, l, files)
			case len(files) == 0:
				return errors.New("name the case files")
			}
			return c.conform(cmd, files)
		},
	}
	l.add(cmd)
	f := cmd.Flags()
	f.StringVarP(&c.providers, "provider", "p", "", "provider (default: the one that the file names)")
	f.StringVar(&c.version, "provider-version", "", "the version that is judged (default: the one that the file names)")
	c.addOutput(cmd, "text", "json")
	return cmd
}

// caseFile is a file of recorded answers.
type caseFile struct {
	name     string
	provider evaluator.Provider
	compiler.CaseFile
	cases    []jsontext.Value
	recorded string // with --live: the version that the file is of
}

// result is one judged case.
type result struct {
	File    string `json:"file"`
	Index   int    `json:"index"` // 0-based
	Case    string `json:"case"`
	Got     string `json:"got"`
	Want    string `json:"want"`
	Unsafe  bool   `json:"unsafe,omitempty"`
	Skipped string `json:"skipped,omitempty"`

	Recorded string `json:"recorded,omitempty"` // with --live: what the file has
}

// report is the outcome of a conform run.
type report struct {
	Passed  int      `json:"passed"`
	Failed  int      `json:"failed"`
	Skipped int      `json:"skipped"`
	Unsafe  int      `json:"unsafe"`
	Cases   []result `json:"cases"` // those that didn't pass

	Runs []run `json:"runs,omitempty"` // with --live: the binaries that were to be asked
}

func (c *common) conform(cmd *cobra.Command, files []string) error {
	r := report{Cases: []result{}}
	for _, name := range files {
		f, err := c.readCases(name)
		if err != nil {
			return err
		}
		if err := r.judge(f); err != nil {
			return err
		}
	}
	if err := r.print(cmd, c.output); err != nil {
		return err
	}
	if r.Failed > 0 {
		return exit{code: exitNo}
	}
	return nil
}

func (r *report) print(cmd *cobra.Command, format string) error {
	if format == "json" {
		return write(cmd, "json", r)
	}
	r.text(cmd.OutOrStdout())
	return nil
}

// readCases reads a case file. Fields that a corpus has beside its cases are
// handed to the dialect as they are.
func (c *common) readCases(name string) (caseFile, error) {
	f := caseFile{name: name}
	data, err := readFile(name)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f.Header); err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	fields := map[string]any{"provider": &f.provider, "version": &f.Version, "cases": &f.cases}
	for _, field := range []string{"provider", "version", "cases"} {
		raw, ok := f.Header[field]
		if !ok {
			return f, fmt.Errorf("%s: a case file needs %q", name, field)
		}
		if err := json.Unmarshal(raw, fields[field]); err != nil {
			return f, fmt.Errorf("%s: %s: %w", name, field, err)
		}
		delete(f.Header, field)
	}
	if c.providers != "" && c.providers != string(f.provider) {
		return f, fmt.Errorf("%s: its cases are of %s, not of %s", name, f.provider, c.providers)
	}
	if c.version != "" {
		f.Version = c.version
	}
	return f, nil
}

func (r *report) judge(f caseFile) error {
	d, ok := adapters.Find(f.provider)
	if !ok {
		return fmt.Errorf("%s: no dialect for %s", f.name, f.provider)
	}
	if !slices.Contains(d.Versions(), f.Version) {
		return fmt.Errorf("%s: unknown version %q of %s: use %s", f.name, f.Version, f.provider, strings.Join(d.Versions(), ", "))
	}
	judge, ok := d.(compiler.Conformer)
	if !ok {
		return fmt.Errorf("%s: %s has no corpus that can be judged", f.name, f.provider)
	}
	var problems []error
	for i, row := range f.cases {
		j, err := judge.Conform(row, f.CaseFile)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: case %d: %w", f.name, i, err))
			continue
		}
		r.add(f.name, i, j, "")
	}
	return errors.Join(problems...)
}

func (r *report) add(file string, i int, j compiler.Judged, recorded string) {
	switch {
	case j.Skipped != "":
		r.Skipped++
	case j.Passed:
		r.Passed++
		return
	default:
		r.Failed++
		if j.Unsafe {
			r.Unsafe++
		}
	}
	r.Cases = append(r.Cases, result{File: file, Index: i, Case: j.Case, Got: j.Got, Want: j.Want, Unsafe: j.Unsafe, Skipped: j.Skipped, Recorded: recorded})
}

// text prints the cases that didn't pass, what was skipped by mechanism, and
// the closing line.
func (r *report) text(w io.Writer) {
	skipped := map[string]int{}
	for _, c := range r.Cases {
		if c.Skipped != "" {
			skipped[c.Skipped]++
			continue
		}
		more := ""
		if c.Recorded != "" {
			more = ", the file has " + c.Recorded
		}
		if c.Unsafe {
			more += "  UNSAFE"
		}
		fmt.Fprintf(w, "%s: case %d: %s\n  we say %s, the provider did %s%s\n", c.File, c.Index, c.Case, c.Got, c.Want, more)
	}
	var mechanisms []string
	for m := range skipped {
		mechanisms = append(mechanisms, m)
	}
	slices.Sort(mechanisms)
	for _, m := range mechanisms {
		fmt.Fprintf(w, "skipped %d: %s\n", skipped[m], m)
	}
	for _, run := range r.Runs {
		fmt.Fprintln(w, run)
	}
	closing := fmt.Sprintf("%d passed, %d failed", r.Passed, r.Failed)
	if r.Skipped > 0 {
		closing += fmt.Sprintf(", %d skipped", r.Skipped)
	}
	fmt.Fprintln(w, closing)
}
