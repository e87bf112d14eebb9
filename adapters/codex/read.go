package codex

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// meaning is what Codex does under its settings in one environment.
type meaning struct {
	version  string
	settings *settings
	env      evaluator.Env
	facts    facts
	rules    *ruleBook
	box      box
}

// Read takes native settings apart. A broken rule file among them isn't an error:
// Codex then runs without any rule, and the Verdicts say so.
func (d dialect) Read(native []byte, at compiler.Setting) (evaluator.Meaning, error) {
	m := &meaning{version: at.Version, env: at.Env}
	if m.version == "" {
		m.version = Version
	}
	if !slices.Contains(d.Versions(), m.version) {
		return nil, fmt.Errorf("codex %s hasn't been measured: use %s", m.version, Version)
	}
	var err error
	if m.settings, err = readSettings(native); err != nil {
		return nil, fmt.Errorf("codex settings: %w", err)
	}
	if m.facts, err = readFacts(at.Env.Facts); err != nil {
		return nil, err
	}
	if m.rules, err = readRules(m.settings.Rules, m.facts); err != nil {
		return nil, err
	}
	m.box = newBox(m.settings.SandboxPolicy, at.Env, m.facts)
	return m, nil
}

// Judge answers one Action.
func (m *meaning) Judge(a evaluator.Action, explain bool) (evaluator.Verdict, error) {
	list := requests(a)
	if a.Kind == evaluator.Native {
		q, err := readRequest(a.Request)
		if err != nil {
			return evaluator.Verdict{}, fmt.Errorf("not a Codex request: %w", err)
		}
		list = []request{q}
	}
	outcomes := make([]outcome, len(list))
	for i, q := range list {
		outcomes[i] = m.through(a, q, m.request(q, i, explain))
	}
	return m.verdict(list, outcomes)
}

// request judges one tool call.
func (m *meaning) request(q request, part int, explain bool) outcome {
	switch {
	case q.Tool == execCommand:
		return m.shell(q, part, explain)
	case q.Tool == applyPatch && q.paths != nil:
		return m.patch(q.paths, m.box.Workspace)
	case q.Tool == applyPatch && q.Input != "":
		list, err := patchPaths(q.Input)
		if err != nil {
			return rejected("the patch is refused before any approval: " + err.Error())
		}
		return m.patch(list, m.dir(q))
	case q.Tool == applyPatch:
		return m.shell(request{Tool: execCommand, Cmd: q.Cmd, Workdir: q.Workdir}, part, explain)
	case strings.HasPrefix(q.Tool, mcpPrefix):
		return m.mcp(q)
	case q.Tool == requestUserInput:
		return m.question()
	case q.Tool == requestPermissions:
		return m.permissions()
	case q.Tool == writeStdin:
		return m.stdin(q)
	case q.Tool == "web_search":
		return m.webSearch()
	}
	if why, ok := unasked[q.Tool]; ok {
		return outcome{effect: evaluator.Allow, decider: evaluator.ByNobody, enforcer: evaluator.EnforcedByNobody, reason: why}
	}
	return unknown(fmt.Sprintf("what Codex does with its tool %s wasn't measured", q.Tool))
}

// through judges what a shell command comes to for the Action behind it: a change
// of a file that the sandbox stops doesn't happen, and nothing is fetched without
// a network.
func (m *meaning) through(a evaluator.Action, q request, o outcome) outcome {
	if q.Tool != execCommand || m.box.Full || o.effect != evaluator.Allow && o.then != runsSandboxed || o.effect == evaluator.Allow && o.confinement == evaluator.Unconfined {
		return o
	}
	what := ""
	switch {
	case a.Kind == evaluator.FileChange && !m.canWrite(a):
		what = "the sandbox stops the write"
		o.assumed = append(o.assumed, m.box.Assumed...)
	case a.Kind == evaluator.WebFetch && !m.box.Network:
		what = "the sandbox has no network"
	default:
		return o
	}
	if o.effect != evaluator.Allow { // asked, and sandboxed also after an approval
		o.reason += "; after an approval " + what + " all the same"
		return o
	}
	switch {
	case a.Kind == evaluator.WebFetch || o.onDenial == thenFails:
		d := deny(evaluator.BySandbox, evaluator.EnforcedBySandbox, "nobody is asked, and "+what)
		d.hidden, d.onDenial, d.assumed, d.steps = a.Kind == evaluator.FileChange, thenFails, o.assumed, o.steps
		return d
	}
	asked := m.ask(what + ", and the denial is then asked about")
	asked.then, asked.assumed, asked.steps, asked.writes = runsUnsandboxed, o.assumed, o.steps, true
	return asked
}

func (m *meaning) canWrite(a evaluator.Action) bool {
	for _, p := range []string{a.Path, a.To} {
		if p != "" && !m.box.writable(m.real(m.box.Workspace, p)) {
			return false
		}
	}
	return true
}

// verdict says the loosest of the outcomes in the words of all providers.
func (m *meaning) verdict(list []request, outcomes []outcome) (evaluator.Verdict, error) {
	best := loosest(outcomes)
	o := outcomes[best]
	v := evaluator.Verdict{
		Effect: o.effect, Confinement: o.confinement, Decider: o.decider, Enforcer: o.enforcer,
		Native: evaluator.NativeAnswer{Effect: o.effect}, Reason: o.reason, Rule: m.rules.ref(o.match),
		OnDenial: o.onDenial, ToolAbsent: o.absent, Assumed: m.assumed(o), Differs: m.differs(list[best], o),
		Provider: evaluator.ProviderVersion{Name: evaluator.Codex, Version: m.version},
	}
	if o.then != "" {
		v.Then = &evaluator.Then{Runs: o.then}
	}
	if o.hidden {
		visible := false
		v.Visible = &visible
	}
	if m.settings.Collaboration.Mode == planMode && o.effect == evaluator.Allow && o.writes && o.confinement != evaluator.ReadOnly {
		v.Enforcer = evaluator.EnforcedByInstruction
		v.Reason += "; plan only tells the model not to change anything"
	}
	for i, q := range list {
		raw, err := q.native()
		if err != nil {
			return v, err
		}
		v.Parts = append(v.Parts, evaluator.Part{Request: raw, Effect: outcomes[i].effect, Rule: m.rules.ref(outcomes[i].match)})
		v.Trace = append(v.Trace, outcomes[i].steps...)
	}
	return v, nil
}

// assumed lists what was taken for the outcome, each once.
func (m *meaning) assumed(o outcome) []string {
	out := slices.Clone(o.assumed)
	if m.env.Platform == "darwin" {
		out = append(out, "the decisions were measured on linux")
	}
	if s := m.settings; sandboxTypes[s.Sandbox] != s.SandboxPolicy.Type {
		out = append(out, "sandbox and sandboxPolicy differ: the turn's sandboxPolicy is in force")
	}
	slices.Sort(out)
	return slices.Compact(out)
}
