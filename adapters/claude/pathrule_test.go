package claude

import (
	"strings"
	"testing"
)

// TestPathRules is the table of path patterns (measured on 2.1.332, 2026-11-30).
func TestPathRules(t *testing.T) {
	for _, c := range []struct {
		pattern, anchor, p string
		allow, deny        bool
	}{
		{"src/**", "", "/p/src/a", true, true},
		{"src/**", "", "/p/src", true, true},
		{"src/**", "", "/p/vendor/src/a", false, true},
		{"./src/**", "", "/p/src/a", true, true},
		{"src", "", "/p/vendor/src/a", true, true},
		{"src/", "", "/p/vendor/src/a", true, true},
		{"src/*", "", "/p/src/a/b", true, true},
		{"src/*", "", "/p/vendor/src/a", false, false},
		{"*.md", "", "/p/a/b.md", true, true},
		{"*.md", "", "/q/b.md", false, false},
		{".env", "", "/p/a/.env", true, true},
		{".ENV", "", "/p/.env", true, true},
		{"SRC/**", "", "/p/src/a", true, true},
		{"docs/*.md", "", "/p/docs/a.md", true, true},
		{"docs/*.md", "", "/p/docs/s/a.md", false, false},
		{"docs/**/*.md", "", "/p/docs/s/t/a.md", true, true},
		{"docs/**/*.md", "", "/p/docs/a.md", true, true},
		{"**/src/**", "", "/p/v/src/a", true, true},
		{"//abs/**", "", "/abs/x", true, true},
		{"//abs/**", "", "/abs", true, true},
		{"//abs/**", "", "/p/abs/x", false, false},
		{"//**", "", "/anything/x", true, true},
		{"~/docs/**", "", "/h/docs/x", true, true},
		{"~/docs/**", "", "/h/a/docs/x", false, false},
		{"/src/**", "", "/p/src/a", false, false},
		{"/src/**", "/p", "/p/src/a", true, true},
		{"/src/**", "/p", "/p/v/src/a", false, false},
		{"/p/src/**", "", "/p/src/a", false, false},
		{"../x/**", "", "/x/a", false, false},
		{"{a,b}/**", "", "/p/a/x", false, false},
		{"!src/**", "", "/p/a", false, false},
		{":*", "", "/p/a", false, false},
		{"src:*", "", "/p/src/a", false, false},
		{"[sd]*/**", "", "/p/docs/a", true, true},
		{"s?c/**", "", "/p/src/a", true, true},
		{"**", "", "/p/a/b", true, true},
		{"[", "", "/p/[", false, false},
		{`q\[1\]`, "", "/p/q[1]", true, true},
	} {
		s := &session{version: V332, cwd: "/p", home: "/h", dirs: []string{"/p"}}
		r := Rule{Tool: "Edit", Content: c.pattern, anchor: c.anchor}
		if got := s.matchPath(&r, c.p, true); got != c.allow {
			t.Errorf("allow %s covers %s: %v", c.pattern, c.p, got)
		}
		if got := s.matchPath(&r, c.p, false); got != c.deny {
			t.Errorf("deny %s covers %s: %v", c.pattern, c.p, got)
		}
	}
}

// FuzzIgnore holds what is true of every gitignore pattern: it never panics, a
// folder that matches takes what it holds with it, and case doesn't count.
func FuzzIgnore(f *testing.F) {
	for _, s := range []string{"src/**", "*.md", "**/a/**", "[a-z]", `\`, "/", "a/**/b", "!x", "{a,b}"} {
		f.Add(s, "src/a.md")
	}
	f.Fuzz(func(t *testing.T, pattern, rel string) {
		rel = strings.Trim(rel, "/")
		if strings.Contains(rel, "//") {
			return
		}
		got := ignore(pattern, rel, false)
		if got && !ignore(pattern, rel+"/x", false) {
			t.Errorf("%q covers %q but not what it holds", pattern, rel)
		}
		if strings.EqualFold(strings.ToUpper(pattern), pattern) && got != ignore(strings.ToUpper(pattern), strings.ToUpper(rel), false) && isASCII(pattern+rel) {
			t.Errorf("%q and %q depend on case", pattern, rel)
		}
	})
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
