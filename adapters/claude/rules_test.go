package claude

import (
	"slices"
	"strings"
	"testing"
)

// TestParseRule is the table of rule forms (measured on 2.1.332, 2026-11-30).
func TestParseRule(t *testing.T) {
	for _, c := range []struct {
		text, tool, content string
		ok                  bool
	}{
		{"Bash", "Bash", "", true},
		{"Bash(*)", "Bash", "", true},
		{"Bash(:*)", "Bash", ":*", true},
		{"Bash( mytool *)", "Bash", "mytool *", true},
		{"Bash(echo (x))", "Bash", "echo (x)", true},
		{"Bash()", "", "", false},
		{"Bash(mytool run", "", "", false},
		{"", "", "", false},
		{"(x)", "", "", false},
		{"Task(Explore)", "Agent", "Explore", true},
		{"Edit(*)", "Edit", "", true},
		{"Read(*)", "Read", "*", true},
	} {
		r, ok := parseRule(c.text, true, V332)
		if ok != c.ok || ok && (r.Tool != c.tool || r.Content != c.content) {
			t.Errorf("%q: %+v %v", c.text, r, ok)
		}
	}
	if r, _ := parseRule("Read(*)", false, V332); r.Content != "" {
		t.Error("a deny of Read(*) is one of Read")
	}
}

// TestMatchCommand is the table of command patterns (measured on 2.1.332,
// 2026-11-30).
func TestMatchCommand(t *testing.T) {
	for _, c := range []struct {
		content, text string
		want          bool
	}{
		{"mytool run", "mytool run", true},
		{"mytool run", "mytool run x", false},
		{"mytool run", "mytool  run", false},
		{"mytool run *", "mytool run", true},
		{"mytool run *", "mytool run x", true},
		{"mytool run *", "mytool runx", false},
		{"mytool run:*", "mytool run", true},
		{"mytool run:*", "mytool runx", false},
		{"mytool run*", "mytool runx", true},
		{"* --version", "foo bar --version", true},
		{"mytool * main", "mytool a b main", true},
		{"mytool * main", "mytool main", false},
		{"mytool * main", "mytool a main x", false},
		{"mytool * main *", "mytool a main", false},
		{"mytool * main *", "mytool a main b", true},
		{"git:* push", "git origin push", false},
		{":*", "anything", false},
		{"*:*", "rm:x", false},
		{"rm *:*", "rm x", false},
		{"rm *:*", "rm *", true},
		{"rm  *", "rm", true},
		{"rm\t*", "rm x", true},
		{"a*b*c", "abc", true},
		{"MYTOOL *", "mytool x", false},
	} {
		if got := matchCommand(c.content, c.text); got != c.want {
			t.Errorf("%q matches %q: %v", c.content, c.text, got)
		}
	}
}

// TestAllowTexts shows behind what an allow rule looks, and behind what only a
// deny rule does.
func TestAllowTexts(t *testing.T) {
	for _, c := range []struct {
		text        string
		allow, deny bool
	}{
		{"danger", true, true},
		{"LANG=C NODE_ENV=x danger", true, true},
		{"timeout 5 nice -n 5 danger", true, true},
		{"stdbuf -oL danger", true, true},
		{"FOO=1 danger", false, true},
		{"env A=1 danger", false, true},
		{"sudo -u root danger", false, true},
		{"xargs danger", true, true},
		{"/usr/bin/danger", false, true},
		{"dan''ger", true, true},
		{"xargs -n1 danger", false, false},
		{"bash -c danger", false, false},
		{"find . -exec danger", false, false},
	} {
		p := parseShell(c.text).parts[0]
		seen, added := allowTexts(p.text)
		if got := slices.Contains(append(seen, added...), "danger"); got != c.allow {
			t.Errorf("an allow rule sees danger in %q: %v", c.text, got)
		}
		texts, open := denyTexts(p, V332)
		if got := slices.Contains(append(texts, open...), "danger"); got != c.deny {
			t.Errorf("a deny rule sees danger in %q: %v", c.text, got)
		}
	}
}

// TestRewrittenHosts fetches from addresses in which Claude reads another host than
// the one that is written (measured on 2.1.332, 2026-12-01).
func TestRewrittenHosts(t *testing.T) {
	for url, want := range map[string]step{
		"https://a.test/": runs, "https://A.test.:80/": runs, "https://b.test/": asks, "https://10.0.0.1/": asks, "https://[::1]/": asks,
		"https:a.test/": unclear, "https:/a.test/": unclear, "https:///a.test/": unclear, "https://a\u3002test/": unclear,
		"https://127.1/": unclear, "https://0x7f000001/": unclear, "https://2130706433/": unclear, "https://\u0430.test/": unclear,
	} {
		s := &session{version: V332}
		s.rules.add(Permissions{Allow: []string{"WebFetch(domain:a.test)"}}, FlagLayer, "", "", V332)
		in := inputOf(url)
		in["url"] = in["command"]
		if got := s.checkWebFetch(request{tool: "WebFetch", input: in}, &tracer{}).step; got != want {
			t.Errorf("%s: step %d, not %d", url, got, want)
		}
	}
}

// FuzzRules reads rules and commands that nobody has thought of: nothing panics,
// and a command is never loosened by being put into a group.
func FuzzRules(f *testing.F) {
	for _, s := range []string{"danger x", "a && b | c", "echo $(x) <<E\n$y\nE", "for i in 1; do a; done", "[[ -f x ]]", "x=(1 2)", "time ! a &", "rm -rf ~ \"$Z\"/*", "cd a && b > c"} {
		f.Add("Bash(danger *)", s)
	}
	f.Fuzz(func(t *testing.T, rule, command string) {
		s := &session{version: V332, cwd: "/p", home: "/h", dirs: []string{"/p"}, config: "/h/.claude", mode: AcceptEdits}
		s.rules.add(Permissions{Allow: []string{rule}, Ask: []string{rule + "x"}, Deny: []string{"Bash(danger *)"}}, FlagLayer, "", "", V332)
		check := func(command string) step {
			return s.checkBash(request{tool: "Bash", input: inputOf(command)}, &tracer{}).step
		}
		whole := check(command)
		if strings.TrimSpace(command) == "" || whole == runs || parseShell(command).broken {
			return
		}
		if grouped := check("(" + command + "\n)"); grouped == runs && !parseShell("("+command+"\n)").broken {
			t.Errorf("%q runs in a subshell, and alone it doesn't", command)
		}
	})
}
