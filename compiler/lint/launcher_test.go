package lint_test

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/compiler/lint"
)

func TestLauncher(t *testing.T) {
	for pattern, launches := range map[string]bool{
		"env *": true, "env -i *": true, "env A=1 *": true, "env A=1 make *": false, "env sh -c *": true, "env": false,
		"xargs *": true, "xargs -n1 *": true, "xargs grep *": false, "xargs sh *": true,
		"npx *": true, "npx --yes *": true, "npx prettier *": false, "npm exec *": true, "npm test *": false, "pnpm dlx *": true, "uvx *": true,
		"sh -c *": true, "bash *": true, "bash -lc *": true, "bash": true, "bash script.sh *": false, "bash -c ls": false, "/bin/sh *": true,
		"find *": true, "find . -name *": true, "find . -name x": false,
		"python3 *": true, "python -c *": true, "python -m pytest *": false, "python manage.py *": false, "node *": true, "node -e *": true, "node index.js *": false,
		"sudo *": true, "sudo -u root *": true, "sudo -u root apt *": false, "xargs -I {} *": true, "taskset 0x1 *": true, "sudo apt *": false, "timeout 60 *": true, "timeout 60 make *": false, "nice -n 5 *": true,
		"flock /tmp/x *": true, "ssh *": true, "ssh host *": true, "ssh host uptime": false, "awk *": true, "git *": false, "make *": false, "": false,
	} {
		words := strings.Fields(pattern)
		open := len(words) > 0 && words[len(words)-1] == "*"
		if open {
			words = words[:len(words)-1]
		}
		if how := lint.Launcher(words, open); (how != "") != launches {
			t.Errorf("%q: %q, want a launcher: %v", pattern, how, launches)
		}
	}
}

func TestForeign(t *testing.T) {
	for pattern, special := range map[string]bool{
		"[bc]": true, "a[0-9]b": true, "{a,b}": true, "^git": true, "git push$": true, `\d+`: true, "(a|b)": true, "git .+": true,
		"git status": false, "[": false, "find {}": false, "$HOME": false, "a$": true, "HEAD^": false, "stash@{0}": false, "{{.ID}}": false, "a.b": false, "git log --oneline": false,
	} {
		if why := lint.Foreign(pattern, false); (why != "") != special {
			t.Errorf("%q: %q, want it named: %v", pattern, why, special)
		}
	}
	if lint.Foreign("?cho", false) != "" || lint.Foreign("?cho", true) == "" {
		t.Error("a question mark is named where it isn't special, and only there")
	}
}

func TestRoute(t *testing.T) {
	for pattern, want := range map[string]string{
		"app/[id]/page.tsx": "[id]", "[slug].tsx": "[slug]", "a/[...rest]": "[...rest]", "a/[[...rest]]/b": "[[...rest]]",
		"[sd]*": "", "src/[a-z]/x": "", "a[bc]": "", "x[id]/y": "", "a/[b]": "",
	} {
		if got := lint.Route(pattern); got != want {
			t.Errorf("%q: %q, want %q", pattern, got, want)
		}
	}
	if got := lint.WithoutRoutes("app/[id]/[ab]*.tsx"); got != "app//[ab]*.tsx" {
		t.Error(got)
	}
}
