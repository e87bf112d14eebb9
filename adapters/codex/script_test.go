package codex

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// splitScripts are scripts and their units with " | " between them, "" when the
// script isn't plain: section 4.3 of the measurements (0.171.0, 2026-11-30), and
// corners that random scripts found. TestLiveSplit asks the real agent about each.
var splitScripts = []struct{ script, want string }{
	{"ls", "ls"},
	{" ls -l ", "ls -l"},
	{"a && b || c; d | e\nf", "a | b | c | d | e | f"},
	{"cd sub && cat f", "cd sub | cat f"},
	{`cat 'a b' "c d"`, "cat a b c d"},
	{`rg -g"*.py" x`, "rg -g*.py x"},
	{`echo "\n"`, `echo \n`},
	{`echo "" ''`, "echo  "},
	{"dd if=/dev/null of=x", "dd if=/dev/null of=x"},
	{"time cat f", "time cat f"},
	{"\\ cat f", "cat f"}, {"cat \\  f", "cat f"}, {"cat\\ f", ""},
	{`cat "a$ b"`, ""}, {`cat "$"`, ""},
	{"time a | b", "time a | b"}, {"coproc cat f", "coproc cat f"}, {"cat \\\nf", "cat f"}, {"cat f\\\n x", "cat f x"}, {"cat f\\\n", ""},
	{"env ls", "env ls"},
	{"bash -c 'ls'", "bash -c ls"},
	{"./cat f", "./cat f"},
	{"exec cat f", "exec cat f"},
	{"sleep 1", "sleep 1"},
	{"test -f x", "test -f x"},
	{"ls > x", ""}, {"ls < x", ""}, {"ls 2>&1", ""}, {"cat <<E\nx\nE", ""}, {"cat <<< x", ""},
	{"ls $X", ""}, {`ls "$X"`, ""}, {"ls ~", ""}, {"ls *", ""}, {"ls a?", ""}, {"ls [a]", ""}, {"ls {a,b}", ""},
	{"ls $(a)", ""}, {"ls `a`", ""}, {"ls &", ""}, {"! ls", ""}, {"(ls)", ""}, {"{ ls; }", ""}, {"if a; then b; fi", ""},
	{"for i in 1; do a; done", ""}, {"f() { a; }; f", ""}, {"function f { a; }; f", ""}, {"X=1 ls", ""}, {"X=1", ""}, {"export X=1; ls", ""},
	{"ls # x", ""}, {"# x", ""}, {"'ls'", ""}, {`"ls"`, ""}, {`\ls`, ""}, {"l's'", ""}, {`ls a\ b`, ""}, {`ls "a\"b"`, ""},
	{"ls =sh", ""}, {"ls HEAD^", ""}, {"ls a#b", ""}, {"[ -f x ]", ""}, {"[[ -f x ]]", ""}, {"a |& b", ""}, {"((1))", ""}, {"ls $'a'", ""},
	{"", ""}, {"ls '", ""}, {"a &&", ""}, {"ls ''\"\"", ""},
	// A carriage return is a blank, and so is every newline right before an escaped
	// blank or a continued line: what follows is more of the same command.
	{"git push\r\nls\r\n", "git push | ls"}, {"a\rb", "a b"}, {"a\fb\vc", "a b c"},
	{"a\n\\\nb c", "a b c"}, {"a\n\n\\\nb", "a b"}, {"a\n\\ b", "a b"}, {"a\n\\\n'b'", "a b"}, {"a\n\\\n;b", "a | b"}, {"a\n\\\n\nb", "a | b"},
	{"a\n \\\nb", "a | b"}, {"a;\n\\\nb", "a | b"}, {"a &&\n\\\nb", "a | b"}, {"a\n\r\n\\\nb", "a | b"},
	// A continued line ends a word.
	{"git pu\\\nsh", "git pu sh"}, {"a b\\\n'c'", "a b c"}, {"a\\\tb", "a b"}, {"a \\\r\n b", "a b"},
	// Nothing may end in blanks of which one is escaped; a newline behind them counts
	// where it ends a command.
	{"ls \\\n\n", "ls"}, {"ls \\\n  ", ""}, {"ls \\ ", ""}, {"ls;\\\n\n", ""}, {"ls \\", ""},
	// Words that close what isn't open are words, and so are time, let and coproc.
	{"then a; fi", "then a | fi"}, {"ls; done", "ls | done"}, {"esac", "esac"}, {"time 'a b' c", "time a b c"}, {"let \"z w\"", "let z w"}, {"coproc", "coproc"},
	{"if", ""}, {"! a", ""}, {"!a", "!a"}, {"local x", ""}, {"unsetenv x", ""}, {"select x", ""},
	// A program's word isn't a number, and doesn't begin as a variable does.
	{"0x1", ""}, {"-1 a", ""}, {"7z a", "7z a"}, {"0x1f", "0x1f"}, {"a@b", ""}, {"a%b c", ""}, {"2@ a", ""}, {"é%a", ""}, {"a+=b", ""}, {"2=b", ""},
	{"a-b@c", "a-b@c"}, {"@a", "@a"}, {"x a@b %c", "x a@b %c"}, {"a++", "a++"},
	// Nothing follows quotes that begins with =; behind them more is a blank.
	{"a 'd'=x", ""}, {"a b=\"d\"", "a b=d"}, {"a --x=\"y\"=z", ""}, {"a 'd'+=x", "a d+=x"}, {"a ''\u2028\"d\"", "a  \u2028d"}, {"a b\u2028c", "a b\u2028c"},
	{"a ;; b", ""}, {"; a", ""}, {"a\n&& b", ""}, {"a && | b", ""}, {"a;\n\nb;", "a | b"}, {"a \x00", ""},
}

func TestSplitScript(t *testing.T) {
	for _, c := range splitScripts {
		s := splitScript(unit{"/bin/bash", "-lc", c.script})
		got := ""
		if s.Plain {
			var units []string
			for _, u := range s.Units {
				units = append(units, strings.Join(u, " "))
			}
			got = strings.Join(units, " | ")
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q (%s): %s", c.script, s.Why, d)
		}
	}
}

// TestForcedRemoval holds commands of section 5 of the measurements: the one
// built-in question about commands.
func TestForcedRemoval(t *testing.T) {
	for script, want := range map[string]bool{
		"rm -rf x": true, "rm -fr x": true, "rm -f x": true, "rm --force x": true, "rm -vf x": true, "rm x -f": true, "/bin/rm -rf x": true, "rm -rf -- x": true, "rm -r -f x": true,
		"sudo rm -rf x": true, "env rm -rf x": true, "env A=1 rm -rf x": true, "env -i rm -rf x": true, "env -- rm -rf x": true, "trap 'rm -rf x' EXIT": true,
		"bash -c 'rm -rf x'": true, "sh -lc 'rm -rf x'": true, "zsh -c 'rm -rf x'": true, `bash -lc "bash -c 'rm -rf x'"`: true,
		"if a; then rm -rf x; fi": true, "for i in 1; do rm -rf x; done": true, "f() { rm -rf x; }; f": true, "(rm -rf x)": true, "echo $(rm -rf x)": true, "echo `rm -rf x`": true,
		"rm -rf x > /dev/null 2>&1": true, "X=1 rm -f x": true, "rm -rf x &": true, "rm -rf x # c": true, `rm -rf "$X"`: true, "a && rm -rf x": true, "! rm -rf x": true, "'rm' -rf x": true,
		strings.Repeat("env ", 8) + "ls": true, strings.Repeat("env ", 7) + "ls": false,
		"rm -r x": false, "rm x": false, "rm -- -f": false, "rm -ri x": false, "rm -I x": false, "sudo -n rm -rf x": false, "env -u A rm -rf x": false, "find x -delete": false, "find x -exec rm -rf {} +": false,
		"xargs rm -rf < f": false, "nohup rm -rf x": false, "timeout 5 rm -rf x": false, "command rm -rf x": false, "exec rm -rf x": false, "eval 'rm -rf x'": false, `\rm -rf x`: false, "time rm -rf x": false,
		"c=rm; $c -rf x": false, "cat <<'E' | bash\nrm -rf x\nE": false, "echo 'rm -rf x'": false, "git clean -fdx": false, "busybox rm -rf x": false, "rmdir -f x": false, "bash -c 'rm -rf x' y": false,
		"rm -f\\\n x": true, "2>y rm -f x": true, "rm <<< y -f x": true, "time (rm -f x)": true,
		"rm > y -f x": false, "rm 2>&1 -f x": false, "rm <<E -f x\nE": false, "sudo > y rm -f x": false, "coproc rm -f x": false, "coproc { rm -f x; }": false, "time { rm -f x; }": false,
		"\\  rm -f x": true, "rm \\ -f x": true, "rm -f x; echo a$": true, "rm -f x; echo a$; true": false, "rm -f\\ x": false,
		"rm -\\\nf x": false, "ls 'x": false, "true\n\\\nrm -f x": false, "rm -f x\r\nls": true,
	} {
		if got := forcedRemoval(unit{"/bin/bash", "-lc", script}) == byForce; got != want {
			t.Errorf("%q: %v, want %v", script, got, want)
		}
	}
}

// TestDoubtfulRemoval holds scripts that Codex's parser reads otherwise than ours,
// or not at all: nobody may be told that they are stopped, or that they aren't. Of
// the first ones 0.171.0 ran those that speak of rm under never and full access.
func TestDoubtfulRemoval(t *testing.T) {
	for script, want := range map[string]removing{
		"a%b; rm -f x": maybeByForce, "pkg@1 && rm -rf x": maybeByForce, "echo `echo $`; rm -f x": maybeByForce, "a =~ b | rm -f x; (ls)": maybeByForce,
		"A[0]=1 2>&1; rm -f x": maybeByForce, "(ls)\n\\\nrm -f x": maybeByForce, "(ls)\r\nrm -f x": maybeByForce, "(ls); rm -f\\\nx": maybeByForce,
		"rm -f x\\\n": maybeByForce, "if rm -f x": maybeByForce, "rm -rf 'x": maybeByForce, "bash -c 'a%b; rm -f x'": maybeByForce,
		"a%b; rm -f x || bash -c 'rm -f x'": maybeByForce, "bash -c 'a%b; rm -f x' && rm -f x": byForce,
		"a%b; ls": notByForce, "(ls)\r\nls": notByForce, "if ls": notByForce, "(ls; a x%y); rm x": notByForce,
	} {
		out := notByForce
		for _, u := range splitScript(unit{"/bin/bash", "-lc", script}).Units {
			out = max(out, forcedRemoval(u))
		}
		if out != want {
			t.Errorf("%q: %v, want %v", script, out, want)
		}
	}
}

func TestInterceptPatch(t *testing.T) {
	const body = "*** Begin Patch\n*** Delete File: x\n*** End Patch"
	for _, c := range []struct {
		script, dir string
		ok          bool
	}{
		{"apply_patch <<'EOF'\n" + body + "\nEOF\n", "", true},
		{"applypatch <<EOF\n" + body + "\nEOF", "", true},
		{"cd sub && apply_patch <<'EOF'\n" + body + "\nEOF\n", "sub", true},
		{"cd 'a b' && apply_patch <<'EOF'\n" + body + "\nEOF\n", "a b", true},
		{"cd sub; apply_patch <<'EOF'\n" + body + "\nEOF\n", "", false},
		{"apply_patch <<'EOF' && ls\n" + body + "\nEOF\n", "", false},
		{"apply_patch <<'EOF'\n" + body + "\nEOF\nls\n", "", false},
		{"apply_patch <<'EOF' > out\n" + body + "\nEOF\n", "", false},
		{"apply_patch x <<'EOF'\n" + body + "\nEOF\n", "", false},
		{"apply_patch", "", false},
	} {
		got, dir, ok := interceptPatch(c.script)
		if ok != c.ok || dir != c.dir || ok && got != body {
			t.Errorf("%q: %q in %q, %v", c.script, got, dir, ok)
		}
	}
}

func TestPatchPaths(t *testing.T) {
	got, err := patchPaths("*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n@@\n-x\n+y\n*** Delete File: d\n*** End Patch\n")
	if d := cmp.Diff([]string{"a", "b", "c", "d"}, got); d != "" || err != nil {
		t.Errorf("%s %v", d, err)
	}
	for _, bad := range []string{"", "*** Begin Patch\n*** End Patch", "*** Begin Patch\n*** Add File: a\n+x", "*** Begin Patch\nx\n*** End Patch", "*** Begin Patch\n*** Update File: a\n*** End Patch"} {
		if got, err := patchPaths(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

func FuzzScript(f *testing.F) {
	for _, s := range []string{"a && b", "echo \"$(rm -rf x)\" > f", "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF\n", "time", "cd x && apply_patch <<E\nE\n", "trap -- 'rm -f x'", "sudo sudo", "env -- A=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		argv := unit{"/bin/bash", "-lc", script}
		s := splitScript(argv)
		if len(s.Units) == 0 {
			t.Fatal("a script without a unit")
		}
		for _, u := range s.Units {
			if len(u) == 0 {
				t.Fatal("an empty unit")
			}
			forcedRemoval(u)
		}
		forcedRemoval(argv)
		if p, _, ok := interceptPatch(script); ok {
			_, _ = patchPaths(p)
		}
		_, _ = patchPaths(script)
	})
}
