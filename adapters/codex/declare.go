package codex

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/bash"
	"github.com/modegate/modegate/internal/paths"
)

// declarer says, before anything is read back, what the settings don't keep of a
// policy. It knows the settings as a table of a few answers (profileAnswers) and
// the written rules; the comparison that comes later knows the native bytes.
type declarer struct {
	in    compiler.Intent
	env   evaluator.Env
	table profileAnswers
	rules []writtenRule
	gaps  []evaluator.Gap
}

// declare lists the gaps of a cell.
func declare(in compiler.Intent, env evaluator.Env, s settings, rules []writtenRule) []evaluator.Gap {
	d := &declarer{in: in, env: env, table: newAnswers(s), rules: rules}
	for _, c := range []string{"ls", "rm -rf build", "npm test && rm -rf build"} {
		d.command(c)
	}
	for _, r := range rules {
		bare := strings.Join(r.words, " ")
		for _, c := range []string{bare, bare + " x", bare + "x", "cd . && " + bare} {
			d.command(c)
		}
		d.reworded(bare + " > out.txt")
	}
	d.add(evaluator.Action{Kind: evaluator.Command, Command: "ls", Cwd: "/outside-of-everything"}, d.ruled("ls"))
	d.path("src/a.go", d.table.inside)
	d.path(".env", d.table.inside)
	protected := d.table.outside
	protected.reason = strings.Join(protectedNames, ", ") + " are read-only at the top of the workspace: " + protected.reason
	d.add(evaluator.Action{Kind: evaluator.FileChange, Path: ".git/config"}, protected)
	d.path("/outside-of-everything/a.txt", d.table.outside)
	for _, r := range in.Narrow() {
		d.narrowPath(r)
	}
	d.fetch("https://example.test/")
	d.add(evaluator.Action{Kind: evaluator.MCPTool, Server: "example", Tool: "write"}, d.table.mcp)
	d.add(evaluator.Action{Kind: evaluator.Question}, d.table.question)
	d.add(evaluator.Action{Kind: evaluator.WebSearch, Query: "example"}, d.table.unasked)
	d.add(evaluator.Action{Kind: evaluator.Subagent, Agent: "general"}, d.table.unasked)
	for _, r := range in.Narrow() {
		d.narrowText(r)
	}
	return d.gaps
}

func (d *declarer) command(text string) {
	d.add(evaluator.Action{Kind: evaluator.Command, Command: text}, d.ruled(text))
}

// reworded is a command that the rules don't match although the policy's do: it
// isn't plain for Codex.
func (d *declarer) reworded(text string) {
	a := d.table.command
	a.reason = "a rewording that isn't plain (a redirection, a comment) or that hides the command behind a wrapper isn't matched: " + a.reason
	d.add(evaluator.Action{Kind: evaluator.Command, Command: text}, a)
}

// ruled is what the written rules and, for what they don't match, the profile
// come to: the strictest of all commands and all rules.
func (d *declarer) ruled(text string) answer {
	script, err := bash.Parse(text)
	if err != nil {
		return d.table.command
	}
	out, loose := answer{}, true
	for _, c := range script.Commands() {
		words, _ := script.Words(c)
		one := d.table.command
		if removes(words) {
			one = d.table.forced
		}
		if best, ok := d.strictest(words); ok {
			one = d.table.byDecision(best)
		} else {
			loose = false
		}
		if out.reason == "" || one.stricter(out) {
			out = one
		}
	}
	if out.effect == evaluator.Allow && !loose {
		return d.table.command // some are allowed by rules, but not all
	}
	return out
}

func (d *declarer) strictest(words []string) (best execpolicy.Decision, ok bool) {
	for _, r := range d.rules {
		if len(words) >= len(r.words) && slices.Equal(words[:len(r.words)], r.words) {
			best, ok = max(best, r.decision), true
		}
	}
	return best, ok
}

// removes covers the plain form of a forced removal, which is all that is
// declared.
func removes(words []string) bool {
	return len(words) > 1 && words[0] == "rm" && hasForce(words[1:])
}

func (d *declarer) path(p string, change answer) {
	read := d.orRuled(d.table.command, "cat", p)
	if isImage(p) {
		read = d.table.unasked
	}
	d.add(evaluator.Action{Kind: evaluator.FileRead, Path: p}, read)
	d.add(evaluator.Action{Kind: evaluator.FileChange, Path: p}, change)
}

func (d *declarer) fetch(url string) {
	d.add(evaluator.Action{Kind: evaluator.WebFetch, URL: url}, d.orRuled(d.table.fetch, "curl", url))
}

// orRuled is the looser of an answer and of what rules say about a program that
// does the same. A stricter rule stops that program alone.
func (d *declarer) orRuled(a answer, words ...string) answer {
	if best, ok := d.strictest(words); ok && a.stricter(d.table.byDecision(best)) {
		return d.table.byDecision(best)
	}
	return a
}

// narrowPath declares what a rule for certain paths comes to: Codex knows only
// the workspace and what lies outside.
func (d *declarer) narrowPath(r compiler.Rule) {
	switch r.Kind {
	case evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace:
	default:
		return
	}
	if r.Match == compiler.PlanFiles {
		return
	}
	p := paths.Home(d.env.Home, strings.NewReplacer("**", "x", "*", "x", "?", "x").Replace(r.Match))
	box := newBox(d.table.policy, d.env, facts{})
	m := meaning{box: box, env: d.env}
	change := d.table.outside
	if m.canWrite(evaluator.Action{Path: p}) {
		change = d.table.inside
	}
	d.path(p, change)
	d.path(p+"x", change)
}

// narrowText declares what a rule for certain tools, servers or addresses comes
// to: the settings don't tell them apart.
func (d *declarer) narrowText(r compiler.Rule) {
	text := strings.ReplaceAll(r.Match, "*", "x")
	switch r.Kind {
	case evaluator.WebFetch:
		d.fetch(text)
	case evaluator.WebSearch:
		d.add(evaluator.Action{Kind: r.Kind, Query: text}, d.table.unasked)
	case evaluator.Subagent:
		d.add(evaluator.Action{Kind: r.Kind, Agent: text}, d.table.unasked)
	case evaluator.MCPTool:
		server, tool, ok := strings.Cut(text, "/")
		if !ok || tool == "" {
			tool = "x"
		}
		d.add(evaluator.Action{Kind: r.Kind, Server: server, Tool: tool}, d.table.mcp)
	}
}

// add declares a gap when the policy and the answer differ, one for each rule and
// direction: the widest, or the narrowest.
func (d *declarer) add(a evaluator.Action, got answer) {
	w := d.in.Want(a, d.env)
	if w.Rule == nil {
		return
	}
	if a.Kind == evaluator.Question && w.Effect != evaluator.Deny && got.effect == evaluator.Ask {
		return // a question that is allowed is one that a person answers
	}
	g := compiler.NewGap(evaluator.Codex, w.Kind, *w.Rule, "")
	g.Got = got.effect
	g.Reason = got.reason
	want := answer{effect: w.Effect}
	switch {
	case got.effect == evaluator.Unknown:
		g.Direction = evaluator.NotCompared
	case want.stricter(got):
		g.Direction = evaluator.Wider
	case got.stricter(want):
		g.Direction = evaluator.Narrower
	default:
		return
	}
	i := slices.IndexFunc(d.gaps, func(old evaluator.Gap) bool { return old.ID == g.ID && old.Direction == g.Direction })
	switch {
	case i < 0:
		d.gaps = append(d.gaps, g)
	case g.Direction == evaluator.Wider && compiler.Looser(g.Got, d.gaps[i].Got), g.Direction == evaluator.Narrower && compiler.Looser(d.gaps[i].Got, g.Got):
		d.gaps[i] = g
	}
}

// answer is one entry of the table.
type answer struct {
	effect      evaluator.Effect
	confinement evaluator.Confinement
	reason      string
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
