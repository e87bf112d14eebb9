package policies

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/modegate/modegate/internal/diag"
)

// Load reads policies from disk, as layers in the order given, base first. Each
// path is a file, a folder (its *.yaml and *.yml files in byte order of name,
// without tests, *_test.yaml, and names that begin with a dot), or builtin/NAME;
// ./builtin/NAME is a path. The first file may extend a built-in policy or a
// file, named relative to its own folder. The error is a [diag.List]: of every
// path that can't be read, or else of every problem of every file.
func Load(paths ...string) (*Policy, error) {
	var files []File
	var problems diag.List
	for _, path := range paths {
		names, err := list(path)
		if err != nil {
			problems = append(problems, diag.Problem{File: path, Message: err.Error()})
		}
		for _, name := range names {
			f, err := open(name)
			if err != nil {
				problems = append(problems, diag.Problem{File: name, Message: err.Error()})
			}
			files = append(files, f)
		}
	}
	if err := problems.Err(); err != nil {
		return nil, err // a policy with files missing is no policy to judge
	}
	return parse(files, openRelative)
}

// Each lists the policies that a path stands for, each as the paths that [Load]
// takes. A folder of which every file has a name of its own holds as many
// policies; the files of any other are the layers of one. The error is about a
// path that can't be read.
func Each(path string) ([][]string, error) {
	names, err := list(path)
	if err != nil {
		return nil, err
	}
	var each [][]string
	for _, name := range names {
		f, err := open(name)
		if err != nil {
			return nil, err
		}
		if len(names) > 1 && !named(f) {
			return [][]string{{path}}, nil
		}
		each = append(each, []string{name})
	}
	return each, nil
}

var nameLine = regexp.MustCompile(`(?m)^name:`)

// named reports whether a file gives its policy a name, as far as can be seen in
// one that is broken.
func named(f File) bool { return nameLine.Match(f.Data) || readLayer(f, true).policy.Name != "" }

// list names the files that a path stands for.
func list(path string) ([]string, error) {
	if strings.HasPrefix(path, builtinPrefix) {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, reason(err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, reason(err)
	}
	var names []string
	for _, e := range entries {
		if isPolicyName(e.Name()) && !e.IsDir() {
			names = append(names, filepath.Join(path, e.Name()))
		}
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("the folder holds no policy: it needs a *.yaml file that isn't a test (*_test.yaml)")
	case len(names) > maxLayers:
		return nil, errors.New(tooManyFiles)
	}
	slices.Sort(names)
	return names, nil
}

func isPolicyName(name string) bool {
	base, ok := cutExtension(name)
	return ok && !strings.HasPrefix(name, ".") && !strings.HasSuffix(base, suiteSuffix)
}

func cutExtension(name string) (string, bool) {
	if base, ok := strings.CutSuffix(name, ".yaml"); ok {
		return base, true
	}
	return strings.CutSuffix(name, ".yml")
}

// open reads builtin/NAME, or as much of a file as is needed to see that it is
// too large.
func open(path string) (File, error) {
	if name, ok := strings.CutPrefix(path, builtinPrefix); ok {
		return Builtin(name)
	}
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

// openRelative finds what the file called from extends.
func openRelative(from, ref string) (File, error) {
	if strings.HasPrefix(ref, builtinPrefix) {
		return open(ref)
	}
	if _, ok := cutExtension(ref); !ok || filepath.IsAbs(ref) {
		return File{}, errors.New("use " + builtinPrefix + "NAME, or the path of a .yaml file, relative to this one")
	}
	path := filepath.Join(filepath.Dir(from), filepath.FromSlash(ref))
	if strings.HasPrefix(path, builtinPrefix) {
		path = "./" + path
	}
	return open(path)
}

// displayName is the path as it was given. A file that is called like a built-in
// policy's gets a ./, so that no place is ambiguous.
func displayName(path string) string {
	base, _ := cutExtension(path)
	if slices.Contains(BuiltinNames(), strings.TrimSuffix(base, suiteSuffix)) {
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
