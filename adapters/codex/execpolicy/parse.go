package execpolicy

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// File is one rule file.
type File struct {
	Name string
	Text string
}

// Error is what is wrong with a rule file. One broken file makes Codex drop the
// rules of all: the thread then runs without any.
type Error struct {
	File    string
	Line    int // 1-based; 0 when the whole file is meant
	Column  int
	Message string
	// Unread says that Codex may well accept the file: it uses a part of Codex's
	// Starlark that isn't read here (f-strings, type annotations, recursion), or
	// is longer or runs longer than we follow.
	Unread bool
	// Fatal says that Codex starts no thread beside the file, instead of one
	// without rules: it isn't UTF-8 (measured on 0.171.0's app-server).
	Fatal bool
}

// Error writes file:line:column: message.
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.File + ": " + e.Message
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// What a file may cost. A rule file is a list; Codex itself has no bounds.
const (
	maxSteps = 1_000_000
	maxBytes = 1 << 20
)

// options are those of Codex's Starlark, but for recursion, which could exhaust
// the stack.
var options = &syntax.FileOptions{TopLevelControl: true, GlobalReassign: true}

// Parse runs the files in order and unites their rules. The error, of type
// *Error, is the first one that Codex meets.
func Parse(files ...File) (*Policy, error) {
	b := &builder{policy: &Policy{Hosts: map[string][]string{}}}
	for _, f := range files {
		if err := b.run(f); err != nil {
			return nil, err
		}
	}
	return b.policy, nil
}

// builder collects what the calls of a file say.
type builder struct {
	policy   *Policy
	examples []example
	text     string // of the file that runs
}

func (b *builder) run(f File) error {
	if len(f.Text) > maxBytes {
		return &Error{File: f.Name, Message: "the file is too long to be read", Unread: true}
	}
	if !utf8.ValidString(f.Text) {
		return notUTF8(f)
	}
	program, err := compile(f)
	if err != nil {
		return err
	}
	thread := &starlark.Thread{Name: f.Name, Load: func(_ *starlark.Thread, module string) (starlark.StringDict, error) {
		return nil, fmt.Errorf("load(%q): rule files can't load others", module)
	}}
	thread.SetMaxExecutionSteps(maxSteps)
	b.examples, b.text = nil, f.Text
	if _, err := program.Init(thread, b.globals()); err != nil {
		return runError(f.Name, err)
	}
	return b.checkExamples()
}

// notUTF8 speaks of the first byte that is no part of a character.
func notUTF8(f File) *Error {
	line, column, rest := 1, 1, f.Text
	for {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == utf8.RuneError && size < 2:
			message := fmt.Sprintf("the byte 0x%02x isn't UTF-8", rest[0])
			return &Error{File: f.Name, Line: line, Column: column, Message: message, Fatal: true}
		case r == '\n':
			line, column = line+1, 1
		default:
			column++
		}
		rest = rest[size:]
	}
}

func compile(f File) (*starlark.Program, error) {
	file, err := options.Parse(f.Name, f.Text, 0)
	if err == nil && repeats(file) {
		return nil, &Error{File: f.Name, Message: "the file repeats a value with *: that isn't followed here", Unread: true}
	}
	var program *starlark.Program
	if err == nil {
		program, err = starlark.FileProgram(file, func(name string) bool { _, ok := builtins[name]; return ok })
	}
	if err == nil {
		return program, nil
	}
	out := &Error{File: f.Name, Message: err.Error()}
	var e syntax.Error
	if errors.As(err, &e) {
		out.Line, out.Column, out.Message = int(e.Pos.Line), int(e.Pos.Col), e.Msg
	} else if list := resolveErrors(err); list != nil {
		*out = *list
		out.File = f.Name
	}
	out.Unread = extended.MatchString(f.Text)
	return nil, out
}

// extended finds what Codex's Starlark has and this reader's hasn't: f-strings,
// and types of parameters and results.
var extended = regexp.MustCompile(`\bf["']|->|\bdef\s+\w+\([^)]*:`)

// repeats reports whether a file multiplies: a few characters could then ask for
// any amount of memory.
func repeats(file *syntax.File) bool {
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryExpr:
			found = found || n.Op == syntax.STAR
		case *syntax.AssignStmt:
			found = found || n.Op == syntax.STAR_EQ
		}
		return !found
	})
	return found
}

// runError turns a failure of a run into an Error at the innermost line of the
// file.
func runError(file string, err error) *Error {
	out := &Error{File: file, Message: err.Error()}
	var e *starlark.EvalError
	if errors.As(err, &e) {
		out.Message = e.Msg
		for _, frame := range e.CallStack {
			if frame.Pos.Filename() == file && frame.Pos.Line > 0 {
				out.Line, out.Column = int(frame.Pos.Line), int(frame.Pos.Col)
			}
		}
	}
	out.Unread = strings.Contains(out.Message, "called recursively") || strings.Contains(out.Message, "too many steps") || strings.Contains(out.Message, longRange)
	return out
}
