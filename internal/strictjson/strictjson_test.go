package strictjson

import (
	"errors"
	"strings"
	"testing"
	"time"

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

// For what a client writes null is refused wherever a value is read, but inside
// of raw ones, and its place is named.
func TestNullIsNoValue(t *testing.T) {
	type body struct {
		Maybe *string                   `json:"maybe"`
		List  []*int                    `json:"list"`
		By    map[string]jsontext.Value `json:"by"`
		Raw   jsontext.Value            `json:"raw"`
		At    struct {
			Time time.Time `json:"time"`
		} `json:"at"`
	}
	for _, c := range []struct{ text, want string }{
		{`null`, ""},
		{`{"maybe":null}`, "/maybe"},
		{`{"list":[1,null]}`, "/list/1"},
		{`{"by":{"a":null}}`, "/by/a"},
		{`{"raw":null}`, "/raw"},
		{`{"at":{"time":null}}`, "/at/time"},
	} {
		var e *Error
		if err := DecodeNoNull([]byte(c.text), new(body)); !errors.As(err, &e) || e.Pointer != c.want || e.Line != 1 {
			t.Errorf("%s: %v, want it at %q", c.text, err, c.want)
		}
	}
	var v body
	if err := DecodeNoNull([]byte(`{"maybe":"x","list":[1],"by":{"a":[null]},"raw":{"b":null},"at":{"time":"2026-11-30T00:00:00Z"}}`), &v); err != nil || *v.Maybe != "x" || len(v.By) != 1 {
		t.Errorf("%v, %+v", err, v)
	}
	if err := DecodeNoNull([]byte(`{"mayb":1}`), &v); err == nil {
		t.Error("an unknown field is taken")
	}
}
