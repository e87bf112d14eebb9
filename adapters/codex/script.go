package codex

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// unit is one argv that rules and heuristics are asked about.
type unit []string

// split is how Codex reads a script that its shell tool is given.
type split struct {
	Plain bool   // every segment is a unit of its own
	Units []unit // of a script that isn't plain: the whole argv, as one
	Why   string // why it isn't plain
}

// splitScript takes a script apart as the live agent does before it asks the
// rules. Plain is: words joined by &&, ||, ;, | and newlines. Anything else makes
// the whole argv (shell, flag, script) one unit, which rules for the commands
// inside don't match: redirections, expansions, substitutions, globs, escapes,
// &, !, groups, control flow, assignments, declarations, comments, a quoted
// program word. Nested shells and wrappers (env, time, xargs) are plain and match
// as themselves.
//
// Codex reads with tree-sitter's grammar of Bash, which parts from Bash in
// corners, some of them everyday ones: a carriage return is a blank, and a
// continued line ends a word. So this reads as that grammar does. Measured on
// 0.171.0, 2026-12-01, with some 13,000 random scripts: an approval shows the words.
func splitScript(argv unit) split {
	p := plainReader{text: argv[len(argv)-1]}
	if strings.IndexByte(p.text, 0) >= 0 {
		p.refuse("a NUL character")
	}
	for p.why == "" && p.command() {
	}
	if p.why == "" && len(p.units) == 0 {
		p.why = "no command"
	}
	if p.why != "" {
		return split{Units: []unit{argv}, Why: p.why}
	}
	return split{Plain: true, Units: p.units}
}

// plainReader reads the words of plain commands until something isn't plain.
type plainReader struct {
	text  string
	at    int
	units []unit
	open  bool // the last operator needs a command behind it
	why   string
}

func (p *plainReader) refuse(why string) {
	if p.why == "" {
		p.why = why
	}
}

// command reads one command with the operator behind it, and reports whether
// there was one.
func (p *plainReader) command() bool {
	p.blanks(true)
	if p.at == len(p.text) {
		if p.open {
			p.refuse("an operator without a command")
		}
		return false
	}
	words := unit{p.program()}
	for p.why == "" {
		p.blanks(false)
		if operator := p.operator(); operator != "" {
			p.open = operator != ";"
			break
		}
		words = append(words, p.word())
	}
	p.units = append(p.units, words)
	return true
}

// operator passes what ends a command. The end of the script is a ";".
func (p *plainReader) operator() string {
	rest := p.text[p.at:]
	for _, o := range []string{"&&", "||", ";;", "|&", ";", "|", "&", "\n", ""} {
		if !strings.HasPrefix(rest, o) || o == "" && rest != "" {
			continue
		}
		p.at += len(o)
		switch o {
		case "\n", "":
			return ";"
		case ";;", "|&", "&":
			p.refuse("the operator " + o)
		}
		return o
	}
	return ""
}

// blanks passes what stands between words: blanks, escaped ones, and continued
// lines. Before a command newlines are blanks, too. That grammar doesn't read a
// script that ends in blanks of which one is escaped.
func (p *plainReader) blanks(newlines bool) {
	isEscaped := false
	for p.at < len(p.text) {
		n := 0
		switch c := p.text[p.at]; {
		case c == '\n' && (newlines || joined(p.text[p.at:])):
			n = 1
		case isBlank(c):
			n = 1
		case c == '\\':
			n = escapedBlank(p.text[p.at:])
			isEscaped = isEscaped || n > 0
		}
		if n == 0 {
			return
		}
		p.at += n
	}
	if isEscaped {
		p.refuse("an escape at the end")
	}
}

// joined reports whether a text of newlines goes on, right behind them, with an
// escaped blank or a continued line: that grammar takes those newlines for blanks,
// so that the command on the next line is one more argument of the one before.
func joined(s string) bool { return escapedBlank(strings.TrimLeft(s, "\n")) > 0 }

func isBlank(c byte) bool { return strings.IndexByte(" \t\v\f\r", c) >= 0 }

// escapedBlank is how long the escaped blank or the continued line is that a text
// begins with, 0 when it doesn't.
func escapedBlank(s string) int {
	for _, blank := range []string{"\\\n", "\\\r\n", "\\ ", "\\\t", "\\\v", "\\\f"} {
		if strings.HasPrefix(s, blank) {
			return len(blank)
		}
	}
	return 0
}

// keywords begin what is no plain command. Others, such as then, are words where
// nothing is open that they could close; so are time, let and coproc.
var keywords = []string{
	"if", "while", "until", "for", "select", "case", "function", "!",
	"declare", "typeset", "export", "readonly", "local", "unset", "unsetenv",
}

var (
	number   = regexp.MustCompile(`^-?(0x)?[0-9]+$`)
	variable = regexp.MustCompile(`^[\p{L}\p{M}\p{N}_]+([%@#]|\+?=)`)
)

// program reads the first word of a command: one without quotes, that is neither
// a keyword nor a number and doesn't begin as a variable does.
func (p *plainReader) program() string {
	start := p.at
	text := p.word()
	source := p.text[start:p.at]
	switch {
	case text != source:
		p.refuse("the program word " + source)
	case slices.Contains(keywords, text):
		p.refuse("the keyword " + text)
	case number.MatchString(text), variable.MatchString(text):
		p.refuse("the program word " + text)
	}
	return text
}

// word reads one word: pieces with and without quotes that follow each other.
func (p *plainReader) word() string {
	var b strings.Builder
	pieces := 0
	for ; p.why == "" && p.at < len(p.text); pieces++ {
		if pieces > 0 && p.ends() {
			break
		}
		start := p.at
		switch p.text[p.at] {
		case '\'':
			b.WriteString(p.quoted('\''))
		case '"':
			inside := p.quoted('"')
			if escaped(inside) || strings.ContainsAny(inside, "$`") {
				p.refuse("the word " + p.text[start:p.at])
			}
			b.WriteString(inside)
		default:
			bare := p.bare()
			if bare == "" || bare[0] == '=' || strings.ContainsAny(bare, "{}*?[]\\~^#$`<>()&") {
				p.refuse("the word " + bare + p.text[p.at:min(p.at+1, len(p.text))])
			}
			b.WriteString(bare)
		}
	}
	if pieces > 1 && b.Len() == 0 {
		p.refuse("a word of empty quotes")
	}
	return b.String()
}

// ends reports whether a word ends here, behind one of its pieces. Behind quotes
// that grammar takes more for a blank than in the middle of a piece.
func (p *plainReader) ends() bool {
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return isWide(r) || strings.ContainsRune(";|&\n", r) || r < utf8.RuneSelf && isBlank(byte(r)) || r == '\\' && escapedBlank(p.text[p.at:]) > 0
}

// isWide reports whether musl's iswspace, of the characters beyond ASCII, takes
// one for a blank.
func isWide(r rune) bool {
	return r == 0x85 || r >= 0x2000 && r <= 0x200a && r != 0x2007 || r == 0x2028 || r == 0x2029 || r == 0x205f || r == 0x3000
}

// bare reads a piece without quotes. An escape stays in it: it isn't plain.
func (p *plainReader) bare() string {
	start := p.at
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		if isBlank(c) || strings.IndexByte("\n'\";|&", c) >= 0 {
			break
		}
		if c != '\\' {
			continue
		}
		if n := escapedBlank(p.text[p.at:]); n > 0 && p.text[p.at+1] != ' ' {
			break
		}
		p.at++
		if p.at == len(p.text) {
			break
		}
	}
	return p.text[start:p.at]
}

// quoted reads what stands in quotes, which must be closed.
func (p *plainReader) quoted(quote byte) string {
	start := p.at + 1
	for i := start; i < len(p.text); i++ {
		switch {
		case p.text[i] == quote:
			p.at = i + 1
			return p.text[start:i]
		case quote == '"' && p.text[i] == '\\':
			i++
		}
	}
	p.at = len(p.text)
	p.refuse("an open quote")
	return ""
}

// escaped reports whether double-quoted text has an escape that the shell removes.
func escaped(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '\\' && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			return true
		}
	}
	return false
}
