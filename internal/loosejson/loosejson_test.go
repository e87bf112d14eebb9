package loosejson

import (
	"slices"
	"testing"
)

func TestReading(t *testing.T) {
	v, err := Parse([]byte(`{"a":{"b":"x","n":7,"t":true,"l":["p",1,"q"]},"z":null}`))
	if err != nil {
		t.Fatal(err)
	}
	a := v.Get("a")
	switch {
	case a.Get("b").Text() != "x", v.Get("a", "b").Text() != "x",
		a.Get("n").Text() != "", !a.Get("n").IsNumber(), a.Get("n").String() != "7",
		!a.Get("t").True(), a.Get("b").True(), !a.Get("t").IsBool(),
		!slices.Equal(a.Get("l").Texts(), []string{"p", "q"}), len(a.Get("l").List()) != 3,
		v.Get("z").There(), v.Get("no", "way").There(), v.Get("no").String() != "null",
		a.Get("b", "c").There(), !slices.Equal(a.Names(), []string{"b", "l", "n", "t"}):
		t.Errorf("%s is read wrong", v)
	}
}

// TestClean holds that what no strict reader takes comes out clean, and the rest
// as it came.
func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": 1}`:               `{"a": 1}`,
		`{"a":1,"a":{"b":2}}`:    `{"a":{"b":2}}`,
		`{"a":["\ud800",1e400]}`: `{"a":["` + "\ufffd" + `",1e400]}`,
		"\"\xff\"":               `"` + "\ufffd" + `"`,
		`{"id":12345678901234567890,"id":12345678901234567890}`: `{"id":12345678901234567890}`,
	} {
		v, err := Parse([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := string(v.Raw()); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for _, in := range []string{"", "{", `{"a":}`, "{} {}", "nul"} {
		if v, err := Parse([]byte(in)); err == nil {
			t.Errorf("%q was read as %s", in, v)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a":1,"a":[{"b":"\ud800"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if err != nil {
			return
		}
		if !v.Raw().IsValid() {
			t.Errorf("%q came out as %q", text, v.Raw())
		}
	})
}
