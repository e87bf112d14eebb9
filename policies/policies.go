package policies

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
)

// File is one policy file.
type File struct {
	Name string // as places show it
	Data []byte
}

// The limits of one policy, all its layers together.
const (
	maxRules  = 10_000
	maxLayers = 100

	tooManyFiles = "the policy has more than 100 files: join some"
)

// Parse reads the files as the layers of one policy, base first. The first one
// may extend a built-in policy; nothing is read from disk. The error is a
// [diag.List] of every problem of every file.
func Parse(files ...File) (*Policy, error) {
	return parse(files, func(_, ref string) (File, error) {
		if name, ok := strings.CutPrefix(ref, builtinPrefix); ok {
			return Builtin(name)
		}
		return File{}, errors.New("only a policy that is loaded from disk can extend a file: use " + builtinPrefix + "NAME")
	})
}

// opener finds the file that the file called from extends.
type opener func(from, ref string) (File, error)

// set collects the layers of one policy and their problems.
type set struct {
	open     opener
	layers   []*layer
	rules    int
	problems diag.List
	files    diag.Files
	full     bool
}

func parse(files []File, open opener) (*Policy, error) {
	s := &set{open: open, files: diag.Files{}}
	if len(files) == 0 {
		s.refuse(diag.Problem{Message: "no policy file is given"})
	}
	for i, f := range files {
		s.read(f, i == 0)
	}
	p := &Policy{
		Modes:        map[evaluator.Mode]ModePolicy{},
		Interactions: map[evaluator.Interaction][]Rule{},
		Profiles:     map[evaluator.Provider]*Node{},
		files:        s.files,
	}
	for _, l := range s.layers {
		p.Files = append(p.Files, l.File.Name)
		p.add(l)
	}
	p.Digest = digest(s.layers)
	s.problems = append(s.problems, p.nameRules()...)
	if err := s.files.Show(s.problems).Err(); err != nil {
		return nil, err
	}
	return p, nil
}

func (s *set) refuse(p diag.Problem) { s.problems = append(s.problems, p) }

// read reads a file, and before it the one that it extends. The first file of a
// policy needs a name, and it alone may extend another.
func (s *set) read(f File, first bool) {
	switch {
	case s.full:
		return
	case len(s.files) == maxLayers:
		s.full = true
		s.refuse(diag.Problem{File: f.Name, Message: tooManyFiles})
		return
	}
	if _, ok := s.files[f.Name]; ok {
		s.refuse(diag.Problem{File: f.Name, Message: "the file is given twice: give it once"})
		return
	}
	// The text is kept only where it can be shown.
	s.files.Add(f.Name, f.Data[:min(len(f.Data), maxFileSize)])
	l := readLayer(f, first)
	if l.extends != "" {
		s.extend(l, first)
	}
	s.count(l)
	s.problems = append(s.problems, l.Problems...)
	s.layers = append(s.layers, l)
}

func (s *set) extend(l *layer, first bool) {
	if !first {
		l.Refuse(l.extendsAt, "only the first file of a policy may extend another: remove it, or load this file by itself")
		return
	}
	base, err := s.open(l.File.Name, l.extends)
	if err != nil {
		l.Refuse(l.extendsAt, "can't extend %q: %s", show(l.extends), err)
		return
	}
	if _, ok := s.files[base.Name]; ok {
		l.Refuse(l.extendsAt, "can't extend %q: %s is already part of the policy", show(l.extends), base.Name)
		return
	}
	s.read(base, true)
}

// count refuses a policy with too many rules, once.
func (s *set) count(l *layer) {
	lists := [][]Rule{l.policy.Rules}
	for _, m := range evaluator.Modes() {
		lists = append(lists, l.policy.Modes[m].Rules)
	}
	for _, i := range evaluator.Interactions() {
		lists = append(lists, l.policy.Interactions[i])
	}
	for _, rules := range lists {
		for _, rule := range rules {
			if s.rules++; s.rules == maxRules+1 {
				l.Refuse(rule.Source, "the policy has more than %d rules: remove some", maxRules)
			}
		}
	}
}

// digest covers the layers' bytes, each after its length, so that no two
// different sequences of layers are the same bytes.
func digest(layers []*layer) string {
	h := sha256.New()
	for _, l := range layers {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(l.Data)))
		h.Write(size[:])
		h.Write(l.Data)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
