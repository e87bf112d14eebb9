package claude

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// declarer says, before anything is read back, what the settings don't keep of a
// policy. It knows the modes as a table of a few answers, which of the policy's
// rules are sent, and what Claude's rules see (measured on 2.1.332, 2026-11-30);
// the comparison that comes later knows the native bytes.
type declarer struct {
	env      evaluator.Env
	mode     Mode
	reviews  bool // a classifier decides what nobody has permitted
	callback string
	answers  callback.Answerer
	sent     []sent
	config   string // where Claude's own settings lie
}

// sent is a rule that is sent, with what it speaks of.
type sent struct {
	emitted
	path func(string) bool // Read and Edit
}

func declare(in compiler.Intent, env evaluator.Env, n Native, rules []emitted) []evaluator.Gap {
	mode := *n.TurnPermissionMode
	auto := n.PermissionMode != nil && *n.PermissionMode == Auto
	d := declarer{
		env: env, mode: mode, reviews: mode == Auto || mode == Plan && auto,
		callback: n.Callback.Default, answers: callback.New(n.Callback.Rules, in.PlanFiles),
		config: path.Dir(path.Dir(paths.Home(env.Home, dialect{}.PlanFiles(env)[0]))),
	}
	for _, e := range rules {
		s := sent{emitted: e}
		if e.tool == "Read" || e.tool == "Edit" {
			s.path = d.files(e)
		}
		d.sent = append(d.sent, s)
	}
	return compiler.Declare(in, env, d.outcome)
}

// The ends of Claude's own order.
var (
	bypassed  = compiler.Outcome{Effect: evaluator.Allow, Reason: "bypassPermissions runs everything"}
	ruled     = compiler.Outcome{Effect: evaluator.Ask, Reason: "an ask rule speaks of it"}
	inPlan    = compiler.Outcome{Effect: evaluator.Ask, Reason: "plan asks before what may change something, whatever is allowed"}
	forbidden = compiler.Outcome{Effect: evaluator.Deny, Reason: "a deny rule speaks of it"}
)

func runsUnasked(reason string) compiler.Outcome {
	return compiler.Outcome{Effect: evaluator.Allow, Reason: reason}
}

func (d *declarer) outcome(p compiler.Probe) compiler.Outcome {
	var o compiler.Outcome
	switch {
	case p.Kind == evaluator.FileRead:
		o = d.read(p)
	case p.Kind == evaluator.FileChange && p.To == "":
		o = d.change(p)
	case p.Kind == evaluator.Question:
		o = d.tool("AskUserQuestion", compiler.Outcome{Effect: evaluator.Ask, Reason: "a question is for a person in every mode"}, func(sent) bool { return true })
		if o.Effect == evaluator.Ask && d.mode == DontAsk {
			return compiler.Outcome{Effect: evaluator.Deny, Reason: "dontAsk denies what would ask"}
		}
		return o
	default:
		o = d.other(p)
	}
	return d.answered(p, o)
}

// other is every tool that isn't about one file.
func (d *declarer) other(p compiler.Probe) compiler.Outcome {
	switch p.Kind {
	case evaluator.Command, evaluator.FileChange:
		return d.command(p)
	case evaluator.WebFetch:
		host := hostOf(p.URL)
		rest := d.unpermitted()
		if documentationHosts[host] {
			rest = runsUnasked("it is a documentation host, which Claude fetches unasked")
		}
		return d.tool("WebFetch", rest, func(s sent) bool { return hostOf(s.rule.Match) == host })
	case evaluator.WebSearch:
		return d.tool("WebSearch", d.unpermitted(), func(sent) bool { return false })
	case evaluator.Subagent:
		rest := runsUnasked("subagents start without asking")
		if d.reviews {
			rest = d.unpermitted()
		}
		return d.tool("Agent", rest, func(s sent) bool { return matchText(s.rule.Match, p.Agent) })
	}
	rest := d.unpermitted()
	if d.mode == Plan && p.Annotations == nil { // of the probes only those that read have any
		rest = inPlan
	}
	return d.tool("mcp", rest, func(s sent) bool { return matchText(s.rule.Match, p.Server+"/"+p.Tool) })
}

// tool is a tool's deny, ask and allow rules, of which those with a content speak
// of some uses, and what is left without them.
func (d *declarer) tool(name string, rest compiler.Outcome, speaks func(sent) bool) compiler.Outcome {
	has := func(e evaluator.Effect) bool {
		return slices.ContainsFunc(d.sent, func(s sent) bool {
			mine := s.tool == name || name == "mcp" && strings.HasPrefix(s.tool, "mcp__")
			return s.rule.Effect == e && mine && (s.rule.Match == compiler.Everything || speaks(s))
		})
	}
	switch {
	case has(evaluator.Deny):
		return forbidden
	case has(evaluator.Ask):
		return ruled
	case name == "AskUserQuestion":
		return rest
	case d.mode == Bypass:
		return bypassed
	case has(evaluator.Allow) && rest != inPlan:
		return runsUnasked("an allow rule speaks of it")
	}
	return rest
}

// unpermitted is the mode's answer to what nobody has permitted.
func (d *declarer) unpermitted() compiler.Outcome {
	switch {
	case d.mode == Bypass:
		return bypassed
	case d.reviews:
		return compiler.Outcome{Effect: evaluator.Review, Reason: "auto mode's classifier decides"}
	}
	return compiler.Outcome{Effect: evaluator.Ask, Reason: "nothing permits it in this mode"}
}

// answered is the end: dontAsk denies what would ask, and our callback answers
// what Claude asks as the policy says of the request, or by its default.
func (d *declarer) answered(p compiler.Probe, o compiler.Outcome) compiler.Outcome {
	if o.Effect != evaluator.Ask {
		return o
	}
	if d.mode == DontAsk {
		return compiler.Outcome{Effect: evaluator.Deny, Reason: "dontAsk denies what would ask"}
	}
	a := p.Action
	a.Cwd = ""
	if a.To != "" {
		a = evaluator.Action{Kind: evaluator.Command, Command: d.text(p)}
	}
	if e, _, ok := d.answers.Answer(a, d.env); ok {
		return compiler.Outcome{Effect: e, Reason: o.Reason + ", and the callback answers as the policy says of the request that it sees"}
	}
	if d.callback == answerAllow {
		return compiler.Outcome{Effect: evaluator.Allow, Reason: o.Reason + ", and the callback allows what is asked"}
	}
	return o
}

// read is the Read tool.
func (d *declarer) read(p compiler.Probe) compiler.Outcome {
	at := d.at(p.Path)
	switch {
	case d.about("Read", evaluator.Deny, at):
		return forbidden
	case d.about("Read", evaluator.Ask, at):
		return ruled
	case d.inside(at):
		return runsUnasked("the working directories may be read in every mode")
	case d.reviews:
		return runsUnasked("auto reads everywhere")
	case d.about("Read", evaluator.Allow, at), d.about("Edit", evaluator.Allow, at):
		return runsUnasked("an allow rule speaks of it")
	}
	return d.unpermitted()
}

// change is the tools that write files: Edit(…) speaks of all of them, and what
// may not be read may not be changed.
func (d *declarer) change(p compiler.Probe) compiler.Outcome {
	at := d.at(p.Path)
	switch {
	case d.about("Edit", evaluator.Deny, at), d.about("Read", evaluator.Deny, at):
		return forbidden
	case d.about("Edit", evaluator.Ask, at):
		return ruled
	case d.mode == Bypass:
		return bypassed
	case d.mode == Plan && path.Dir(at) == d.config+"/plans" && path.Ext(at) == ".md":
		return runsUnasked("plan writes its own plan file")
	case d.guarded(at):
		o := d.unpermitted()
		o.Reason = "the path is protected: " + o.Reason
		return o
	case d.mode == Plan:
		return inPlan
	case (d.mode == AcceptEdits || d.mode == Auto) && d.inside(at):
		return runsUnasked(string(d.mode) + " changes files in the working directories")
	case d.about("Edit", evaluator.Allow, at):
		return runsUnasked("an allow rule speaks of it")
	}
	return d.unpermitted()
}

func (d *declarer) at(p string) string { return paths.Abs(d.env.Workspace, p) }

func (d *declarer) inside(at string) bool { return paths.Within(d.env.Workspace, at) }

func (d *declarer) guarded(at string) bool {
	s := session{config: d.config}
	return s.guarded(at)
}

// about reports whether a path rule of an effect that is sent speaks of a path.
func (d *declarer) about(tool string, e evaluator.Effect, at string) bool {
	return slices.ContainsFunc(d.sent, func(s sent) bool { return s.tool == tool && s.rule.Effect == e && s.path(at) })
}

// files compares paths with a policy's glob as Claude's rules do: without regard
// to case, and with all that a folder holds that matches.
func (d *declarer) files(e emitted) func(string) bool {
	match := paths.Home(d.env.Home, e.rule.Match)
	switch {
	case e.rule.Match == compiler.Everything && e.rule.Effect == evaluator.Allow:
		match = d.env.Workspace + "/**"
	case e.rule.Match == compiler.Everything:
		return func(string) bool { return true }
	case !paths.Rooted(match):
		match = d.env.Workspace + "/" + match
	}
	text := strings.NewReplacer(`\*\*/`, "(.*/)?", `/\*\*`, "(/.*)?", `\*`, "[^/]*", `\?`, "[^/]").Replace(regexp.QuoteMeta(match))
	pattern := regexp.MustCompile(`(?is)^` + text + `(/.*)?$`)
	return pattern.MatchString
}

// hostOf is the host of an address or of a pattern for addresses.
func hostOf(address string) string {
	_, host, _ := strings.Cut(address, "://")
	host, _, _ = strings.Cut(host, "/")
	return host
}

// matchText matches a policy's text pattern.
func matchText(match, text string) bool {
	pattern := regexp.MustCompile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(match), `\*`, ".*") + `$`)
	return pattern.MatchString(text)
}
