package execpolicy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
)

// TestCheck holds answers of `codex execpolicy check` 0.171.0, taken on
// 2026-11-30: rules, the command, and the output.
func TestCheck(t *testing.T) {
	const none = `{"matchedRules":[]}`
	for _, c := range []struct {
		rules   string
		argv    string // words, with a space between them
		byPaths bool
		want    string
	}{
		{``, `a`, false, none},
		{`prefix_rule(pattern=["a",["b"]])`, `a b`, false, `{"matchedRules":[{"prefixRuleMatch":{"matchedPrefix":["a","b"],"decision":"allow"}}],"decision":"allow"}`},
		{`prefix_rule(["a"], "prompt")`, `a x`, false, `{"matchedRules":[{"prefixRuleMatch":{"matchedPrefix":["a"],"decision":"prompt"}}],"decision":"prompt"}`},
		{`prefix_rule(pattern=["A"])`, `a`, false, none},
		{`prefix_rule(pattern=[["a","a"]], decision="prompt")`, `a`, false, `{"matchedRules":[{"prefixRuleMatch":{"matchedPrefix":["a"],"decision":"prompt"}},{"prefixRuleMatch":{"matchedPrefix":["a"],"decision":"prompt"}}],"decision":"prompt"}`},
		{"host_executable(name=\"git\", paths=[\"/usr/bin/git\"])\nprefix_rule(pattern=[\"git\"], justification=\"j\")", `/usr/bin/git x`, true, `{"matchedRules":[{"prefixRuleMatch":{"matchedPrefix":["git"],"decision":"allow","resolvedProgram":"/usr/bin/git","justification":"j"}}],"decision":"allow"}`},
		{"host_executable(name=\"git\", paths=[\"/usr/bin/git\"])\nprefix_rule(pattern=[\"git\"])", `/opt/git x`, true, none},
		{"host_executable(name=\"git\", paths=[])\nprefix_rule(pattern=[\"git\"])", `/opt/git`, true, none},
		{`prefix_rule(pattern=["git"])`, `/opt/../x/git y`, true, `{"matchedRules":[{"prefixRuleMatch":{"matchedPrefix":["git"],"decision":"allow","resolvedProgram":"/x/git"}}],"decision":"allow"}`},
		{`prefix_rule(pattern=["git"])`, `/opt/git`, false, none},
		{"prefix_rule(pattern=[\"git\"])\nprefix_rule(pattern=[\"/opt/git\",\"x\"],decision=\"forbidden\")", `/opt/git x`, true, `{"matchedRules":[{"prefixRuleMatch":{"matchedPrefix":["/opt/git","x"],"decision":"forbidden"}}],"decision":"forbidden"}`},
		{"prefix_rule(pattern=[\"git\"])\nprefix_rule(pattern=[\"/opt/git\",\"y\"],decision=\"forbidden\")", `/opt/git x`, true, `{"matchedRules":[{"prefixRuleMatch":{"matchedPrefix":["git"],"decision":"allow","resolvedProgram":"/opt/git"}}],"decision":"allow"}`},
		{`network_rule(host="a.b:80", protocol="https", decision="deny")`, `a`, false, none},
		{"for x in [\"a\", \"b\"]:\n  prefix_rule(pattern=[x])\n", `b`, false, `{"matchedRules":[{"prefixRuleMatch":{"matchedPrefix":["b"],"decision":"allow"}}],"decision":"allow"}`},
	} {
		p, err := execpolicy.Parse(execpolicy.File{Name: "t.rules", Text: c.rules})
		if err != nil {
			t.Errorf("%s: %v", c.rules, err)
			continue
		}
		got, err := p.Check(strings.Fields(c.argv), execpolicy.Where{Dir: "/w", ByPaths: c.byPaths})
		if err != nil || string(got) != c.want {
			t.Errorf("%s %s:\n got %s, %v\nwant %s", c.rules, c.argv, got, err, c.want)
		}
	}
}

// TestParseRefuses holds files that 0.171.0 refuses to load, and the line that
// is at fault.
func TestParseRefuses(t *testing.T) {
	for text, line := range map[string]int{
		`prefix_rule(pattern=["a"], decision="bad")`:          1,
		`prefix_rule(pattern=["a"], decision="Prompt")`:       1,
		`prefix_rule(pattern=["a"], decision=None)`:           1,
		`prefix_rule(pattern=["a"], match=None)`:              1,
		`prefix_rule(pattern=["a"], foo=1)`:                   1,
		"\n" + `prefix_rule(pattern=[])`:                      2,
		`prefix_rule(pattern=[[]])`:                           1,
		`prefix_rule(pattern=("a",))`:                         1,
		`prefix_rule(pattern="a")`:                            1,
		`prefix_rule(pattern=["a", 1])`:                       1,
		`prefix_rule(pattern=["a"], justification=" ")`:       1,
		"x = 1\n" + `prefix_rule(pattern=["a"], match=["b"])`: 2,
		`prefix_rule(pattern=["a"], match=["a\\ b"])`:         1,
		`prefix_rule(pattern=["a"], match=[""])`:              1,
		`prefix_rule(pattern=["a"], match=["#c"])`:            1,
		`prefix_rule(pattern=["a"], match=[[]])`:              1,
		`prefix_rule(pattern=["a"], match="a")`:               1,
		`prefix_rule(pattern=["a"], match=["a \"x"])`:         1,
		`prefix_rule(pattern=["a"], not_match=["a x"])`:       1,
		`prefix_rule(pattern=["a"], not_match=["/bin/a"])`:    1,
		`foo()`:                     1,
		`prefix_rule(pattern=["a"]`: 1,
		`load("x","y")`:             1,
		`print("x")`:                1,
		`set([1])`:                  1,
		`while True: pass`:          1,
		`fail("x")`:                 1,
		`host_executable(name="git", paths=["git"])`:                        1,
		`host_executable(name="git", paths=["~/bin/git"])`:                  1,
		`host_executable(name="a/git", paths=[])`:                           1,
		`host_executable(name="", paths=[])`:                                1,
		`host_executable(name="git", paths=["/x/gut"])`:                     1,
		`network_rule(host="*.b", protocol="https", decision="deny")`:       1,
		`network_rule(host="a.b", protocol="ftp", decision="deny")`:         1,
		`network_rule(host="http://a.b", protocol="http", decision="deny")`: 1,
		`network_rule(host="", protocol="http", decision="deny")`:           1,
		`network_rule(host="a b", protocol="http", decision="deny")`:        1,
	} {
		p, err := execpolicy.Parse(execpolicy.File{Name: "t.rules", Text: text})
		var e *execpolicy.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: accepted: %v", text, p)
			continue
		}
		if e.Line != line || e.File != "t.rules" || e.Unread {
			t.Errorf("%s: %v (line %d, unread %v)", text, err, e.Line, e.Unread)
		}
	}
}

// TestUnread pins that what we can't read isn't called broken.
func TestUnread(t *testing.T) {
	for _, text := range []string{`prefix_rule(pattern=[f"a"])`, "def f(x: str) -> None:\n  prefix_rule(pattern=[x])\nf(\"a\")", "def f(n):\n  if n > 0: f(n-1)\nf(3)", "def f():\n  for i in range(10000000): pass\nf()", `x = "a" * 10`} {
		_, err := execpolicy.Parse(execpolicy.File{Name: "t.rules", Text: text})
		var e *execpolicy.Error
		if !errors.As(err, &e) || !e.Unread {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestOneBrokenFileFailsAll pins that files are one policy.
func TestOneBrokenFileFailsAll(t *testing.T) {
	good := execpolicy.File{Name: "a.rules", Text: `prefix_rule(pattern=["a"], decision="forbidden")`}
	if p, err := execpolicy.Parse(good, execpolicy.File{Name: "b.rules", Text: "nonsense("}); err == nil || p != nil {
		t.Errorf("accepted: %v", p)
	}
	p, err := execpolicy.Parse(good, execpolicy.File{Name: "b.rules", Text: `prefix_rule(pattern=["a"])`})
	if err != nil {
		t.Fatal(err)
	}
	m := execpolicy.Strictest(p.Match([]string{"a"}, execpolicy.Where{}))
	if m == nil || m.Rule.Decision != execpolicy.Forbidden || m.Rule.File != "a.rules" {
		t.Errorf("strictest is %+v", m)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`prefix_rule(pattern=["a", ["b", "c"]], decision="prompt", match=["a b"], not_match=["b"])`,
		`host_executable(name="git", paths=["/usr/bin/git"])`,
		`network_rule(host="[::1]:80", protocol="http", decision="deny")`,
		"for i in range(1000000000):\n  pass", "def f(): f()\nf()", "x = [1]\nx = x * 100000",
	} {
		f.Add(s, "a b")
	}
	f.Fuzz(func(t *testing.T, text, argv string) {
		p, err := execpolicy.Parse(execpolicy.File{Name: "f.rules", Text: text})
		if err != nil {
			var e *execpolicy.Error
			if !errors.As(err, &e) || e.File != "f.rules" {
				t.Fatalf("the error has no place: %v", err)
			}
			return
		}
		if _, err := p.Check(strings.Fields(argv), execpolicy.Where{Dir: "/", ByPaths: true}); err != nil && strings.ToValidUTF8(argv, "") == argv {
			t.Logf("check: %v", err)
		}
	})
}

// TestParseNotUTF8 holds what app-server 0.171.0 answered on 2026-12-01 to
// thread/start beside such a file: "failed to load rules: … stream did not contain
// valid UTF-8", and no thread. A file that doesn't parse leaves it a thread without
// rules.
func TestParseNotUTF8(t *testing.T) {
	_, err := execpolicy.Parse(execpolicy.File{Name: "t.rules", Text: "# é\nx = \"é\xff\"\n"})
	var e *execpolicy.Error
	if !errors.As(err, &e) || !e.Fatal || e.Unread || e.Error() != "t.rules:2:7: the byte 0xff isn't UTF-8" {
		t.Errorf("got %v", err)
	}
	if _, err := execpolicy.Parse(execpolicy.File{Name: "t.rules", Text: "("}); !errors.As(err, &e) || e.Fatal {
		t.Errorf("got %v", err)
	}
}
