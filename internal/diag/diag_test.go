package diag_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/internal/diag"
)

func TestProblemPlace(t *testing.T) {
	for _, tt := range []struct {
		problem diag.Problem
		want    string
	}{
		{diag.Problem{Message: "wrong"}, "wrong"},
		{diag.Problem{File: "a.yaml", Message: "wrong"}, "a.yaml: wrong"},
		{diag.Problem{File: "a.yaml", Line: 2, Message: "wrong", Text: "not shown"}, "a.yaml:2: wrong"},
		{diag.Problem{File: "a.yaml", Line: 2, Column: 3, Message: "wrong"}, "a.yaml:2:3: wrong"},
		{diag.Problem{File: "a.yaml", Line: 2, Column: 3, Message: "wrong", Text: "a: b"}, "a.yaml:2:3: wrong\n  a: b\n    ^"},
	} {
		if got := tt.problem.String(); got != tt.want {
			t.Errorf("got\n%s\nwant\n%s", got, tt.want)
		}
	}
}

// The caret stands under its character: what precedes it is as wide as the text
// above it, and has the same tabs.
func TestCaret(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		column     int
		want       []string // the text and the caret's line
	}{
		{"first", "abc", 1, []string{"abc", "^"}},
		{"last", "abc", 3, []string{"abc", "  ^"}},
		{"behind the end", "abc", 4, []string{"abc", "   ^"}},
		{"far behind the end", "abc", 99, []string{"abc", "   ^"}},
		{"tabs", "\ta:\tb", 5, []string{"\ta:\tb", "\t  \t^"}},
		{"accents", "é: à", 4, []string{"é: à", "   ^"}},
		{"two cells wide", "日本: x", 5, []string{"日本: x", "      ^"}},
		{"fullwidth", "Ａ x", 3, []string{"Ａ x", "   ^"}},
		{"emoji", "🔒 x", 3, []string{"🔒 x", "   ^"}},
		{"combining", "e\u0301: x", 5, []string{"e\u0301: x", "   ^"}},
		{"escape sequence", "\x1b[31mx", 6, []string{"\uFFFD[31mx", "     ^"}},
		{"bidi override", "a\u202eb", 3, []string{"a\uFFFDb", "  ^"}},
		{"line separator", "a\u2028b", 3, []string{"a\uFFFDb", "  ^"}},
		{"long line", strings.Repeat("a", 500) + "X" + strings.Repeat("b", 500), 501,
			[]string{"…" + strings.Repeat("a", 99) + "X" + strings.Repeat("b", 60) + "…", strings.Repeat(" ", 100) + "^"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := diag.Problem{File: "f", Line: 1, Column: tt.column, Message: "m", Text: tt.text}
			want := "f:1:" + strings.SplitN(p.Place(), ":", 3)[2] + ": m\n  " + tt.want[0] + "\n  " + tt.want[1]
			if d := cmp.Diff(want, p.String()); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestListErr(t *testing.T) {
	if err := diag.List(nil).Err(); err != nil {
		t.Errorf("an empty list is the error %v", err)
	}
	list := diag.List{
		{File: "b", Line: 1, Column: 1, Message: "third"},
		{File: "a", Line: 10, Column: 1, Message: "second"},
		{File: "a", Line: 9, Column: 5, Message: "first"},
		{File: "b", Line: 1, Column: 1, Message: "fourth"},
		{File: "b", Line: 1, Column: 1, Message: "fourth"},
	}
	before := append(diag.List{}, list...)
	err := list.Err()
	want := "a:9:5: first\na:10:1: second\nb:1:1: third\nb:1:1: fourth"
	if err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	var got diag.List
	if !errors.As(err, &got) || len(got) != 4 {
		t.Errorf("the error is %#v, want a List of 4", err)
	}
	if d := cmp.Diff(before, list); d != "" {
		t.Errorf("Err changed the list:\n%s", d)
	}
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"a", []string{"a"}},
		{"a\n", []string{"a"}},
		{"a\r\nb\n\nc", []string{"a", "b", "", "c"}},
		{"a\n\n", []string{"a", ""}},
		{"caf\xe9\nb", []string{"caf\uFFFD", "b"}},
	} {
		if d := cmp.Diff(tt.want, diag.Lines([]byte(tt.text))); d != "" {
			t.Errorf("Lines(%q): -want +got\n%s", tt.text, d)
		}
	}
}

func TestShow(t *testing.T) {
	files := diag.Files{}
	files.Add("a", []byte("one\ntwo\n"))
	got := files.Show(diag.List{
		{File: "a", Line: 2, Column: 1},
		{File: "a", Line: 9, Column: 1},
		{File: "a"},
		{File: "b", Line: 1, Column: 1},
	})
	want := diag.List{
		{File: "a", Line: 2, Column: 1, Text: "two"},
		{File: "a", Line: 2, Column: 4, Text: "two"},
		{File: "a"},
		{File: "b", Line: 1, Column: 1},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestPlain(t *testing.T) {
	const text = "a\x1b[31mb\u202ec\r\n\td\u2028e é"
	if got, want := diag.Plain(text), "a\uFFFD[31mb\uFFFDc\uFFFD\n\td\uFFFDe é"; got != want {
		t.Errorf("%q became %q, want %q", text, got, want)
	}
}
