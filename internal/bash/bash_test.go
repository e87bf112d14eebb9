package bash

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"# nothing", nil},
		{"> f", nil},
		{"A=1", nil},
		{"git  status", []string{"git status"}},
		{"a; b && c | d || e & f", []string{"a", "b", "c", "d", "e", "f"}},
		{"echo $(git push) `ls`", []string{"echo $(git push) `ls`", "git push", "ls"}},
		{"if a; then b; else c; fi", []string{"a", "b", "c"}},
		{"f() { rm x; }", []string{"rm x"}},
		{"A=$(touch x)", []string{"touch x"}},
		{"export A=1", []string{"export A=1"}},
		{"[[ -f x ]]", []string{"[[ -f x ]]"}},
		{"((1))", []string{"((1))"}},
		{`'l's "a b" c\ d`, []string{"ls a b c d"}},
		{`echo "a\qb\"" $'x'`, []string{`echo a\qb" x`}},
		{"cat <<EOF\n$(id)\nEOF", []string{"cat", "id"}},
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var got []string
		for _, cmd := range s.Commands() {
			words, _ := s.Words(cmd)
			got = append(got, strings.Join(words, " "))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q: %s", c.text, d)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{`echo "open`, "if a", "a | | b", strings.Repeat("(", MaxNesting+1), strings.Repeat("a", MaxBytes+1)} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%.20q was accepted", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a && b", "echo $(ls) > f", "cat <<E\nx\nE", "f() { (a); }", "case x in a) b;; esac"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		for _, c := range s.Commands() {
			s.Words(c)
			s.Source(c.Stmt)
		}
	})
}
