package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// nativeFile is one FILE, FOLDER or LAYER=FILE of the command line, with its text.
type nativeFile struct {
	compiler.SettingsFile
	given string
}

// readNative reads what the command line names. What LAYER may be is the
// dialect's to say; one that reads no settings files has none.
func readNative(d compiler.Dialect, args []string, in io.Reader) ([]nativeFile, error) {
	reader, _ := d.(compiler.SettingsReader)
	var out []nativeFile
	for i, given := range args {
		layer, path := "", given
		if before, after, ok := strings.Cut(given, "="); ok && reader != nil && slices.Contains(reader.Layers(), before) {
			layer, path = before, after
		}
		if path == "-" && slices.Contains(args[:i], given) {
			return nil, errors.New("stdin can be read once")
		}
		files, err := expand(reader, layer, path, in)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			out = append(out, nativeFile{f, given})
		}
	}
	return out, nil
}

// expand reads a file, with those beside it that count, or the settings files of a
// folder.
func expand(reader compiler.SettingsReader, layer, path string, in io.Reader) ([]compiler.SettingsFile, error) {
	info, err := os.Stat(path)
	if path == "-" || err != nil || !info.IsDir() || reader == nil {
		f, err := settingsFile(reader, layer, path, in)
		return []compiler.SettingsFile{f}, err
	}
	var out []compiler.SettingsFile
	for _, name := range reader.Within() {
		at := filepath.Join(path, filepath.FromSlash(name))
		if info, err := os.Stat(at); err != nil || info.IsDir() {
			continue
		}
		f, err := settingsFile(reader, layer, at, in)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	if out == nil {
		return nil, fmt.Errorf("%s: the folder holds none of %s", path, strings.Join(reader.Within(), ", "))
	}
	return out, nil
}

func settingsFile(reader compiler.SettingsReader, layer, path string, in io.Reader) (compiler.SettingsFile, error) {
	f := compiler.SettingsFile{Layer: layer, Name: inputName(path)}
	var err error
	if f.Text, err = readInput(path, in); err != nil || path == "-" {
		return f, err
	}
	if f.Path, err = filepath.Abs(path); err != nil || reader == nil || reader.Beside() == "" {
		return f, err
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), filepath.FromSlash(reader.Beside())))
	for _, name := range names {
		beside, err := settingsFile(nil, "", name, in)
		if err != nil {
			return f, err
		}
		f.Beside = append(f.Beside, beside)
	}
	return f, err
}

// meaning reads what --native names: the settings of a RuleSet, or the settings
// files that people keep.
func (c *common) meaning(d compiler.Dialect, files []nativeFile, i evaluator.Interaction) (evaluator.Meaning, error) {
	env, err := c.session()
	if err != nil {
		return nil, err
	}
	reader, ok := d.(compiler.SettingsReader)
	if !ok || len(files) == 1 && files[0].Layer == "" && !reader.IsSettings(files[0].Text) {
		if len(files) != 1 {
			return nil, fmt.Errorf("%s has one text of settings: give --native once", d.Provider())
		}
		m, err := d.Read(files[0].Text, compiler.Setting{Version: c.version, Env: d.Env(i, env)})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", files[0].Name, err)
		}
		return m, nil
	}
	m, _, err := compiler.ReadSettings(reader, settingsOf(files), i, compiler.Setting{Version: c.version, Env: d.Env(i, atHome(env))})
	return m, err
}

func settingsOf(files []nativeFile) []compiler.SettingsFile {
	var out []compiler.SettingsFile
	for _, f := range files {
		out = append(out, f.SettingsFile)
	}
	return out
}

// atHome puts the home folder of whoever runs the program into an Env without one:
// settings files are theirs.
func atHome(env evaluator.Env) evaluator.Env {
	if home, err := os.UserHomeDir(); env.Home == "" && err == nil && filepath.IsAbs(home) {
		env.Home = filepath.Clean(home)
	}
	return env
}
