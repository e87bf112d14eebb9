package policies

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/modegate/modegate/evaluator"
)

// maxFileSize is how many bytes a policy file may have.
const maxFileSize = 1 << 20

// checkText refuses what can't be shown to a reviewer as it will be read, before
// any YAML is looked at. It returns false when there is no use in going on.
func (r *Reader) checkText(f File) bool {
	whole := evaluator.Source{File: f.Name}
	switch {
	case len(f.Data) > maxFileSize:
		r.Refuse(whole, "the file is larger than 1 MiB (%d bytes): split it", maxFileSize)
		return false
	case hasPrefix(f.Data, "\xff\xfe", "\xfe\xff"), len(f.Data) > 1 && (f.Data[0] == 0 || f.Data[1] == 0):
		r.Refuse(whole, "the file isn't UTF-8 (it looks like UTF-16): save it as UTF-8")
		return false
	case hasPrefix(f.Data, "\xef\xbb\xbf"):
		r.Refuse(evaluator.Source{File: f.Name, Line: 1, Column: 1}, "the file begins with a byte order mark: save it as UTF-8 without one")
		return false
	}
	return r.checkCharacters(f) && r.checkDirectives(f)
}

func hasPrefix(data []byte, prefixes ...string) bool {
	for _, p := range prefixes {
		if bytes.HasPrefix(data, []byte(p)) {
			return true
		}
	}
	return false
}

// checkCharacters refuses control and format characters, the invisible ones that
// change the order of what is shown among them, and the line ends that only some
// readers know.
func (r *Reader) checkCharacters(f File) bool {
	at := evaluator.Source{File: f.Name, Line: 1}
	fine := true
	for rest := f.Data; len(rest) > 0; {
		c, size := utf8.DecodeRune(rest)
		at.Column++
		switch {
		case c == '\n':
			at.Line, at.Column = at.Line+1, 0
		case c == utf8.RuneError && size == 1:
			r.Refuse(at, "the byte 0x%02x isn't UTF-8: save the file as UTF-8", rest[0])
			return false // the other bytes are the same mistake
		case c == '\r' && len(rest) > 1 && rest[1] == '\n' || c == '\t':
		case invisible(c):
			r.Refuse(at, "the file has the invisible character %U here: remove it, or write it as an escape in double quotes", c)
			fine = false
		}
		rest = rest[size:]
	}
	return fine
}

// invisible reports characters that a reviewer can't see.
func invisible(c rune) bool {
	return unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// checkDirectives refuses %YAML and %TAG: they change how the rest is read.
func (r *Reader) checkDirectives(f File) bool {
	line := 0
	for text := range bytes.Lines(f.Data) {
		line++
		text = bytes.TrimSpace(text)
		switch {
		case len(text) == 0 || text[0] == '#':
		case text[0] == '%':
			r.Refuse(evaluator.Source{File: f.Name, Line: line, Column: 1}, "the language has no YAML directives: remove the line")
			return false
		default:
			return true
		}
	}
	return true
}
