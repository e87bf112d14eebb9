package live

import (
	"math/rand/v2"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/strictjson"
)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

var checkedCommands = [][]string{
	{"git", "push", "origin"}, {"git", "pull"}, {"git"}, {"/usr/bin/git", "push"}, {"./git", "push"}, {"/opt/x/../git", "pull"},
	{"GIT", "push"}, {"git", "-C", ".", "push"}, {"rm", "-rf", "x"}, {"/bin/rm", "-rf", "x"}, {"bash", "-lc", "git push"}, {"ls"},
	{"git ", "push"}, {"gitk"}, {"", "x"}, {"npm", "run", "a b"}, {"héllo", "wörld"},
}

var fragments = []string{
	`"git"`, `"push"`, `["push", "pull"]`, `"rm"`, `"-rf"`, `["git", "rm"]`, `"/usr/bin/git"`, `"bash"`, `"npm"`, `["run"]`, `"a b"`, `["git", "git"]`, `"héllo"`, `""`,
}

var broken = []string{
	`prefix_rule(pattern=[])`, `prefix_rule(pattern=[[]])`, `prefix_rule(pattern=["git"], decision="deny")`, `prefix_rule(pattern=["git"], justification="\t")`,
	`prefix_rule(pattern=["git"], match=["rm"])`, `prefix_rule(pattern=["git"], not_match=["git x"])`, `prefix_rule(pattern=["git"`, `oops`, `prefix_rule("git")`,
	`prefix_rule(pattern=["git", 1])`, `prefix_rule(pattern=["git"], match=["'"])`, `host_executable(name="git", paths=["x/git"])`, `host_executable(name="git", paths=["/x/rm"])`,
	`network_rule(host="*", protocol="https", decision="deny")`, `network_rule(host="a.b", protocol="tcp", decision="deny")`, `network_rule(host="a.b", protocol="https", decision="never")`,
	`load("a.rules", "b")`, `while True: pass`, `prefix_rule(patern=["git"])`, "x = [\n", `prefix_rule(pattern=["a"], decision=1)`, `1 + "a"`, "\tprefix_rule(pattern=[\"a\"])", `prefix_rule(pattern=["a"], match=[1])`,
}

var extras = []string{
	`host_executable(name="git", paths=["/usr/bin/git"])`, `host_executable(name="git", paths=["/opt/git", "/usr/bin/git"])`, `host_executable(name="rm", paths=[])`,
	`network_rule(host="example.test:443", protocol="https", decision="deny")`, "# a comment", "x = [\"a\"]\nx = x + [\"b\"]", "if True:\n  pass",
	"[prefix_rule(pattern=[z], decision=\"prompt\") for z in [\"git\", \"ls\"]]", "def deny(p):\n  prefix_rule(pattern=p, decision=\"forbidden\", justification=\"no \\\"way\\\" é\")\ndeny([\"git\", \"pull\"])",
}

// Fresh makes one or two rules files of a few statements for each row; about one
// in five has a fault.
func (c *Checker) Fresh(r *rand.Rand, n int) (compiler.CaseFile, []jsontext.Value) {
	rows := make([]jsontext.Value, n)
	for i := range rows {
		files := make([]string, 1+r.IntN(2))
		for f := range files {
			var lines []string
			for range 1 + r.IntN(4) {
				lines = append(lines, statement(r))
			}
			if r.IntN(10) == 0 {
				lines = append(lines, pick(r, broken))
			}
			files[f] = strings.Join(lines, "\n") + "\n"
		}
		raw, err := strictjson.Encode(map[string]any{"files": files, "argv": pick(r, checkedCommands), "byPaths": r.IntN(2) == 0})
		if err != nil {
			panic(err) // text
		}
		rows[i] = raw
	}
	return compiler.CaseFile{}, rows
}

func statement(r *rand.Rand) string {
	if r.IntN(4) == 0 {
		return pick(r, extras)
	}
	var words []string
	for range 1 + r.IntN(3) {
		words = append(words, pick(r, fragments))
	}
	s := "prefix_rule(pattern=[" + strings.Join(words, ", ") + "]"
	if r.IntN(4) > 0 {
		s += `, decision="` + pick(r, []string{"allow", "prompt", "forbidden"}) + `"`
	}
	if r.IntN(5) == 0 {
		s += `, justification="ask me"`
	}
	if r.IntN(12) == 0 {
		s += `, match=["` + pick(r, []string{"git push", "git 'push' x", "rm -rf", "/usr/bin/git pull", `git \"push\"`, "git push # x", "npm run 'a b'"}) + `"]`
	}
	if r.IntN(12) == 0 {
		s += `, not_match=[` + pick(r, []string{`"ls"`, `["git", "status"]`, `"/usr/bin/git push"`, `"git"`, `["npm", "run", "a b"]`}) + `]`
	}
	return s + ")"
}
