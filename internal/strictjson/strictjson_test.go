package strictjson

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestErrorsNameTheirPlace(t *testing.T) {
	type inner struct {
		B []int `json:"b"`
	}
	for _, c := range []struct{ text, want string }{
		{`{"a":{"c":1}}`, `1:7: /a/c: unknown field "c"`},
		{"{\n  \"a\": {\"b\": [1, \"x\"]}}", `2:18: /a/b/1: a JSON string can't stand here`},
		{`{"a":{"b":[]},"a":{}}`, `1:15: /a: duplicate object member name`},
		{`{"A":{}}`, `1:2: /A: unknown field "A"`},
		{`{} {}`, ""},
		{`{`, ""},
	} {
		var v struct {
			A inner `json:"a"`
		}
		err := Decode([]byte(c.text), &v)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v isn't an *Error", c.text, err)
			continue
		}
		if c.want != "" && err.Error() != c.want {
			t.Errorf("%s: %q, want %q", c.text, err, c.want)
		}
	}
}

func TestEncodeIsDeterministic(t *testing.T) {
	v := map[string]any{"b": 1, "a": []string(nil), "c": map[string]int{"z": 1, "y": 2}}
	first, err := Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"a":[],"b":1,"c":{"y":2,"z":1}}`; string(first) != want {
		t.Errorf("%s, want %s", first, want)
	}
}

func TestNulls(t *testing.T) {
	type value struct {
		Text  string            `json:"text"`
		List  []string          `json:"list"`
		Map   map[string]string `json:"map"`
		Inner struct{ N int }   `json:"inner"`
		Maybe *string           `json:"maybe"`
		Any   any               `json:"any"`
		Raw   jsontext.Value    `json:"raw"`
	}
	for _, text := range []string{`{"text":null}`, `{"list":null}`, `{"list":["a",null]}`, `{"map":null}`, `{"map":{"a":null}}`, `{"inner":null}`, `{"inner":{"N":null}}`, `null`} {
		var e *Error
		if err := Decode([]byte(text), new(value)); !errors.As(err, &e) {
			t.Errorf("%s was taken", text)
		} else if !strings.Contains(e.Message, "null can't stand here") {
			t.Errorf("%s: %v", text, e)
		}
	}
	var v value
	if err := Decode([]byte(`{"maybe":null,"any":null,"raw":null}`), &v); err != nil {
		t.Error(err)
	}
	if string(v.Raw) != "null" {
		t.Errorf("the raw null became %q", v.Raw)
	}
}
