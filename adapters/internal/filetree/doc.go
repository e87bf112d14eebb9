// Package filetree owns the reading of the settings files that people keep: JSON,
// JSON with comments, and TOML become trees whose every value has its place, so
// that whatever is said of a file names the line.
//
// A text that isn't in the file's format is refused with its place, and so is a
// name that stands twice in one object: real agents drop a file that they can't
// read, or the first of two values, in silence.
package filetree

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// Limits of what is read at all.
const (
	maxSize  = 1 << 20 // bytes
	maxDepth = 200
)

// text is a file while it is read. Places are counted from byte offsets.
type text struct {
	policies.Reader
	name  string
	data  []byte
	lines []int // the offset of each line's beginning
}

// newText takes a byte order mark away and refuses what is oversized or not UTF-8.
func newText(name string, data []byte) (*text, bool) {
	t := &text{name: name, data: bytes.TrimPrefix(data, []byte("\ufeff")), lines: []int{0}}
	for i, b := range t.data {
		if b == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	switch {
	case len(data) > maxSize:
		t.Refuse(evaluator.Source{File: name}, "the file is larger than 1 MiB: that isn't read")
	case !utf8.Valid(t.data):
		bad := 0
		for r, size := utf8.DecodeRune(t.data); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(t.data[bad:]) {
			bad += size
		}
		t.refuse(bad, "the byte 0x%02x isn't UTF-8", t.data[bad])
	}
	return t, len(t.Problems) == 0
}

// place is where an offset lies. Columns count characters.
func (t *text) place(offset int) evaluator.Source {
	offset = min(max(offset, 0), len(t.data))
	line := len(t.lines)
	for lo := 0; lo < line; {
		if mid := (lo + line) / 2; t.lines[mid] <= offset {
			lo = mid + 1
		} else {
			line = mid
		}
	}
	column := 1 + utf8.RuneCount(t.data[t.lines[line-1]:offset])
	return evaluator.Source{File: t.name, Line: line, Column: column}
}

func (t *text) refuse(offset int, format string, args ...any) {
	t.Refuse(t.place(offset), format, args...)
}

// done returns the tree, or the problems with the lines that they are about.
func (t *text) done(n *policies.Node) (*policies.Node, error) {
	files := diag.Files{}
	files.Add(t.name, t.data)
	if err := files.Show(t.Problems).Err(); err != nil {
		return nil, err
	}
	return n, nil
}

// Places lists where the values of a tree stand, by JSON Pointer (RFC 6901).
func Places(root *policies.Node) map[string]evaluator.Source {
	out := map[string]evaluator.Source{}
	var walk func(pointer string, n *policies.Node)
	walk = func(pointer string, n *policies.Node) {
		out[pointer] = n.Source
		for _, f := range n.Fields {
			walk(Pointer(pointer, f.Name), f.Value)
		}
		for i, item := range n.Items {
			walk(fmt.Sprint(pointer, "/", i), item)
		}
	}
	if root != nil {
		walk("", root)
	}
	return out
}

// Pointer is the JSON Pointer of an object's member.
func Pointer(object, name string) string { return object + "/" + token.Replace(name) }

var token = strings.NewReplacer("~", "~0", "/", "~1")
