package grok

import (
	"regexp"
	"strings"
	"testing"
)

// reference is the same language said as a regular expression.
func reference(pattern string, crosses bool) *regexp.Regexp {
	one := "[^/]"
	if crosses {
		one = "."
	}
	var b strings.Builder
	b.WriteString(`(?s)^`)
	for p := pattern; p != ""; {
		stars := len(p) - len(strings.TrimLeft(p, "*"))
		switch {
		case stars > 1 && !crosses && strings.HasPrefix(p[stars:], "/"):
			b.WriteString(`(?:|.*/)`)
			p = p[stars+1:]
		case stars > 1:
			b.WriteString(`.*`)
			p = p[stars:]
		case stars == 1:
			b.WriteString(one + `*`)
			p = p[1:]
		case p[0] == '?':
			b.WriteString(one)
			p = p[1:]
		default:
			n := strings.IndexAny(p, "*?")
			if n < 0 {
				n = len(p)
			}
			b.WriteString(regexp.QuoteMeta(p[:n]))
			p = p[n:]
		}
	}
	return regexp.MustCompile(b.String() + `$`)
}

func FuzzWild(f *testing.F) {
	for _, s := range [][2]string{
		{"src/**", "src/a/b"}, {"**/.env", ".env"}, {"a**/b", "a/b"}, {"*?*", "x"}, {"", ""}, {"git * main", "git x/y main"}, {"***/a", "b/a"},
	} {
		f.Add(s[0], s[1], true)
		f.Add(s[0], s[1], false)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, crosses bool) {
		if len(pattern) > 200 || len(text) > 200 {
			return
		}
		got := wild(pattern, text, crosses)
		if strings.ContainsAny(pattern, "[") || !validText(pattern) || !validText(text) {
			return // classes have no simple reference
		}
		if want := reference(pattern, crosses).MatchString(text); got != want {
			t.Errorf("wild(%q, %q, %v) = %v", pattern, text, crosses, got)
		}
	})
}

func validText(s string) bool { return strings.ToValidUTF8(s, "") == s }

func TestWildClasses(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"x[ab]", "xa", true}, {"x[ab]", "xc", false}, {"x[!ab]", "xc", true}, {"x[a-c]y", "xby", true},
		{"x[", "x[", true}, {"x[]", "x[]", true}, {"app/[id]/p", "app/[id]/p", false}, {"a[/]b", "a/b", false},
	} {
		if got := wild(c.pattern, c.text, false); got != c.want {
			t.Errorf("wild(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
}

// FuzzLine holds what must be true of any command line: ratings don't fall when
// something is chained to it, and what can be split has commands.
func FuzzLine(f *testing.F) {
	for _, s := range []string{
		"ls", "cd src && touch x", "timeout 5 env A=1 rm x", "cat <<E\nx\nE", "echo \"a", "git -C", "uniq a b", "env", "nice -n", "chrt",
		"bash -c 'bash -c ls'", "ls > /dev/null 2>&1", "a=1 b", "\\ls", "$(ls)", "coproc x", "time", "! ls", "kubectl", "sort -o",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		l := readLine(text)
		if l.rating != readOnly && l.why == "" {
			t.Errorf("%q: rated %d without a reason", text, l.rating)
		}
		for _, s := range l.segments {
			if len(s.words) == 0 || s.rating > l.rating {
				t.Errorf("%q: segment %+v of a line rated %d", text, s, l.rating)
			}
		}
		everyCommand(text, true)
		readOperands(text)
		if l.split && !strings.ContainsAny(text, "#<\\\r") {
			if more := readLine("rm x\n" + text); more.rating < l.rating {
				t.Errorf("%q: rated %d, with more %d", text, l.rating, more.rating)
			}
		}
	})
}

// FuzzRead: settings, facts and requests of any form are refused or read.
func FuzzRead(f *testing.F) {
	f.Add(`{"argv":["agent","stdio"],"sessionMeta":{},"callback":{"permission":"ask"}}`, `{"rules":[{"layer":"user","effect":"deny","rule":"Bash(ls *)"}]}`, `{"tool":"run_terminal_command","input":{"command":"ls"}}`)
	f.Add(`{"argv":["--permission-mode"],"sessionMeta":{"autoMode":true},"callback":{"permission":"allow"}}`, `{"claudeDefaultMode":"auto"}`, `{"tool":"write"}`)
	f.Fuzz(func(t *testing.T, native, rawFacts, raw string) {
		n, err := decode([]byte(native))
		if err != nil {
			return
		}
		again, err := n.encode()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decode(again); err != nil || len(back.Argv) != len(n.Argv) {
			t.Errorf("%s doesn't come back: %s, %v", native, again, err)
		}
		fs, err := readFacts([]byte(rawFacts))
		if err != nil {
			return
		}
		r, in, err := readRequest([]byte(raw))
		if err != nil {
			return
		}
		l := readArgv(n.Argv)
		m := &meaning{native: n, launch: l, state: readState(l, n.SessionMeta, fs), rules: readRules(fs)}
		if a := m.engine(r, in); a.reason == "" {
			t.Errorf("%s: no reason", raw)
		}
	})
}
