package opencode

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/lastmatch"
	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// Model is what a writer knows of the rules that it writes, for declaring gaps:
// the policy's rules in their own language, each as far as OpenCode's can say it,
// among the native rules that come from elsewhere. It never looks at what was
// made of the policy's rules.
type Model struct {
	Undeniable []string // actions for which a policy's deny is sent as an ask
	w          *Writer
	claims     []claim
}

// claim is what one rule says of the requests that it speaks of.
type claim struct {
	effect evaluator.Effect
	action func(string) bool
	text   func(string) bool
	all    bool // it speaks of every text of its action
	kind   evaluator.Kind
	why    string
}

// Model starts with the rules that come before the policy's.
func (w *Writer) Model(before ...lastmatch.Rule) *Model {
	m := &Model{w: w}
	m.Native(before...)
	return m
}

// Native adds rules that aren't the policy's.
func (m *Model) Native(rules ...lastmatch.Rule) {
	for _, r := range rules {
		action, text := wildcard.Compile(r.Action), wildcard.Compile(r.Resource)
		m.claims = append(m.claims, claim{
			effect: r.Effect, action: action.Match, text: text.Match, all: r.Resource == "*",
			why: fmt.Sprintf("the rule %s %s says %s", r.Action, r.Resource, r.Effect),
		})
	}
}

// Said adds a policy rule that is sent. One for any kind says nothing of folders
// outside where a rule about those stands before it.
func (m *Model) Said(r compiler.Rule) {
	loss := m.w.lower(r).Loss
	if loss != "" && (r.Effect == evaluator.Allow || r.Kind == evaluator.Question) {
		return
	}
	c := claim{effect: r.Effect, kind: r.Kind, all: r.Match == compiler.Everything, why: fmt.Sprintf("rule %s says %s", r.ID, r.Effect)}
	if r.Effect == evaluator.Review {
		c.effect, c.why = evaluator.Ask, "OpenCode has no reviewer, so a person is asked"
	}
	if loss != "" {
		c.why += ", and more than it should: " + loss
	}
	name := m.w.Names[r.Kind]
	c.action = func(action string) bool { return action == name }
	switch r.Kind {
	case evaluator.AnyKind:
		c.action = func(string) bool { return true }
	case evaluator.MCPTool:
		c.action = toolMatcher(r.Match)
	}
	c.text = m.matcher(r)
	m.claims = append(m.claims, c)
}

var notInName = regexp.MustCompile(`[^A-Za-z0-9_*/-]`)

// toolMatcher finds tools by the pattern of a rule: a name is a server's and a
// tool's, what no name may have replaced, and nobody knows which of its "_"
// joins the two.
func toolMatcher(match string) func(string) bool {
	if match == compiler.Everything {
		match = "*/*"
	}
	pattern := compiled(expression(notInName.ReplaceAllString(match, "_")))
	return func(action string) bool {
		for i, c := range action {
			if c == '_' && pattern(action[:i]+"/"+action[i+1:]) {
				return true
			}
		}
		return false
	}
}

// Unsent adds a policy rule that something else stands for.
func (m *Model) Unsent(r compiler.Rule) {
	if r.Kind == evaluator.OutsideWorkspace { // said after all when a later rule would hide it
		from := len(m.claims)
		m.Said(r)
		for i := range m.claims[from:] {
			m.claims[from+i].action = func(string) bool { return false }
		}
	}
}

// matcher compares the texts of requests with a rule's pattern, in which "*" is
// any text to OpenCode.
func (m *Model) matcher(r compiler.Rule) func(string) bool {
	if r.Match == compiler.Everything || r.Kind == evaluator.MCPTool {
		return func(string) bool { return true }
	}
	switch r.Kind {
	case evaluator.FileRead, evaluator.FileChange:
		return m.files(r.Match)
	case evaluator.OutsideWorkspace:
		return m.folders(r.Match)
	}
	match, optional := strings.CutSuffix(r.Match, " *")
	text := expression(match)
	if optional {
		text += "( .*)?"
	}
	return compiled(text)
}

func (m *Model) files(match string) func(string) bool {
	if match == compiler.PlanFiles {
		var each []func(string) bool
		for _, glob := range m.w.In.PlanFiles {
			each = append(each, m.files(glob))
		}
		return func(text string) bool {
			return slices.ContainsFunc(each, func(f func(string) bool) bool { return f(text) })
		}
	}
	match = paths.Home(m.w.Env.Home, match)
	glob := compiled(pathExpression(match))
	if paths.Rooted(match) {
		if border := m.w.straddles(match); border {
			return func(string) bool { return true }
		}
		return func(text string) bool { return glob(paths.Abs(m.w.Root, text)) }
	}
	// A relative pattern meets the text, which for a file elsewhere is no path in
	// the workspace.
	within := paths.Rel(m.w.Root, m.w.Workspace)
	return func(text string) bool {
		if within != "" {
			rest, ok := strings.CutPrefix(text, within+"/")
			return ok && glob(rest)
		}
		return glob(text)
	}
}

// straddles reports whether a pattern matches files on both sides of the
// workspace's border and is said as one for every file.
func (w *Writer) straddles(match string) bool {
	fixed := strings.FieldsFunc(match, func(r rune) bool { return r == '*' || r == '?' })
	root := strings.TrimSuffix(w.Root, "/") + "/"
	return match != "/**" && strings.ContainsAny(match, "*?") && len(fixed) > 0 && fixed[0] != root && strings.HasPrefix(root, fixed[0])
}

// folders compares folders, which is all that OpenCode sees of what is outside.
func (m *Model) folders(match string) func(string) bool {
	match = paths.Home(m.w.Env.Home, match)
	folder := strings.TrimSuffix(match, "/**")
	if folder == match {
		folder = match[:strings.LastIndexByte(match, '/')]
	}
	if i := strings.IndexAny(folder, "*?"); i >= 0 {
		folder = folder[:strings.LastIndexByte(folder[:i], '/')]
	}
	return func(text string) bool { return strings.HasPrefix(text, folder+"/") }
}

// expression writes a text pattern as a regular expression.
func expression(match string) string {
	return strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(match))
}

// pathExpression writes a glob as a regular expression whose "*" crosses folders.
func pathExpression(glob string) string {
	return strings.NewReplacer(`\*\*/`, "(.*/)?", `\*\*`, ".*", `\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(glob))
}

func compiled(text string) func(string) bool {
	pattern := regexp.MustCompile(`(?s)^` + text + `$`)
	return pattern.MatchString
}

// Decide is what the rules come to for one text: the last one that speaks of it,
// else OpenCode's default.
func (m *Model) Decide(action, text string) compiler.Outcome {
	for i := len(m.claims) - 1; i >= 0; i-- {
		c := m.claims[i]
		if !c.action(action) || !c.text(text) {
			continue
		}
		if action == External && (c.kind == evaluator.AnyKind || c.kind == evaluator.MCPTool) {
			if o, ok := m.outsideBefore(i, text); ok {
				return o
			}
		}
		if c.kind != "" && c.effect == evaluator.Deny && slices.Contains(m.Undeniable, action) {
			return compiler.Outcome{Effect: evaluator.Ask, Reason: c.why + ", and OpenCode 2 refuses sessions that deny shell or read, so a person is asked"}
		}
		return compiler.Outcome{Effect: c.effect, Reason: c.why}
	}
	return compiler.Outcome{Effect: evaluator.Ask, Reason: "no rule matches, and OpenCode's default is ask"}
}

func (m *Model) outsideBefore(i int, text string) (compiler.Outcome, bool) {
	for _, c := range slices.Backward(m.claims[:i]) {
		if c.kind == evaluator.OutsideWorkspace && c.text(text) {
			return compiler.Outcome{Effect: c.effect, Reason: c.why}, true
		}
	}
	return compiler.Outcome{}, false
}

// declines reports whether the adapter declines what is asked about a text.
func (m *Model) declines(action, text string) bool {
	for _, kind := range m.w.declining {
		if m.w.Names[kind] != action {
			continue
		}
		a := evaluator.Action{Kind: kind, Path: text}
		if kind == evaluator.Command {
			a = evaluator.Action{Kind: kind, Command: text}
		}
		if m.w.denied.Want(a, m.w.Env).Effect == evaluator.Deny {
			return true
		}
	}
	return false
}

// Last is what the last rule for an action says, if it speaks of every text.
func (m *Model) Last(action string) (effect evaluator.Effect, all bool) {
	for _, c := range slices.Backward(m.claims) {
		if c.action(action) {
			return c.effect, c.all
		}
	}
	return evaluator.Ask, false
}

// Strictest is what several requests come to together: some folders outside, of
// which either text may be asked about, and the texts of one action. It is
// nothing's own outcome when there are none.
func (m *Model) Strictest(nothing compiler.Outcome, folders [][2]string, action string, texts []string) compiler.Outcome {
	var all []compiler.Outcome
	for _, f := range folders {
		a, b := m.Decide(External, f[0]), m.Decide(External, f[1])
		if a.Effect != b.Effect {
			a = compiler.Outcome{Reason: "whether a path is a folder isn't known"}
		}
		all = append(all, a)
	}
	for _, text := range texts {
		o := m.Decide(action, text)
		if o.Effect == evaluator.Ask && m.declines(action, text) {
			o = compiler.Outcome{Effect: evaluator.Deny, Reason: "OpenCode asks, and the adapter declines by itself what the policy denies"}
		}
		all = append(all, o)
	}
	if len(all) == 0 {
		return nothing
	}
	var effects []evaluator.Effect
	for _, o := range all {
		effects = append(effects, o.Effect)
	}
	effect := evaluator.Strictest(effects...)
	return all[max(0, slices.Index(effects, effect))]
}
