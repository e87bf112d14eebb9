package execpolicy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/adapters/evidence/evidencetest"
	"github.com/modegate/modegate/internal/livebin"
)

// TestLiveCheck asks the real `codex execpolicy check` about generated rule files
// and commands. Its answers must be ours, byte for byte, and what it refuses we
// refuse.
func TestLiveCheck(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a program 400 times")
	}
	bin := livebin.Need(t, livebin.Codex)
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(171, 0))
	refused, wrong := 0, 0
	for i := range 400 {
		files := ruleFiles(random)
		argv := pick(random, commands)
		byPaths := random.IntN(2) == 0
		args := []string{"execpolicy", "check"}
		for n := range files {
			files[n].Name = filepath.Join(dir, fmt.Sprintf("%d-%d.rules", i, n))
			if err := os.WriteFile(files[n].Name, []byte(files[n].Text), 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(args, "--rules", files[n].Name)
		}
		if byPaths {
			args = append(args, "--resolve-host-executables")
		}
		answer, ok := runCheck(t, bin, dir, append(append(args, "--"), argv...))
		p, err := execpolicy.Parse(files...)
		var ours []byte
		if err == nil {
			ours, err = p.Check(argv, execpolicy.Where{Dir: dir, ByPaths: byPaths})
		}
		if !ok {
			refused++
		}
		if ok != (err == nil) || ok && !bytes.Equal(answer, ours) {
			wrong++
			t.Errorf("rules %q\ncommand %q, by paths %v\ncodex: %s\n ours: %s %v", files, argv, byPaths, answer, ours, err)
		}
	}
	t.Logf("%d of 400 were refused", refused)
	evidencetest.Record(t, "codex/0.171.0/execpolicy", livebin.Codex, 400, wrong)
}

// runCheck returns the output of one run; ok is false when Codex refused the
// rules.
func runCheck(t *testing.T, bin, dir string, args []string) (out []byte, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "CODEX_HOME=" + dir, "TMPDIR=" + dir, "PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("%v: %v", args, err)
	}
	return bytes.TrimSpace(out), err == nil
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

var commands = [][]string{
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

// ruleFiles makes one or two files of a few statements; about one in five has a
// fault.
func ruleFiles(r *rand.Rand) []execpolicy.File {
	files := make([]execpolicy.File, 1+r.IntN(2))
	for i := range files {
		var lines []string
		for range 1 + r.IntN(4) {
			lines = append(lines, statement(r))
		}
		if r.IntN(10) == 0 {
			lines = append(lines, pick(r, broken))
		}
		files[i].Text = strings.Join(lines, "\n") + "\n"
	}
	return files
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
