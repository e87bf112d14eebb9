package policies

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/modegate/modegate/internal/diag"
)

// suiteSuffix ends the name of a test file, before its extension.
const suiteSuffix = "_test"

// Target is a policy and the suite that tests it: NAME.yaml and NAME_test.yaml in
// one folder. One of the two may be missing.
type Target struct {
	Policy string // a path for Load: a file or builtin/NAME; "" when there is none beside the suite
	Suite  *Suite // nil when the policy has none
}

// Targets finds what the paths say is to be tested. A path is a test file
// (*_test.yaml, *_test.yml), a policy file, a built-in policy (builtin/NAME), or a
// folder: all that it and its folders hold, in order of path, without names that
// begin with a dot. Nothing is listed twice. The error is a [diag.List] of every
// problem of every path and suite.
func Targets(paths ...string) ([]Target, error) {
	f := finder{seen: map[string]bool{}}
	for _, path := range paths {
		if err := f.path(path); err != nil {
			f.problems = append(f.problems, diag.Problem{File: path, Message: err.Error()})
		}
	}
	if err := f.problems.Err(); err != nil {
		return nil, err
	}
	return f.targets, nil
}

type finder struct {
	targets  []Target
	seen     map[string]bool // the folder and base name that a policy and its suite share
	problems diag.List
}

func (f *finder) path(path string) error {
	if name, ok := strings.CutPrefix(path, builtinPrefix); ok {
		return f.builtin(name)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return reason(err)
	case info.IsDir():
		return f.folder(path)
	}
	base, ok := cutExtension(path)
	if !ok {
		return errors.New("use a folder, a .yaml file or " + builtinPrefix + "NAME")
	}
	f.pair(strings.TrimSuffix(base, suiteSuffix))
	return nil
}

func (f *finder) builtin(name string) error {
	if _, err := Builtin(name); err != nil {
		return err
	}
	t := Target{Policy: builtinPrefix + name}
	if f.seen[t.Policy] {
		return nil
	}
	f.seen[t.Policy] = true
	if file, ok := builtinSuite(name); ok {
		t.Suite = f.read(file)
	}
	f.targets = append(f.targets, t)
	return nil
}

func (f *finder) folder(root string) error {
	found := false
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return reason(err)
		}
		hidden := strings.HasPrefix(d.Name(), ".") && path != root
		switch {
		case d.IsDir() && hidden:
			return filepath.SkipDir
		case d.IsDir() || hidden:
			return nil
		}
		if base, ok := cutExtension(path); ok {
			found = true
			f.pair(strings.TrimSuffix(base, suiteSuffix))
		}
		return nil
	})
	if err == nil && !found {
		err = errors.New("the folder holds neither policies nor test files: it needs a *.yaml file")
	}
	return err
}

// pair lists the policy and the suite that share a base name.
func (f *finder) pair(base string) {
	base = filepath.Clean(base)
	if strings.HasPrefix(base, builtinPrefix) {
		base = "./" + base
	}
	if f.seen["file "+base] {
		return
	}
	f.seen["file "+base] = true
	var t Target
	for _, extension := range []string{".yaml", ".yml"} {
		if path := base + extension; t.Policy == "" && isFile(path) {
			t.Policy = path
		}
		path := base + suiteSuffix + extension
		if !isFile(path) {
			continue
		}
		switch file, err := open(path); {
		case err != nil:
			f.problems = append(f.problems, diag.Problem{File: path, Message: err.Error()})
		case t.Suite != nil:
			f.problems = append(f.problems, diag.Problem{File: path, Message: "this suite has two files, .yaml and .yml: keep one"})
		default:
			t.Suite = f.read(file)
		}
	}
	if t.Policy != "" || t.Suite != nil {
		f.targets = append(f.targets, t)
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func (f *finder) read(file File) *Suite {
	s, err := ParseSuite(file)
	var problems diag.List
	if errors.As(err, &problems) {
		f.problems = append(f.problems, problems...)
	}
	return s
}
