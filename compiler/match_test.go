package compiler

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/evaluator"
)

func TestMatchPath(t *testing.T) {
	env := evaluator.Env{Workspace: "/w", Home: "/h"}
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"*", "/anywhere", true},
		{"src/*", "/w/src/a", true},
		{"src/*", "/w/src/a/b", false},
		{"src/**", "/w/src/a/b", true},
		{"src/**", "/w/src", false},
		{"src/**/*.go", "/w/src/a.go", true},
		{"src/**/*.go", "/w/src/x/y/a.go", true},
		{"**/.env", "/w/.env", true},
		{"**/.env", "/w/a/b/.env", true},
		{"**/.env", "/w/a.env", false},
		{"**/.env", "/elsewhere/.env", false},
		{"a?c", "/w/abc", true},
		{"a?c", "/w/a/c", false},
		{"/opt/**", "/opt/x", true},
		{"/opt/**", "/w/opt/x", false},
		{"~/.ssh/*", "/h/.ssh/id", true},
		{"[a]", "/w/[a]", true},
		{"[a]", "/w/a", false},
		{"{a,b}", "/w/{a,b}", true},
		{"{a,b}", "/w/a", false},
		{`a\b`, `/w/a\b`, true},
	} {
		if got := MatchPath(c.pattern, c.path, env); got != c.want {
			t.Errorf("%q against %q: %v", c.pattern, c.path, got)
		}
	}
	if !MatchPath("src/*", "<workspace>/src/a", evaluator.Env{}) || !MatchPath("~/x", "<home>/x", evaluator.Env{}) {
		t.Error("folders that aren't known stand for themselves")
	}
}

func TestMatchWords(t *testing.T) {
	for _, c := range []struct {
		pattern, command string
		want             bool
	}{
		{"*", "anything at all", true},
		{"git status", "git status", true},
		{"git status", "git  status", true},
		{"git status", "git status -s", false},
		{"git *", "git", true},
		{"git *", "git push x", true},
		{"git *", "gitk", false},
		{"git push *", "git", false},
	} {
		if got := matchWords(strings.Fields(c.pattern), strings.Fields(c.command)); got != c.want {
			t.Errorf("%q against %q: %v", c.pattern, c.command, got)
		}
	}
}
