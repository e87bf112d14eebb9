// Package cmd owns the command line: one file a verb. It is the place where the
// table of providers meets the compiler; results go to stdout, diagnostics to
// stderr.
package cmd

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// The exit codes: the answer is no, and wrong usage or unreadable input.
const (
	exitNo    = 1
	exitUsage = 2
)

// exit is an error that carries an exit code. Without a message nothing is
// printed: the answer was the result itself.
type exit struct {
	code    int
	message string
}

func (e exit) Error() string { return e.message }

// Main runs one command line and returns its exit code.
func Main(args []string, in io.Reader, out, diagnostics io.Writer) int {
	root := &cobra.Command{
		Use:           "modegate",
		Short:         "Compile runtime modes into coding agents' permission settings, and say what those settings do",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(compileCommand(), evalCommand(), checkCommand(), testCommand(), diffCommand(), auditCommand(), importCommand(), conformCommand(), serveCommand(), runCommand())
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(diagnostics)
	err := root.Execute()
	if err == nil {
		return 0
	}
	var e exit
	if !errors.As(err, &e) {
		e = exit{exitUsage, usage(err)}
	}
	if e.message != "" {
		fmt.Fprintln(diagnostics, e.message)
	}
	return e.code
}
