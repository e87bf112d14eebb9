package policies_test

import (
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// label parses a policy with one plain label, and says whether it is accepted.
func label(text string) (string, bool) {
	p, err := policies.Parse(file("a.yaml", head+"modes:\n  auto:\n    label: "+text+"\n"))
	if err != nil {
		return err.Error(), false
	}
	return p.Modes[evaluator.Auto].Label, true
}

func TestOddScalars(t *testing.T) {
	odd := "0 00 07 08 012 0o7 0O7 0x0 0XFF 0b1 0B1 1_0 1__0 1_000.5 1,000 +1 -1 +0x1f -0b1 1. 1.5 .5 -.5 +.5e3 1e3 1E+3 1.e-3 6.02e23 " +
		".inf -.INF +.Inf .nan .NaN 1:2 12:30 12:30:00 -190:20:30 190:20:30.15 " +
		"2026-11-30 2026-1-2 2026-11-30T10:00:00Z " +
		"y Y n N yes Yes YES yEs no No NO on On ON off Off OFF true True TRUE tRue false False FALSE null Null NULL nUll ~ <<"
	for text := range strings.FieldsSeq(odd) {
		if got, ok := label(text); ok {
			t.Errorf("%s is read as the text %q", text, got)
		}
		for _, quoted := range []string{`"` + text + `"`, "'" + text + "'", "|-\n      " + text, ">-\n      " + text} {
			if got, ok := label(quoted); !ok || got != text {
				t.Errorf("%s: got %q, %v", quoted, got, ok)
			}
		}
	}
	for _, text := range []string{"", "=", "2026-11-30 10:00:00", "2001-12-14 21:59:43.10 -5"} {
		if got, ok := label(text); ok {
			t.Errorf("%s is read as the text %q", text, got)
		}
	}
	for _, text := range []string{"a", "1a", "a1", "1.2.3", "0xg", "1:99", "12:30x", "v1.5", "e3", "1e", "_1", "--force", "-x", ".", "..", "...x", "nope", "yes please", "truely", "nulls", "日本", "10 000", "2026-11", "<<x", "==", "+", "1-2"} {
		if got, ok := label(text); !ok || got != text {
			t.Errorf("%s: got %q, %v", text, got, ok)
		}
	}
}

// What yaml.v3 resolves to anything but a text is never accepted, and what is
// accepted matches none of the forms in the YAML 1.1 type repository.
func TestOddScalarsProperty(t *testing.T) {
	old := regexp.MustCompile(`^([-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+` +
		`|[-+]?([0-9][0-9_]*)?\.[0-9]+([eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	text := rapid.StringOfN(rapid.SampledFrom([]rune("01279_.:+-eExXoObBaftinNTZ ")), 1, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		got, ok := label(s)
		if !ok {
			return
		}
		var v struct{ Label any }
		if err := yaml.Unmarshal([]byte("label: "+s), &v); err != nil {
			t.Fatalf("%q is accepted and isn't YAML: %v", s, err)
		}
		if _, text := v.Label.(string); !text || old.MatchString(got) {
			t.Fatalf("%q is read as the text %q; yaml.v3 reads %T", s, got, v.Label)
		}
	})
}
