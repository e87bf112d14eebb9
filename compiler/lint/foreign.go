package lint

import (
	"fmt"
	"regexp"
)

// Foreign names what in a pattern another language would take for special and
// this one takes as it stands: a class, alternatives, an anchor. It is "" when
// there is nothing of the kind. marks says that a question mark is such a thing.
func Foreign(pattern string, marks bool) string {
	for _, p := range foreign {
		if m := p.form.FindString(pattern); m != "" && (p.what != aMark || marks) {
			return fmt.Sprintf("%q isn't %s here: it only matches itself", m, p.what)
		}
	}
	return ""
}

const aMark = "any one character"

var foreign = []struct {
	form *regexp.Regexp
	what string
}{
	{regexp.MustCompile(`^\^`), "the beginning"},
	{regexp.MustCompile(`[^$\s]\$$`), "the end"},
	{regexp.MustCompile(`\\[dwsbDWSB][+*]?`), "a class of characters"},
	{regexp.MustCompile(`\.\+`), "any text"},
	{regexp.MustCompile(`\[[^\]\s]+\]`), "a class of characters"},
	{regexp.MustCompile(`\{[^{}\s]*,[^{}\s]*\}`), "a choice"},
	{regexp.MustCompile(`\([^()\s]*\|[^()\s]*\)`), "a choice"},
	{regexp.MustCompile(`[^/:?&=\s]*\?[^=&\s]*`), aMark},
}

// route is a name in brackets that frameworks give to the folders and files of
// routes, as in app/[id]/page.tsx.
var route = regexp.MustCompile(`(^|/)(\[\[?(?:\.\.\.)?[A-Za-z][A-Za-z0-9_]+\]?\])(\.[a-z]+)?(/|$)`)

// Route is the name in brackets that a path pattern has for a whole name, "" when it
// has none. To languages with classes it is one character.
func Route(pattern string) string {
	if m := route.FindStringSubmatch(pattern); m != nil {
		return m[2]
	}
	return ""
}

// WithoutRoutes is the pattern without such names.
func WithoutRoutes(pattern string) string { return route.ReplaceAllString(pattern, "$1$3$4") }
