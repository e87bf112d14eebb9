package live_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode2/live"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/loosejson"
)

// A script is what the people and the settings behind a recording must have been.
type script struct {
	cell    evaluator.Cell
	session string // continued, "" when the recording makes one
	model   *live.Model
	prompts []string
	ends    []broker.End
	answers map[string]broker.Answer
	order   []string // requests as they were asked
	failed  int      // tool calls that failed
	saves   map[string]bool
}

// plan reads a recording for everything that the adapter is told from outside.
func plan(t *testing.T, rec *livetest.Recording) (script, error) {
	s := script{answers: map[string]broker.Answer{}, saves: map[string]bool{}}
	var rules []byte
	var env evaluator.Env
	before := ""
	tools := map[string]string{}
	for i, f := range rec.Frames {
		switch f.Kind {
		case livetest.Outbound:
			if err := s.outbound(rec, i, before); err != nil {
				return s, err
			}
			before = f.Operation
		case livetest.Response:
			v, err := loosejson.Parse(f.Data)
			if err != nil {
				return s, err
			}
			if f.Operation == "session.create" || f.Operation == "session.get" && rules == nil {
				rules = v.Get("data", "permissions").Raw()
			}
			if f.Operation == "agent.list" {
				env.Agents = agentsIn(v.Get("data"))
			}
		case livetest.Event:
			s.event(f, tools)
		}
	}
	var err error
	s.cell, err = cellOf(t, rules, env)
	return s, err
}

func (s *script) outbound(rec *livetest.Recording, i int, before string) error {
	f := rec.Frames[i]
	in := f.Input
	switch f.Operation {
	case "session.create":
		if m := in.Get("model"); m.IsObject() {
			s.model = &live.Model{ProviderID: m.Get("providerID").Text(), ID: m.Get("id").Text()}
		}
	case "session.get":
		if len(s.prompts) == 0 && s.session == "" {
			s.session = in.Get("sessionID").Text()
		}
	case "session.prompt":
		s.prompts = append(s.prompts, promptText(rec, i))
	case "session.permission.reply":
		d, err := decisionOf(in, before)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", rec.File, f.Line, err)
		}
		s.answers[in.Get("requestID").Text()] = decide(d)
	case "session.form.cancel":
		s.answers[in.Get("formID").Text()] = decide(broker.Cancel)
	case "session.form.reply":
		answers := map[string][]string{}
		for _, name := range in.Get("answer").Names() {
			v := in.Get("answer", name)
			if answers[name] = v.Texts(); v.IsText() {
				answers[name] = []string{v.Text()}
			}
		}
		s.answers[in.Get("formID").Text()] = broker.Answer{Answers: answers}
	}
	return nil
}

// decisionOf is what a person decided, by the reply and what came before it.
func decisionOf(in loosejson.Value, before string) (broker.Decision, error) {
	switch word := in.Get("decision").Text(); {
	case word == "once" && before == "session.update":
		return broker.AcceptForSession, nil
	case word == "once":
		return broker.Accept, nil
	case word == "reject" && in.Get("message").There():
		return broker.Decline, nil
	case word == "reject":
		return broker.Cancel, nil
	default:
		return "", fmt.Errorf("no decision comes to the reply %q", word)
	}
}

// promptText is a prompt's text, or the one that its answer repeats.
func promptText(rec *livetest.Recording, i int) string {
	text := rec.Frames[i].Input.Get("text").Text()
	for _, f := range rec.Frames[i:] {
		if f.Kind == livetest.Response && f.Operation == "session.prompt" && strings.HasPrefix(text, "<") {
			v, err := loosejson.Parse(f.Data)
			if err == nil {
				text = v.Get("data", "payload", "text").Text()
			}
			break
		}
	}
	return text
}

func (s *script) event(f livetest.Frame, tools map[string]string) {
	if asked := f.EventData("permission.asked"); asked.There() {
		s.order = append(s.order, asked.Get("id").Text())
		s.saves[asked.Get("id").Text()] = len(asked.Get("save").Texts()) > 0
	}
	if form := f.EventData("form.created").Get("form"); form.There() {
		s.order = append(s.order, form.Get("id").Text())
	}
	if begun := f.EventData("session.tool.input.started"); begun.There() {
		tools[begun.Get("id").Text()] = begun.Get("name").Text()
	}
	if failed := f.EventData("session.tool.failed"); failed.There() && tools[failed.Get("id").Text()] != "question" {
		s.failed++
	}
	for kind, end := range map[string]broker.End{"succeeded": broker.Ended, "failed": broker.Failed, "interrupted": broker.Cancelled} {
		if f.EventData("session.execution." + kind).There() {
			s.ends = append(s.ends, end)
		}
	}
}

func agentsIn(list loosejson.Value) []evaluator.Agent {
	var out []evaluator.Agent
	for _, a := range list.List() {
		agent := evaluator.Agent{ID: a.Get("id").Text()}
		for _, r := range a.Get("permissions").List() {
			rule := evaluator.AgentRule{Action: r.Get("action").Text(), Resource: r.Get("resource").Text()}
			if rule.Effect.UnmarshalText([]byte(r.Get("effect").Text())) == nil {
				agent.Permissions = append(agent.Permissions, rule)
			}
		}
		out = append(out, agent)
	}
	return out
}

// cellOf finds the cell whose rules the recorded session has.
func cellOf(t *testing.T, rules []byte, env evaluator.Env) (evaluator.Cell, error) {
	var want []live.Rule
	if err := json.Unmarshal(rules, &want); err != nil {
		return evaluator.Cell{}, fmt.Errorf("the recording doesn't say its session's rules: %w", err)
	}
	for _, interaction := range evaluator.Interactions() {
		for _, mode := range evaluator.Modes() {
			c := cell(mode, interaction)
			e := evaluator.Env{Workspace: "/work"}
			if needsAgents(c) {
				e.Agents = env.Agents
			}
			var got []live.Rule
			if err := json.Unmarshal([]byte(rulesOf(t, c, e)), &got); err == nil && cmp.Equal(want, got) {
				return c, nil
			}
		}
	}
	return evaluator.Cell{}, fmt.Errorf("no cell has the recorded session's rules: %s", rules)
}
