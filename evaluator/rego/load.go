package rego

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/modegate/modegate/internal/diag"
)

// The limits of one folder.
const (
	maxFiles = 500
	maxFile  = 1 << 20 // bytes
)

// Source is a folder of Rego: its *.rego files, those of its folders included.
// Names that begin with a dot are left out, and tests (*_test.rego).
type Source struct {
	Name  string // as messages show it, before the files' own names
	Files fs.FS
}

// Folder is a folder on disk.
func Folder(dir string) Source { return Source{dir, os.DirFS(dir)} }

// folder is a Source, read.
type folder struct {
	name    string // of the last source
	texts   diag.Files
	modules map[string]*ast.Module // by file
	order   []string
	from    map[string]string // the name of a file's source
	digest  string
	found   diag.List // what is wrong so far
}

// read reads and parses every file of the sources. What is wrong with one file
// doesn't keep the others from being read.
func read(sources ...Source) *folder {
	f := &folder{texts: diag.Files{}, modules: map[string]*ast.Module{}, from: map[string]string{}}
	sum := sha256.New()
	for _, src := range sources {
		f.name = src.Name
		err := fs.WalkDir(src.Files, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				f.refuse(shown(src, name), "%s", reason(err))
				return nil
			case name != "." && strings.HasPrefix(path.Base(name), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			case d.IsDir():
				return nil
			}
			text := f.file(src, name)
			if text != nil {
				fmt.Fprintf(sum, "%q %d\n", name, len(text))
				sum.Write(text)
			}
			return nil
		})
		if err != nil {
			f.refuse(src.Name, "%s", reason(err))
		}
	}
	f.digest = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	return f
}

// shown is a file's name in messages.
func shown(src Source, name string) string {
	if name == "." {
		return src.Name
	}
	return filepath.ToSlash(filepath.Join(src.Name, name))
}

// reason is an error about a file without the file's name.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

func (f *folder) refuse(file, format string, args ...any) {
	f.found = append(f.found, diag.Problem{File: file, Message: fmt.Sprintf(format, args...)})
}

// dataFiles are what opa loads as data beside Rego. Rego that counts on it would
// be undefined here.
var dataFiles = []string{".json", ".yaml", ".yml"}

// file reads and parses one file; nil when it isn't Rego or is a test.
func (f *folder) file(src Source, name string) []byte {
	at := shown(src, name)
	for _, ext := range dataFiles {
		if path.Ext(name) == ext {
			f.refuse(at, "data files aren't read: write what it holds as Rego")
			return nil
		}
	}
	if info, err := fs.Stat(src.Files, name); err == nil && info.IsDir() {
		f.refuse(at, "a link to a folder isn't followed: put the files here")
		return nil
	}
	if path.Ext(name) != ".rego" || strings.HasSuffix(name, "_test.rego") {
		return nil
	}
	if len(f.order) == maxFiles {
		f.refuse(at, "more than %d files", maxFiles)
		return nil
	}
	text, err := readFile(src.Files, name)
	if err != nil {
		f.refuse(at, "%s", reason(err))
		return nil
	}
	f.texts.Add(at, text)
	f.order = append(f.order, at)
	f.from[at] = src.Name
	m, err := ast.ParseModuleWithOpts(at, string(text), ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
	if err != nil {
		f.found = append(f.found, f.problems(err, at)...)
		return text
	}
	f.modules[at] = m
	return text
}

func readFile(files fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(files, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it isn't a regular file")
	}
	r, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("larger than %d bytes", maxFile)
	}
	return text, err
}

// problems are OPA's errors with their places. An error without one is about at.
func (f *folder) problems(err error, at string) diag.List {
	var list ast.Errors
	var one *ast.Error
	switch {
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = ast.Errors{one}
	default:
		return diag.List{{File: at, Message: err.Error()}}
	}
	var out diag.List
	for _, e := range list {
		p := diag.Problem{File: at, Message: e.Message}
		if l := e.Location; l != nil && l.Row > 0 {
			p.File, p.Line, p.Column = l.File, l.Row, l.Col
		}
		if n := len(out); n > 0 && out[n-1].Place() == p.Place() {
			continue // the parser's second guess
		}
		out = append(out, p)
	}
	return out
}

// at is a problem at a place.
func at(l *ast.Location, format string, args ...any) diag.Problem {
	return diag.Problem{File: l.File, Line: l.Row, Column: l.Col, Message: fmt.Sprintf(format, args...)}
}

// err is what is wrong with the folder, with the lines that it is about.
func (f *folder) err() error { return f.texts.Show(f.found).Err() }
