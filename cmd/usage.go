package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// arguments checks how many arguments a verb has. what names them in an error; most
// is -1 for any number.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case most == 0 && len(args) > 0:
			return fmt.Errorf("%s takes no arguments, and %q is one; see: %s --help", cmd.Name(), args[0], cmd.CommandPath())
		case len(args) < least && len(args) == 0:
			return fmt.Errorf("give %s; see: %s --help", what, cmd.CommandPath())
		case len(args) < least || most >= 0 && len(args) > most:
			return fmt.Errorf("give %s, not %s; see: %s --help", what, plural(len(args), "argument"), cmd.CommandPath())
		}
		return nil
	}
}

// usage adds to cobra's words about an unknown verb where the verbs are listed. Those
// that are near it are in them already.
func usage(err error) string {
	text := strings.TrimSpace(err.Error())
	if strings.HasPrefix(text, "unknown command ") {
		text += "; see: modegate --help"
		if head, near, ok := strings.Cut(err.Error(), "\n\nDid you mean this?"); ok {
			text = head + ": did you mean " + strings.Join(strings.Fields(near), ", ") + "?"
		}
	}
	return text
}

// readFile reads a file. Its error begins with the path, as all errors about files do.
func readFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	var about *fs.PathError
	if errors.As(err, &about) {
		err = fmt.Errorf("%s: %w", path, about.Err)
	}
	return data, err
}
