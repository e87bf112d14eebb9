package policies_test

import (
	"testing"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// A Reader takes any tree, also one that no file has, and says one thing about
// one fault.
func TestReader(t *testing.T) {
	at := evaluator.Source{File: "a", Line: 1, Column: 2}
	scalar := func(text string, quoted bool) *policies.Node {
		return &policies.Node{Kind: policies.Scalar, Source: at, Text: text, Quoted: quoted}
	}
	list := &policies.Node{Kind: policies.Sequence, Source: at}
	absent := &policies.Node{Source: at}
	for _, tt := range []struct {
		name string
		read func(*policies.Reader)
		want string
	}{
		{"a text", func(r *policies.Reader) { r.Text(scalar("x", false), "it") }, ""},
		{"a quoted true", func(r *policies.Reader) { r.Text(scalar("true", true), "it") }, ""},
		{"a plain true", func(r *policies.Reader) { r.Text(scalar("true", false), "it") }, "a:1:2: it must be a text: put true in quotes"},
		{"an empty text", func(r *policies.Reader) { r.Text(scalar("", true), "it") }, "a:1:2: it is empty: give it a text"},
		{"a list for a text", func(r *policies.Reader) { r.Text(list, "it") }, "a:1:2: it must be a text"},
		{"no text", func(r *policies.Reader) { r.Text(nil, "it") }, "it is missing: it must be a text"},
		{"a word", func(r *policies.Reader) { r.Word(scalar("b", false), "it", "a", "b") }, ""},
		{"another word", func(r *policies.Reader) { r.Word(scalar("c", false), "it", "a", "b") }, `a:1:2: unknown it "c": use a, b`},
		{"a bool", func(r *policies.Reader) { r.Bool(scalar("false", false), "it") }, ""},
		{"a quoted bool", func(r *policies.Reader) { r.Bool(scalar("true", true), "it") }, `a:1:2: it is "true": use true or false, without quotes`},
		{"no bool", func(r *policies.Reader) { r.Bool(scalar("1", false), "it") }, `a:1:2: it is "1": use true or false, without quotes`},
		{"an empty list", func(r *policies.Reader) { r.Each(list, "it", nil) }, ""},
		{"a text for a list", func(r *policies.Reader) { r.Each(scalar("x", false), "it", nil) }, "a:1:2: it must be a list"},
		{"a text for a mapping", func(r *policies.Reader) {
			r.Map(scalar("x", false), "it", nil)
			r.Require(scalar("x", false), "it", "a")
		}, "a:1:2: it must be a mapping"},
		{"what was refused before", func(r *policies.Reader) {
			r.Text(absent, "it")
			r.Word(absent, "it", "a")
			r.Bool(absent, "it")
			r.Each(absent, "it", nil)
			r.Map(absent, "it", nil)
			r.Require(absent, "it", "a")
		}, ""},
	} {
		var r policies.Reader
		tt.read(&r)
		check(t, tt.name, r.Problems.Error(), tt.want)
	}
}

func TestNodeGet(t *testing.T) {
	n := parse(t, head+"providers: {codex: {a: {b: c}}}\n").Profiles[evaluator.Codex]
	check(t, "a field", n.Get("a").Get("b").Text, "c")
	if n.Get("x").Get("y") != nil || n.Get("a").Get("b").Get("c") != nil {
		t.Error("a field that isn't there is something")
	}
}
