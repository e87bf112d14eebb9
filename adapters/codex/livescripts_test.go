package codex_test

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters/evidence/evidencetest"
	"github.com/modegate/modegate/internal/livebin"
)

const catRules = `prefix_rule(pattern=["cat"], decision="allow")
prefix_rule(pattern=["let"], decision="allow")
prefix_rule(pattern=["time"], decision="allow")
prefix_rule(pattern=["unset"], decision="allow")
prefix_rule(pattern=["test"], decision="allow")
prefix_rule(pattern=["["], decision="allow")
prefix_rule(pattern=["coproc"], decision="allow")
prefix_rule(pattern=["123"], decision="allow")
prefix_rule(pattern=["git", "-C", "."], decision="forbidden")
prefix_rule(pattern=["touch", "a b"], decision="forbidden")
prefix_rule(pattern=["touch", "\\n"], decision="forbidden")
`

const shellRules = `prefix_rule(pattern=["bash", "-lc"], decision="forbidden")
prefix_rule(pattern=["/bin/sh", "-lc"], decision="prompt")
host_executable(name="ls", paths=["/bin/ls"])
prefix_rule(pattern=["ls"], decision="prompt")
prefix_rule(pattern=["echo"], decision="prompt")
host_executable(name="env", paths=["/usr/bin/env"])
prefix_rule(pattern=["env"], decision="forbidden")
`

// TestLiveScripts asks the real agent about scripts that the corpus doesn't have:
// which are plain, which words may stand in them, what counts as a forced removal
// and as a patch, and what a rule for the shell itself matches.
func TestLiveScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a real agent")
	}
	bin := livebin.Need(t, livebin.Codex)
	var total tally
	on := func(cmd string) liveRow {
		return liveRow{Approval: "on-request", Sandbox: "workspaceWrite", Reviewer: "user", Mode: "default", Action: map[string]any{"tool": "exec_command", "cmd": cmd}}
	}
	never := func(cmd string) liveRow {
		r := on(cmd)
		r.Approval, r.Sandbox = "never", "dangerFullAccess"
		return r
	}
	with := func(r liveRow, key string, v any) liveRow {
		action := map[string]any{key: v}
		for k, old := range r.Action {
			if k != key {
				action[k] = old
			}
		}
		r.Action = action
		return r
	}
	mcp := func(tool string) liveRow {
		r := on("")
		r.Action = map[string]any{"tool": "mcp:" + tool, "elicits": tool == "elicit" || tool == "elicit_any"}
		if hints := stubTools[tool]; hints != nil {
			r.Action["annotations"] = hints
		}
		return r
	}
	t.Run("words", func(t *testing.T) {
		total.compare(t, bin, catRules,
			on("cat a^b"), on("cat a#b"), on("cat =x"), on("cat x=y"), on(`cat "a\"b"`), on(`cat "a\b"`), on(`cat a\ b`), on("cat {a,b}"), on("cat a~"), on("cat a!"), on("cat a%b"), on("cat a@b"), on("cat a:b,c+d"), on("cat é"),
			on("cat ''"), on(`cat ""`), on("cat 1 2"), on("cat 'f'g"), on("cat f''"), on("cat $'f'"), on(`cat $"f"`), on("cat \\\nf"), on("cat f;"), on("\n\ncat f\n\n"), on("cat f &&\ncat g"), on("cat f |\ncat"), on("cat f |& cat"),
			on("time cat f"), on("time -p cat f"), on("time cat f | cat"), on("let x=1"), on("unset X"), on("test -f x"), on("[ -f x ]"), on("coproc cat f"), on("123"), on("cat f; cat g &"), on("case x in x) cat f;; esac"), on("while false; do cat f; done"), on("cat f; declare x"), on("cat <(cat f)"), on("cat f; ;"),
			on("cat f\ncat g"), on("cat f; (cat g)"), on("git -C . status"), on("git  -C  .  status"), on("git -C . status > x"), on("touch 'a b'"), on(`touch "\n"`), on("cat -"), on("cat $((1))"), on("cat ${X}"), on("cat #"), on("#!/bin/sh\ncat f"), on("cat f\r\n"), on("cat\tf"),
			on(`cat "a$ b"`), on(`cat "$"`), on("\\ cat f"), on("cat \\ f"), on("cat\\ f"), on("\\\tcat f"), never("cat f; echo a$; true"),
		)
	})
	t.Run("shell rules", func(t *testing.T) {
		total.compare(t, bin, shellRules,
			on("true > x"), on("true"), on("true # x"), never("true > x"), with(on("true > x"), "shell", "/bin/sh"), with(on("true"), "shell", "/bin/sh"), with(on("true > x"), "login", false), on("bash -lc true"), on("bash -c true"),
			on("ls"), on("/bin/ls"), on("/usr/bin/ls"), on("./ls"), on("../../../../../../bin/ls"), with(on("./ls"), "workdir", "/bin"), on("/bin/../bin/ls"), on("/bin/echo x"), on("./sub/echo"),
			on("/usr/bin/env"), with(on("./env"), "workdir", "/usr/bin"), with(on("true > x"), "shell", "bash"), with(on("true"), "shell", "/bin/bash"),
			with(on("true > x"), "shell", "fish"), with(on("true > x"), "shell", "/bin/dash"),
		)
	})
	t.Run("removal", func(t *testing.T) {
		total.compare(t, bin, "",
			never("rm -f x"), never("rm -R x --force"), never("rm --recursive --force x"), never("rm -rF x"), never("rm --forc x"), never("rm '-f' x"), never(`rm "-f" x`), never("rm $X -f"), never("'rm' -f x"), never(`"rm" -f x`), never("r'm' -f x"),
			never("./rm -f x"), never("rm.exe -f x"), never("sudo env rm -f x"), never("sudo -- rm -f x"), never("sudo A=1 rm -f x"), never("env -S 'rm -f x'"), never("env --ignore-environment rm -f x"), never("env A=1 B=2 -i rm -f x"), never("env"), never("trap -- 'rm -f x' EXIT"), never("trap - EXIT"), never("trap 'echo rm -f x' EXIT"),
			never("bash -lc 'rm -f x'"), never("bash -ec 'rm -f x'"), never("bash -l -c 'rm -f x'"), never("/bin/bash -c 'rm -f x'"), never("dash -c 'rm -f x'"), never("cat <<E\n$(rm -f x)\nE"), never("X=$(rm -f x)"), never("echo <(rm -f x)"), never("[ -n \"$(rm -f x)\" ]"), never("export X=$(rm -f x)"), never("while rm -f x; do break; done"), never("case $(rm -f x) in *) ;; esac"),
			never("time rm -f x"), never("! rm -f x"), never("rm -f x |& cat"), never("coproc rm -f x"), never("unlink x; rm -rf sub"), never("true; rm -rf"), never("rm -rf 'x"), never("if rm -f x"), never("rm -f x ; ; true"), never("true\nrm -f x"), never("find . -exec rm -f x ';'"), never("{ rm -f x; }"), never("select x in a; do rm -f x; break; done < /dev/null"), never("echo \"`rm -f x`\""), never("echo ${X:-$(rm -f x)}"), never("echo $((`rm -f x`))"), never("[[ -n $(rm -f x) ]]"), never("rm\t-f x"), never("rm -f\\\n x"), never("r\\\nm -f x"), never("> y rm -f x"), never("rm > y -f x"),
			never("rm 2>&1 -f x"), never("rm <<E -f x\nE"), never("rm <<< y -f x"), never("rm < y -f x"), never("2>y rm -f x"), never("rm x > y -f; rm -f z"), never("sudo > y rm -f x"), never("rm &> y -f x"), never("coproc NAME { rm -f x; }"), never("coproc { rm -f x; }"),
			never("time { rm -f x; }"), never("time -p rm -f x"), never("time (rm -f x)"), never("! time rm -f x"), never("time bash -c 'rm -f x'"), never("rm \\\n-f x"), never("rm -f x\\\n"), never("rm -\\\nf x"), never("builtin rm -f x"),
			never("rm -f x; echo a$"), never("rm -f x; echo a$; true"), never("rm -f x; echo $; true"), never("\\  rm -f x"), never("rm \\ -f x"), never("rm -f\\ x"),
		)
	})
	const patch = "*** Begin Patch\n*** Add File: p1.txt\n+hello\n*** End Patch\n"
	t.Run("patches", func(t *testing.T) {
		total.compare(t, bin, "",
			on("apply_patch <<'EOF'\n"+patch+"EOF\n"), on("apply_patch <<EOF\n"+patch+"EOF\n"), on("apply_patch <<\"EOF\"\n"+patch+"EOF\n"), on("applypatch <<'EOF'\n"+patch+"EOF\n"), on("cd sub && apply_patch <<'EOF'\n"+patch+"EOF\n"), on("cd .. && apply_patch <<'EOF'\n"+patch+"EOF\n"), on("cd '.git' && apply_patch <<'EOF'\n"+patch+"EOF\n"),
			on("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: file.txt\n*** Move to: ../moved.txt\n@@\n-hi\n+ho\n*** End Patch\nEOF\n"), on("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: file.txt\n*** Move to: sub/moved.txt\n@@\n-hi\n+ho\n*** End Patch\nEOF\n"), on("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: sub/../../outside/x\n+x\n*** End Patch\nEOF\n"), on("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: sub/../x\n+x\n*** End Patch\nEOF\n"),
			on("apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF\n"), on("apply_patch <<'EOF'\nnonsense\nEOF\n"), on("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: file.txt\n*** End Patch\nEOF\n"), on(patch), on("# c\napply_patch <<'EOF'\n"+patch+"EOF\n"), on("apply_patch <<'EOF'\n"+patch+"EOF\ntrue\n"), on("apply_patch <<-'EOF'\n"+patch+"EOF\n"), on("X=1 apply_patch <<'EOF'\n"+patch+"EOF\n"), on("apply_patch '"+patch+"'"),
			on("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .aws/x\n+x\n*** End Patch\nEOF\n"), on("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .agents/x\n+x\n*** End Patch\nEOF\n"), on("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: sub/.git/x\n+x\n*** End Patch\nEOF\n"), on("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .github/x\n+x\n*** End Patch\nEOF\n"), on("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .GIT/x\n+x\n*** End Patch\nEOF\n"), on("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .git\n+x\n*** End Patch\nEOF\n"), on("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .gitignore\n+x\n*** End Patch\nEOF\n"), on("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: /tmp/.git/modegate-x\n+x\n*** End Patch\nEOF\n"),
		)
	})
	t.Run("mcp", func(t *testing.T) {
		var rows []liveRow
		for tool := range stubTools {
			for _, approval := range []any{"on-request", "untrusted", "never"} {
				r := mcp(tool)
				r.Approval = approval
				rows = append(rows, r)
			}
		}
		total.compare(t, bin, "", rows...)
	})
	evidencetest.Record(t, "codex/0.171.0/scripts", livebin.Codex, total.cases, total.disagreements)
}

// compare asks one agent about every row.
func (total *tally) compare(t *testing.T, bin, rules string, rows ...liveRow) {
	t.Helper()
	a := startAgent(t, bin, rules)
	for _, r := range rows {
		r.Rules = rules
		got, ours := a.live(r), r.ours(t)
		if ours.Outcome == "unknown" {
			continue
		}
		total.cases++
		if got != ours.Outcome && !(got == "runs" && strings.HasPrefix(ours.Outcome, got)) {
			total.disagreements++
			t.Errorf("%s: real %s, ours %s (%s)", r, got, ours.Outcome, ours.Reason)
		}
	}
}
