package policies

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modegate/modegate/internal/diag"
)

// Load reads policies from disk, as layers in the order given, base first. Each
// path is a file, a folder (its *.yaml and *.yml files in byte order of name,
// without tests, *_test.yaml, and names that begin with a dot), or builtin/NAME;
// ./builtin/NAME is a path. The first file may extend a built-in policy or a
// file, named relative to its own folder. The error is a [diag.List] of every
// problem of every file.
func Load(paths ...string) (*Policy, error) {
	var files []File
	var problems diag.List
	for _, path := range paths {
		found, err := find(path)
		if err != nil {
			problems = append(problems, diag.Problem{File: path, Message: err.Error()})
		}
		files = append(files, found...)
	}
	if len(problems) > 0 && len(files) == 0 {
		return nil, problems.Err()
	}
	p, err := parse(files, openRelative)
	var more diag.List
	if errors.As(err, &more) {
		problems = append(problems, more...)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// find reads the files that a path names.
func find(path string) ([]File, error) {
	if name, ok := strings.CutPrefix(path, builtinPrefix); ok {
		f, err := Builtin(name)
		if err != nil {
			return nil, err
		}
		return []File{f}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, reason(err)
	}
	if !info.IsDir() {
		f, err := readFile(path)
		if err != nil {
			return nil, err
		}
		return []File{f}, nil
	}
	return readFolder(path)
}

func readFolder(folder string) ([]File, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, reason(err)
	}
	var names []string
	for _, e := range entries {
		if isPolicyName(e.Name()) && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, errors.New("the folder holds no policy: it needs a *.yaml file that isn't a test (*_test.yaml)")
	}
	slices.Sort(names)
	var files []File
	var failed error
	for _, name := range names {
		f, err := readFile(filepath.Join(folder, name))
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		files = append(files, f)
	}
	return files, failed
}

func isPolicyName(name string) bool {
	base, ok := cutExtension(name)
	return ok && !strings.HasPrefix(name, ".") && !strings.HasSuffix(base, "_test")
}

func cutExtension(name string) (string, bool) {
	if base, ok := strings.CutSuffix(name, ".yaml"); ok {
		return base, true
	}
	return strings.CutSuffix(name, ".yml")
}

// readFile reads as much of a file as is needed to see that it is too large.
func readFile(path string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return File{}, reason(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err != nil {
		return File{}, reason(err)
	}
	return File{Name: displayName(path), Data: data}, nil
}

// displayName is the path as it was given. A file that is called like a built-in
// policy's gets a ./, so that no place is ambiguous.
func displayName(path string) string {
	base, _ := cutExtension(path)
	if slices.Contains(BuiltinNames(), base) {
		return "./" + path
	}
	return path
}

// reason drops what the place of the problem says already.
func reason(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// openRelative finds what a file extends.
func openRelative(from, ref string) (File, error) {
	if name, ok := strings.CutPrefix(ref, builtinPrefix); ok {
		return Builtin(name)
	}
	if _, ok := cutExtension(ref); !ok || filepath.IsAbs(ref) {
		return File{}, errors.New("use " + builtinPrefix + "NAME, or the path of a .yaml file, relative to this one")
	}
	f, err := readFile(filepath.Join(filepath.Dir(from), filepath.FromSlash(ref)))
	if err != nil {
		return File{}, err
	}
	return f, nil
}
