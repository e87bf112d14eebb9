package filetree_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// show writes a tree with its places.
func show(n *policies.Node) string {
	at := fmt.Sprintf("@%d:%d", n.Source.Line, n.Source.Column)
	switch n.Kind {
	case policies.Mapping:
		var parts []string
		for _, f := range n.Fields {
			parts = append(parts, fmt.Sprintf("%s@%d:%d=%s", f.Name, f.Source.Line, f.Source.Column, show(f.Value)))
		}
		return at + "{" + strings.Join(parts, " ") + "}"
	case policies.Sequence:
		var parts []string
		for _, item := range n.Items {
			parts = append(parts, show(item))
		}
		return at + "[" + strings.Join(parts, " ") + "]"
	}
	if n.Quoted {
		return fmt.Sprintf("%q%s", n.Text, at)
	}
	return n.Text + at
}

func TestJSON(t *testing.T) {
	for _, tt := range []struct {
		text     string
		comments bool
		want     string
	}{
		{`{"a":1}`, false, `@1:1{a@1:2=1@1:6}`},
		{"{\n  \"a\": [\"x\", true,\n null]\n}", false, `@1:1{a@2:3=@2:8["x"@2:9 true@2:14 null@3:2]}`},
		{"\ufeff[{}]", false, `@1:1[@1:2{}]`},
		{"// c\n{/* d */\"é\": \"日\", /* e */ \"b\": \"x\",}\n", true, `@2:1{é@2:9="日"@2:14 b@2:27="x"@2:32}`},
		{`{"a\u0062": "\n"}`, false, `@1:1{ab@1:2="\n"@1:13}`},
		{`{"10":{},"2":{}}`, true, `@1:1{10@1:2=@1:7{} 2@1:10=@1:14{}}`},
	} {
		n, err := filetree.JSON("f", []byte(tt.text), tt.comments)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if d := cmp.Diff(tt.want, show(n)); d != "" {
			t.Errorf("%s: %s", tt.text, d)
		}
	}
}

func TestTOML(t *testing.T) {
	text := `a = "x"  # comment
"b c".d = [1, "é", { k = 'v' }]
[t.u]
on = true
[[list]]
n = 1
[[list]]
n = 2
[list.sub]
m = """
two"""
`
	n, err := filetree.TOML("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := `@1:1{a@1:1="x"@1:5 b c@2:1=@2:1{d@2:7=@2:7[1@2:12 "é"@2:15 @2:7{k@2:22="v"@2:26}]} ` +
		`t@3:2=@3:2{u@3:4=@3:4{on@4:1=true@4:6}} ` +
		`list@5:3=@5:3[@5:3{n@6:1=1@6:5} @7:3{n@8:1=2@8:5 sub@9:7=@9:7{m@10:1="two"@10:5}}]}`
	if d := cmp.Diff(want, show(n)); d != "" {
		t.Error(d)
	}
}

// TestRefused is what a file must not be: each problem names its place and shows
// the line.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		format, text, want string
	}{
		{"json", "{\n  \"a\": 1,\n}", "f:2:9: this isn't JSON"},
		{"json", "// c\n{}", "f:1:1: this isn't JSON"},
		{"json", `{"a":1} x`, "f:1:9: this isn't JSON: something follows the value"},
		{"json", `{"a":`, "f:1:6: this isn't JSON"},
		{"json", "", "this isn't JSON"},
		{"json", "{\"a\":1,\n \"b\":2,\n \"a\":3}", `f:3:2: the name "a" stands here a second time (first on line 1): keep one`},
		{"json", "{\"a\":\"\xff\"}", "f:1:7: the byte 0xff isn't UTF-8"},
		{"json", strings.Repeat("[", 300) + strings.Repeat("]", 300), "f:1:201: values are nested deeper than 200 levels"},
		{"json", strings.Repeat(" ", 1<<20) + "{}", "f: the file is larger than 1 MiB"},
		{"jsonc", "{\"a\": 1,\n /* open", "this isn't JSON"},
		{"jsonc", "{\"a\": 1\n \"b\": 2}", "f:2:2: this isn't JSON"},
		{"jsonc", "{\"a\":1,,}", "f:1:8: this isn't JSON"},
		{"toml", "a = 1\nb = \"x\nc = 2", "f:2:"},
		{"toml", "a = 1\na = 2", "f:2:1: this isn't TOML"},
		{"toml", "[t]\nx = 1\n[t]\n", "f:3:"},
		{"toml", "a = \"\xff\"", "f:1:6: the byte 0xff isn't UTF-8"},
		{"toml", "= 1", "f:1:1: this isn't TOML"},
	} {
		err := read(tt.format, []byte(tt.text))
		var list diag.List
		if !errors.As(err, &list) {
			t.Errorf("%s %q: the error is %v", tt.format, tt.text, err)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %q:\n%v\nwant %s", tt.format, tt.text, err, tt.want)
		}
	}
}

func read(format string, text []byte) error {
	var err error
	if format == "toml" {
		_, err = filetree.TOML("f", text)
	} else {
		_, err = filetree.JSON("f", text, format == "jsonc")
	}
	return err
}

func TestPlaces(t *testing.T) {
	n, err := filetree.JSON("f", []byte(`{"a/b":{"~":[1,2]}}`), false)
	if err != nil {
		t.Fatal(err)
	}
	places := filetree.Places(n)
	for pointer, column := range map[string]int{"": 1, "/a~1b": 8, "/a~1b/~0": 13, "/a~1b/~0/1": 16} {
		if got := places[pointer]; got.Column != column {
			t.Errorf("%s: column %d, want %d", pointer, got.Column, column)
		}
	}
}

// FuzzRead: every text is a tree whose places lie in it, or refused with a place;
// a tree's values are those that a second reader finds.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x",{"b":null}]}`, "// c\n{\"a\":1,}", "a = 1\n[t]\nb.c = [{d='x'}]\n[[l]]\nx=1\n", "{", "a=", "\ufeff{}"} {
		for format := range 3 {
			f.Add([]byte(s), uint8(format))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, format uint8) {
		var n *policies.Node
		var err error
		switch format % 3 {
		case 0:
			n, err = filetree.JSON("f", text, false)
		case 1:
			n, err = filetree.JSON("f", text, true)
		default:
			n, err = filetree.TOML("f", text)
		}
		if err != nil {
			var list diag.List
			if !errors.As(err, &list) || len(list) == 0 {
				t.Fatalf("the error is %#v", err)
			}
			return
		}
		lines := strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
		for pointer, at := range filetree.Places(n) {
			if at.Line < 1 || at.Line > len(lines) || at.Column < 1 || at.Column > 1+len([]rune(lines[at.Line-1])) {
				t.Fatalf("%q stands at %d:%d, outside of the text", pointer, at.Line, at.Column)
			}
		}
		second(t, n, text, format%3)
	})
}
