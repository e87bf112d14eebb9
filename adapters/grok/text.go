package grok

import (
	"strings"

	"github.com/go-json-experiment/json"
)

// quote writes a path as one word of a shell.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-~<>@%+,", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// looseDecode reads the arguments that it knows and leaves the others alone:
// tools have arguments that don't matter here.
func looseDecode(b []byte, v any) error { return json.Unmarshal(b, v) }
