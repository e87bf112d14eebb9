package policies

import (
	"regexp"
	"strings"
)

// oddWords are plain scalars that a reader of YAML 1.1 or 1.2 takes for
// something else than a text, in lower case.
var oddWords = map[string]string{
	"": "nothing", "~": "nothing", "null": "nothing",
	"true": "true", "yes": "true", "on": "true", "y": "true",
	"false": "false", "no": "false", "off": "false", "n": "false",
	"<<": "a merge key", "=": "a default value",
}

// oddForms are the notations of YAML 1.1, YAML 1.2 and their readers, taken
// generously: a text that only looks like a number is safe in quotes as well.
var oddForms = []struct {
	what string
	form *regexp.Regexp
}{
	{"a number", regexp.MustCompile(`(?i)^[-+]?(0b[01_]+|0o?[0-7_]+|0x[0-9a-f_]+|[0-9][0-9_,]*(\.[0-9_]*)?(e[-+]?[0-9]+)?|\.[0-9][0-9_]*(e[-+]?[0-9]+)?|\.inf)$`)},
	{"a number", regexp.MustCompile(`(?i)^\.nan$`)},
	{"a time", regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)},
	{"a date", regexp.MustCompile(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?$`)},
}

// odd says what else than a text a reader may take a plain scalar for, or "".
// The tag is what yaml.v3 takes it for.
func odd(text, tag string) string {
	if what, ok := oddWords[strings.ToLower(text)]; ok {
		return what
	}
	for _, f := range oddForms {
		if f.form.MatchString(text) {
			return f.what
		}
	}
	if tag != "!!str" {
		return "a value of type " + strings.TrimPrefix(tag, "!!")
	}
	return ""
}
