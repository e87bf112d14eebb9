package codex

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// declarer says, before anything is read back, what the settings don't keep of a
// policy. It knows the settings as a table of a few answers (profileAnswers) and
// the written rules; the comparison that comes later knows the native bytes.
type declarer struct {
	env   evaluator.Env
	table profileAnswers
	rules []writtenRule
}

// declare lists the gaps of a cell.
func declare(in compiler.Intent, env evaluator.Env, s settings, rules []writtenRule) []evaluator.Gap {
	d := declarer{env, newAnswers(s), rules}
	return compiler.Declare(in, env, func(p compiler.Probe) compiler.Outcome {
		a := d.answer(p)
		return compiler.Outcome{Effect: a.effect, Confinement: a.confinement, Reason: a.reason}
	})
}

func (d declarer) answer(p compiler.Probe) answer {
	switch p.Kind {
	case evaluator.Command:
		return d.command(p)
	case evaluator.FileRead:
		if isImage(p.Path) {
			return d.table.unasked
		}
		return looser(d.command(plain("cat "+p.Path)), d.shell("cat < "+p.Path))
	case evaluator.FileChange:
		return d.unlessShell(d.change(p))
	case evaluator.WebFetch:
		return looser(d.unlessRuled(d.table.fetch, "curl", p.URL), d.unlessRuled(d.table.fetch, defaultShell, "-lc", "curl "+p.URL+" < /dev/null"))
	case evaluator.MCPTool:
		if p.Annotations != nil { // of the probes only those that read have any
			return answer{effect: evaluator.Allow, reason: "Codex runs MCP tools unasked that call themselves read-only"}
		}
		return d.table.mcp
	case evaluator.Question:
		return d.table.question
	}
	return d.table.unasked
}

func plain(text string) compiler.Probe {
	return compiler.Probe{Action: evaluator.Action{Kind: evaluator.Command, Command: text}}
}

func looser(a, b answer) answer {
	if a.stricter(b) {
		return b
	}
	return a
}

// command is what the written rules and, for what they don't match, the profile
// come to. A text that isn't plain for Codex is one command to it: the shell's.
func (d declarer) command(p compiler.Probe) answer {
	words := strings.Fields(p.Command)
	switch p.Form {
	case compiler.Plain, compiler.DoubleBlanks, compiler.FullPath, compiler.ByEnv, compiler.ByShell, compiler.WithOption:
		if !declares(words[0]) {
			return d.units(words)
		}
	case compiler.Continued: // to Codex quux is one more argument
		if base := strings.Fields(p.Base); !declares(base[0]) {
			return d.units(append(base, "quux"))
		}
	case compiler.AfterFolder, compiler.AfterOther:
		first, _, _ := strings.Cut(p.Command, " && ")
		if base := strings.Fields(p.Base); !declares(base[0]) {
			return d.units(strings.Fields(first), base)
		}
	case compiler.NoCommand:
		if words[0] == "cd" {
			return d.units(words)
		}
	}
	a := d.shell(p.Command)
	if removes(strings.Fields(p.Base)) && p.Form != compiler.Escaped && !a.ruled {
		a = d.table.forced
	}
	return a
}

// declares reports whether a word makes a declaration, which is no plain command.
func declares(word string) bool {
	return slices.Contains([]string{"export", "declare", "typeset", "readonly", "local", "let", "unset"}, word)
}

// shell is the answer for a text that isn't plain.
func (d declarer) shell(text string) answer {
	a := d.unlessRuled(d.table.command, defaultShell, "-lc", text)
	if !a.ruled {
		a.reason = "the rules aren't asked about the commands of a text that isn't plain (a redirection, an assignment, a quoted name): " + a.reason
	}
	return a
}

// units is the strictest of several commands. An allow of some of them alone
// leaves the profile's own answer.
func (d declarer) units(list ...[]string) answer {
	out, all := answer{}, true
	for i, words := range list {
		one := d.table.command
		if removes(words) {
			one = d.table.forced
		}
		one = d.unlessRuled(one, words...)
		all = all && one.ruled && one.effect == evaluator.Allow
		if i == 0 || one.stricter(out) {
			out = one
		}
	}
	if out.effect == evaluator.Allow && !all {
		return d.table.command
	}
	return out
}

// unlessRuled is an answer, or what the strictest rule for a command says. A rule
// speaks of a program by its path, or else by its name.
func (d declarer) unlessRuled(a answer, words ...string) answer {
	best, ok := d.strictest(words)
	if !ok && strings.Contains(words[0], "/") {
		best, ok = d.strictest(append([]string{path.Base(words[0])}, words[1:]...))
	}
	if ok {
		a = d.table.byDecision(best)
		a.ruled = true
	}
	return a
}

func (d declarer) strictest(words []string) (best execpolicy.Decision, ok bool) {
	for _, r := range d.rules {
		if len(words) >= len(r.words) && slices.Equal(words[:len(r.words)], r.words) {
			best, ok = max(best, r.decision), true
		}
	}
	return best, ok
}

// removes reports whether a probe's command removes by force, also behind env or
// a shell.
func removes(words []string) bool {
	for i, w := range words {
		if path.Base(strings.Trim(w, "'")) == "rm" && (i == 0 || words[0] == "env" || words[0] == "bash") {
			return hasForce(words[i+1:])
		}
	}
	return false
}

// unlessShell is the looser of an answer and of what a rule for the shell itself
// says of every text that isn't plain.
func (d declarer) unlessShell(a answer) answer {
	if shell := d.shell("cat > file"); shell.ruled {
		return looser(a, shell)
	}
	return a
}

// change is the answer for a patch. The sandbox's folders may be written, but for
// a few names at the top of each.
func (d declarer) change(p compiler.Probe) answer {
	for _, name := range []string{p.Path, p.To} {
		if name == "" {
			continue
		}
		if protected, ok := d.writable(paths.Abs(d.env.Workspace, name)); !ok {
			a := d.table.outside
			if protected {
				a.reason = strings.Join(protectedNames, ", ") + " are read-only at the top of a writable folder: " + a.reason
			}
			return a
		}
	}
	return d.table.inside
}

func (d declarer) writable(at string) (protected, ok bool) {
	p := d.table.policy
	roots := append([]string{d.env.Workspace}, p.WritableRoots...)
	if !p.ExcludeSlashTmp {
		roots = append(roots, "/tmp")
	}
	for _, root := range roots {
		if !paths.Within(root, at) {
			continue
		}
		ok = true
		top, _, _ := strings.Cut(paths.Rel(root, at), "/")
		if slices.Contains(protectedNames, top) {
			return true, false
		}
	}
	return false, ok
}

// answer is one entry of the table.
type answer struct {
	effect      evaluator.Effect
	confinement evaluator.Confinement
	reason      string
	ruled       bool // a written rule decided
}

func (a answer) stricter(than answer) bool {
	x, _ := evaluator.Strictness(a.effect, a.confinement)
	y, _ := evaluator.Strictness(than.effect, than.confinement)
	return x > y
}

// profileAnswers is what the profile's values alone come to, kind by kind.
type profileAnswers struct {
	policy          sandboxPolicy
	command, forced answer // any command; rm -f
	prompted        answer // where a rule asks
	inside, outside answer // a change of a file
	fetch, mcp      answer
	question        answer
	unasked         answer // web search, subagents, images
}

func newAnswers(s settings) profileAnswers {
	p := s.Approval
	full := s.SandboxPolicy.Type == fullAccess
	values := fmt.Sprintf("approvalPolicy %s, %s", p.Word, s.SandboxPolicy.Type)
	asked := answer{effect: evaluator.Ask, reason: values + " asks the person"}
	if s.Reviewer != byUser && p.Word != untrusted {
		asked = answer{effect: evaluator.Review, reason: values + " asks the reviewer"}
	}
	refused := answer{effect: evaluator.Deny, reason: values + " refuses what would ask"}
	runs := answer{effect: evaluator.Allow, reason: values + " runs it unasked"}
	boxed := runs
	if !full {
		boxed.confinement, boxed.reason = evaluator.WorkspaceWrite, values+" runs it unasked, in the sandbox"
		if s.SandboxPolicy.Type == readOnly {
			boxed.confinement = evaluator.ReadOnly
		}
	}
	t := profileAnswers{policy: s.SandboxPolicy, command: boxed, forced: asked, prompted: asked, outside: asked, fetch: asked, mcp: asked}
	switch {
	case p.Word == untrusted:
		t.command = asked
	case p.Word == never:
		t.forced, t.prompted, t.outside, t.fetch, t.mcp = refused, refused, refused, refused, refused
	case p.Word == granular && !p.Granular.SandboxApproval:
		t.outside, t.fetch = refused, refused
	}
	if p.Word == granular && !p.Granular.Rules {
		t.prompted = refused
	}
	t.forced.reason = "rm -f style commands are a case of their own: " + t.forced.reason
	if full && p.Word != untrusted {
		t.outside, t.fetch = runs, runs
		if p.Word == never {
			t.mcp = runs
		}
	}
	if s.SandboxPolicy.NetworkAccess && p.Word != untrusted {
		t.fetch = boxed
	}
	t.inside = t.outside
	if s.SandboxPolicy.Type == workspaceWrite && p.Word != untrusted {
		t.inside = boxed
	}
	t.unasked = answer{effect: evaluator.Allow, reason: "Codex never asks about web search, subagents and looking at images"}
	t.question = answer{effect: evaluator.Deny, reason: "request_user_input is there in plan only"}
	if s.Collaboration.Mode == planMode {
		t.question = answer{effect: evaluator.Ask, reason: "request_user_input asks the person"}
	}
	return t
}

func (t profileAnswers) byDecision(d execpolicy.Decision) answer {
	switch d {
	case execpolicy.Allow:
		return answer{effect: evaluator.Allow, reason: "an allow rule lets it run, outside the sandbox"}
	case execpolicy.Prompt:
		return t.prompted
	}
	return answer{effect: evaluator.Deny, reason: "Codex takes the strictest of all rules that match, and a rule matches whatever arguments follow"}
}
