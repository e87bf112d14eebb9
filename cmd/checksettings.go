package cmd

import (
	"errors"
	"path"
	"slices"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// refusedSettings is what eval and import refuse in a settings file, and in those
// beside it. A linter reads more leniently, to judge as much as it can, so that
// alone it would find nothing in a file that the provider drops.
func refusedSettings(d compiler.Dialect, f compiler.SettingsFile, s compiler.Setting) diag.List {
	reader, ok := d.(compiler.SettingsReader)
	if !ok || !reader.IsSettings(f.Text) || besideOnly(reader, f.Name) {
		return nil
	}
	s.Env = d.Env(evaluator.Default, s.Env)
	_, err := reader.ReadSettings([]compiler.SettingsFile{f}, evaluator.Default, s)
	var list diag.List
	errors.As(err, &list)
	return list
}

// besideOnly reports whether a file is one of those that lie beside settings, named by
// itself: rules, which aren't read as settings are.
func besideOnly(reader compiler.SettingsReader, name string) bool {
	return reader.Beside() != "" && !slices.ContainsFunc(reader.Within(), func(w string) bool { return path.Ext(w) == path.Ext(name) })
}

// withRefused adds to what a linter found in a file what is refused in it. Where the
// linter speaks of a malformed line itself, it says more.
func withRefused(found []lint.Finding, name string, refused diag.List, files diag.Files) []lint.Finding {
	malformed := map[int]bool{} // by the line that is shown
	for _, f := range found {
		if f.Rule == "invalid" {
			malformed[files.Show(diag.List{{File: name, Line: f.Line, Column: f.Column}})[0].Line] = true
		}
	}
	for _, p := range refused {
		at := evaluator.Source{File: name, Line: max(p.Line, 1), Column: max(p.Column, 1)}
		if p.File == name && !malformed[at.Line] {
			found = append(found, lint.New("invalid", at, p.Message, ""))
		}
	}
	return found
}
