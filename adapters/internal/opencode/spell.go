package opencode

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
)

// silent are the commands that are no text of their own beside others.
var silent = append([]string{"export", "unset", "declare", "typeset", "readonly", "local"}, directoryCommands...)

// Texts are the commands that OpenCode's shell tool asks about for a probe, as
// far as a writer knows them by the probe's spelling (measured on 1.18.33).
func ProbeTexts(p compiler.Probe) []string {
	var out []string
	text := p.Command
	switch p.Form {
	case compiler.NoCommand:
		return nil
	case compiler.AfterFolder, compiler.AfterExport:
		text = p.Base
	case compiler.AfterOther:
		out, text = append(out, "ls"), p.Base
	case compiler.Substituted:
		out, text = append(out, p.Command), p.Base
	}
	name := strings.TrimPrefix(text, "A=1 ")
	name, _, _ = strings.Cut(name, " ")
	if !slices.Contains(silent, name) {
		out = append(out, text)
	}
	return out
}

// ProbeFolders are the folders outside that are asked about for a command: those
// of its words, when it is one that is looked at, and the one that it runs in.
// Each may be asked about as a folder or as a file in one.
func ProbeFolders(p compiler.Probe, names []string, place Place) [][2]string {
	var out [][2]string
	base := p.Base
	if base == "" {
		base = p.Command
	}
	words := strings.Fields(base)
	hidden := p.Form == compiler.QuotedName || p.Form == compiler.FullPath || p.Form == compiler.ByEnv || p.Form == compiler.ByShell
	if !hidden && len(words) > 0 && slices.Contains(names, words[0]) {
		for _, word := range words[1:] {
			if path := strings.Trim(word, "'"); strings.HasPrefix(path, "/") && !place.Inside(path) {
				out = append(out, [2]string{parent(path) + "/*", path + "/*"})
			}
		}
	}
	if p.Cwd != "" && !place.Inside(p.Cwd) {
		out = append(out, [2]string{p.Cwd + "/*", p.Cwd + "/*"})
	}
	return out
}
