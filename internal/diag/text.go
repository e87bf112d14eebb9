package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Files holds the lines of the files that Problems speak of, by file name.
type Files map[string][]string

// Add keeps the lines of one file. Bytes that aren't UTF-8 are replaced.
func (f Files) Add(name string, data []byte) { f[name] = Lines(data) }

// Show returns the problems with the lines that they speak of. A place behind
// the end of its file becomes the end of the file.
func (f Files) Show(l List) List {
	out := make(List, len(l))
	for i, p := range l {
		lines := f[p.File]
		if p.Line > len(lines) && len(lines) > 0 {
			p.Line = len(lines)
			p.Column = 1 + utf8.RuneCountInString(lines[p.Line-1])
		}
		if p.Line > 0 && p.Line <= len(lines) {
			p.Text = lines[p.Line-1]
		}
		out[i] = p
	}
	return out
}

// Lines splits a text into lines, without their endings (LF or CR LF). A text
// that ends with a line ending has no empty line after it. Bytes that aren't
// UTF-8 are replaced.
func Lines(data []byte) []string {
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// The characters that are shown before and after the column of a long line.
const shownBefore, shownAfter = 100, 60

// excerpt returns the part of a line around a column, fit for a terminal, and
// the blanks that stand under what precedes the column. Tabs stay tabs, so that
// the caret stands under its character whatever a tab's width is; a character
// that takes two cells gets two blanks, one that takes none gets none.
func excerpt(line string, column int) (text, indent string) {
	var shown, blanks strings.Builder
	at := 0
	for _, r := range line {
		at++
		switch {
		case at < column-shownBefore:
			continue
		case at == column-shownBefore && at > 1:
			shown.WriteRune('…')
			blanks.WriteByte(' ')
			continue
		case at > column+shownAfter:
			shown.WriteRune('…')
			return shown.String(), blanks.String()
		}
		r = plain(r)
		shown.WriteRune(r)
		if at < column {
			blanks.WriteString(blank(r))
		}
	}
	return shown.String(), blanks.String()
}

// Plain replaces what could move the cursor or change the colours of the terminal
// that shows a text. Line ends and tabs stay.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return plain(r)
	}, s)
}

func plain(r rune) rune {
	if r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
		return '\uFFFD'
	}
	return r
}

func blank(r rune) string {
	switch {
	case r == '\t':
		return "\t"
	case unicode.In(r, unicode.Mn, unicode.Me):
		return ""
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return "  "
	}
	return " "
}
