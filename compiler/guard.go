package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
	"github.com/modegate/modegate/internal/strictjson"
)

// Gated is a dialect that says what we are told when its provider asks us. Only
// there can a guardrail hold an Action.
type Gated interface {
	// Asked are the Actions that the provider's request to us is about, when it
	// asks about one part of a Verdict on a: those that its broker.Describer reads
	// off the request. It lists none that the request might not show.
	Asked(a evaluator.Action, part jsontext.Value) []evaluator.Action
	// AnyPart reports whether an agent needs one part of a Verdict; otherwise it
	// needs all of them.
	AnyPart() bool
}

// AskGuardrails puts one input to every guardrail, and returns what all of them
// said, in one order, settled (evaluator.Settle). The error is that no answer may
// be given.
type AskGuardrails func(evaluator.GuardrailInput) ([]evaluator.Said, error)

// Guard lays what guardrails want over a Verdict on an Action. A Verdict still
// predicts: its effect becomes stricter only where the provider asks us, about
// what the guardrail has seen. Where the provider decides by itself, it stays,
// and the guardrail's wish is in it as one that nothing enforces.
func Guard(d Dialect, v *evaluator.Verdict, a evaluator.Action, s evaluator.GuardrailSession, explain bool, ask AskGuardrails) error {
	if v.Effect == evaluator.Deny {
		return nil // nothing is stricter
	}
	g := guard{ask: ask, session: s, verdict: *v, explain: explain, came: map[string]evaluator.Effect{}}
	g.verdict.Trace = nil
	if g.verdict.Parts == nil {
		g.verdict.Parts = []evaluator.Part{}
	}
	gate := evaluator.Allow
	gated, ok := d.(Gated)
	asks := ok && v.Native.Effect == evaluator.Ask && (v.Effect == evaluator.Ask || v.Effect == evaluator.Allow)
	if asks {
		var ends []evaluator.Effect
		for i, p := range v.Parts {
			if p.Effect == evaluator.Ask {
				end, err := g.put(i, gated.Asked(a, p.Request))
				if err != nil {
					return err
				}
				ends = append(ends, end)
			}
		}
		gate = combine(gated.AnyPart(), ends)
	}
	if _, err := g.put(0, []evaluator.Action{a}); err != nil {
		return err
	}
	before := v.Effect
	if Stricter(gate, v.Effect) {
		v.Effect, v.Enforcer = gate, evaluator.EnforcedByAdapter
		v.Decider = evaluator.ByAdapter
		if gate == evaluator.Ask {
			v.Decider = evaluator.ByPerson
		}
	}
	v.Guardrails = g.answers
	for i := range v.Guardrails {
		w := &v.Guardrails[i]
		w.Enforced = asks && !Stricter(w.Effect, v.Effect)
		if !w.Enforced {
			w.Unenforced = unenforced(v, asks)
		}
		if w.Enforced && v.Effect != before && w.Effect == v.Effect {
			v.Reason += fmt.Sprintf("; the guardrail %s says %s: %s", w.Name, w.Effect, w.Reason)
		}
	}
	for i := range g.steps {
		g.steps[i].Decided = v.Effect != before && g.steps[i].Matched && g.wants[i] == v.Effect
	}
	if explain {
		v.Trace = append(v.Trace, g.steps...)
	}
	return nil
}

// combine is what several requests come to: none holds nothing.
func combine(anyPart bool, ends []evaluator.Effect) evaluator.Effect {
	switch {
	case len(ends) == 0:
		return evaluator.Allow
	case anyPart:
		return evaluator.Loosest(ends...)
	}
	return evaluator.Strictest(ends...)
}

// Stricter reports whether one effect is stricter than another, both known.
func Stricter(a, b evaluator.Effect) bool {
	x, known := evaluator.Strictness(a, evaluator.Unconfined)
	y, too := evaluator.Strictness(b, evaluator.Unconfined)
	return known && too && x > y
}

// unenforced says why a guardrail's wish doesn't come true.
func unenforced(v *evaluator.Verdict, asks bool) string {
	p := v.Provider.Name
	switch {
	case asks:
		return fmt.Sprintf("%s asks about it, and can ask in a way that doesn't show this guardrail what it is about", p)
	case v.Effect == evaluator.Unknown:
		return fmt.Sprintf("whether %s asks about it can't be predicted: where it does, the guardrail holds", p)
	case v.Native.Effect == evaluator.Review:
		return fmt.Sprintf("%s has it reviewed, and doesn't ask us", p)
	case v.Native.Effect == evaluator.Ask:
		return fmt.Sprintf("what %s asks about it isn't known", p)
	}
	return fmt.Sprintf("%s runs it without asking", p)
}

// guard collects what guardrails say about one Verdict.
type guard struct {
	ask     AskGuardrails
	session evaluator.GuardrailSession
	verdict evaluator.Verdict
	explain bool
	came    map[string]evaluator.Effect // by the Action, encoded
	answers []evaluator.GuardrailAnswer
	steps   []evaluator.Step
	wants   []evaluator.Effect // of the steps
}

// put asks about Actions of which all must pass, each once.
func (g *guard) put(part int, actions []evaluator.Action) (evaluator.Effect, error) {
	total := evaluator.Allow
	for _, a := range actions {
		for _, in := range Subjects(evaluator.GuardrailInput{Verdict: g.verdict, Action: a, Session: g.session}) {
			key, err := strictjson.Encode(in.Action)
			if err != nil {
				return evaluator.Unknown, err
			}
			if _, asked := g.came[string(key)]; !asked {
				if g.came[string(key)], err = g.one(part, in); err != nil {
					return evaluator.Unknown, err
				}
			}
			total = evaluator.Strictest(total, g.came[string(key)])
		}
	}
	return total, nil
}

func (g *guard) one(part int, in evaluator.GuardrailInput) (evaluator.Effect, error) {
	said, err := g.ask(in)
	if err != nil {
		return evaluator.Unknown, err
	}
	total := evaluator.Allow
	for i, s := range said {
		total = evaluator.Strictest(total, s.Effect)
		g.answers = Spoke(g.answers, s)
		if g.explain {
			g.steps, g.wants = append(g.steps, step(part, i, in.Action, s)), append(g.wants, s.Effect)
		}
	}
	return total, nil
}

// GuardrailLayer is the layer of guardrails in a trace.
const GuardrailLayer = "guardrail"

func step(part, index int, a evaluator.Action, s evaluator.Said) evaluator.Step {
	native, err := strictjson.Encode(s.Guardrail)
	if err != nil {
		native = jsontext.Value("null")
	}
	out := evaluator.Step{
		Part: part, Resource: Describe(a), Layer: GuardrailLayer, Index: index, Native: native, Matched: s.Effect != evaluator.Allow,
		Reason: "it was asked, and has nothing against it", Source: &evaluator.Source{File: s.File, Line: s.Line, ID: s.Name},
	}
	if out.Matched {
		out.Reason = fmt.Sprintf("it says %s: %s", s.Effect, s.Reason)
	}
	return out
}

// Spoke adds what a guardrail said to those that want something: one entry each,
// the strictest that it said.
func Spoke(list []evaluator.GuardrailAnswer, s evaluator.Said) []evaluator.GuardrailAnswer {
	if s.Effect == evaluator.Allow {
		return list
	}
	one := evaluator.GuardrailAnswer{Guardrail: s.Guardrail, Effect: s.Effect, Reason: s.Reason, Failed: s.Err != nil}
	i := slices.IndexFunc(list, func(w evaluator.GuardrailAnswer) bool { return w.Name == s.Name })
	switch {
	case i < 0:
		return append(list, one)
	case Stricter(s.Effect, list[i].Effect):
		list[i] = one
	}
	return list
}

// maxSubjects bounds how many commands of one line guardrails are asked about.
const maxSubjects = 100

// Subjects are what guardrails are asked for one input: its Action with the paths
// relative to the workspace where they lie in it, and for a command line each of
// its commands beside the whole. At the gate and in an evaluation they are the
// same.
func Subjects(in evaluator.GuardrailInput) []evaluator.GuardrailInput {
	in.Session.Workspace = cleanFolder(in.Session.Workspace)
	for _, p := range []*string{&in.Action.Path, &in.Action.To, &in.Action.Cwd} {
		*p = inside(in.Session.Workspace, *p)
	}
	if in.Action.Cwd == "." {
		in.Action.Cwd = ""
	}
	out := []evaluator.GuardrailInput{in}
	if in.Action.Kind != evaluator.Command {
		return out
	}
	seen := map[string]bool{in.Action.Command: true}
	for _, words := range commandLines(in.Action.Command) {
		line := strings.Join(words, " ")
		if one := in; !seen[line] {
			seen[line], one.Action.Command = true, line
			out = append(out, one)
		}
	}
	if len(out) > maxSubjects {
		in.Unaskable = fmt.Errorf("the command line has %d commands, and guardrails are asked about %d at most", len(out)-1, maxSubjects-1)
		return []evaluator.GuardrailInput{in}
	}
	return out
}

// cleanFolder is a session's folder as guardrails see it: no ".." leads out of what
// it seems to lie in; "" when it isn't known.
func cleanFolder(dir string) string {
	if dir == "" {
		return ""
	}
	return paths.Abs("/", dir)
}

// inside writes a path relative to the workspace where it lies in it, and clean.
func inside(workspace, p string) string {
	if p == "" {
		return ""
	}
	if workspace == "" {
		workspace = paths.UnknownWorkspace
	}
	at := paths.Abs(workspace, p)
	if !paths.Within(workspace, at) {
		return at
	}
	if rel := paths.Rel(workspace, at); rel != "" {
		return rel
	}
	return "."
}
