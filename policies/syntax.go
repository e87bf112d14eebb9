package policies

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/modegate/modegate/evaluator"
)

// maxSearched is the size up to which a syntax error's line is searched for, and
// maxTries how often the text may be read for it.
const (
	maxSearched = 1 << 17
	maxTries    = 64
)

var syntaxLine = regexp.MustCompile(`^line ([0-9]+): `)

// syntaxAdvice says what to do about yaml.v3's messages, by their beginnings.
var syntaxAdvice = []struct{ message, advice string }{
	{"found character that cannot start any token", "indent with spaces, and put a text that begins with @ or ` in quotes"},
	{"mapping values are not allowed", "give each line of a mapping the same indent, and put a text that holds a colon in quotes"},
	{"did not find expected ',' or", "close the bracket, and put a text that holds a colon or a bracket in quotes"},
	{"did not find expected alphabetic or numeric character", "put a text that begins with * or & in quotes"},
	{"did not find expected node content", "close the bracket, or write the value"},
	{"did not find expected", "give each line of a block the same indent"},
	{"could not find expected ':'", "write KEY: VALUE"},
	{"found unexpected end of stream", "close the quote"},
	{"found unknown escape character", "use single quotes, or two backslashes for one"},
}

// syntaxMessage is yaml.v3's text without its own name and line, and what to do.
func syntaxMessage(err error) string {
	message := syntaxLine.ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "")
	for _, a := range syntaxAdvice {
		if strings.HasPrefix(message, a.message) {
			return message + ": " + a.advice
		}
	}
	return message
}

// syntaxPlace finds the place of a syntax error. yaml.v3 names the line where
// the surrounding block begins, or one beside the error, or none; the line after
// the longest beginning of the file that is still YAML is the one to look at.
func syntaxPlace(f File, err error) evaluator.Source {
	at := evaluator.Source{File: f.Name, Line: 1}
	if m := syntaxLine.FindStringSubmatch(strings.TrimPrefix(err.Error(), "yaml: ")); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			at.Line = max(1, n)
		}
	}
	lines := bytes.SplitAfter(f.Data, []byte("\n"))
	if len(f.Data) <= maxSearched {
		at.Line = firstBad(lines)
	}
	at.Line = min(at.Line, len(lines))
	text := lines[at.Line-1]
	at.Column = 1 + len(text) - len(bytes.TrimLeft(text, " \t"))
	return at
}

// firstBad returns the 1-based number of the line after the longest beginning
// that reads well. A beginning may also be bad because a bracket or a quote is
// still open in it: so after each halving it looks a little further on.
func firstBad(lines [][]byte) int {
	ends := make([]int, len(lines)+1)
	for i, line := range lines {
		ends[i+1] = ends[i] + len(line)
	}
	whole := bytes.Join(lines, nil)
	tries := 0
	reads := func(n int) bool {
		tries++
		return readsWell(whole[:ends[n]])
	}
	good, bad := 0, len(lines)
	for tries < maxTries {
		for bad-good > 1 && tries < maxTries {
			if middle := (good + bad) / 2; reads(middle) {
				good = middle
			} else {
				bad = middle
			}
		}
		next := good + 2
		for next < len(lines) && tries < maxTries && !reads(next) {
			next++
		}
		if next >= len(lines) || tries >= maxTries {
			break
		}
		good, bad = next, len(lines)
	}
	return good + 1
}

func readsWell(data []byte) bool {
	d := yaml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := decode(d); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}
