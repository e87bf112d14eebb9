package livetest

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
)

// agents are the server's: what 2.0 agents start with, shortened.
var agents = []map[string]any{
	{"id": "build", "mode": "primary", "hidden": false, "permissions": []Rule{
		{"*", "*", "allow"},
		{"external_directory", "*", "ask"},
		{"external_directory", "/home/dev/data/opencode/shell/*/*", "allow"},
		{"external_directory", "/home/dev/data/opencode/tool-output/*", "allow"},
		{"external_directory", "/tmp/opencode/*", "allow"},
		{"external_directory", "/home/dev/config/opencode/*", "allow"},
	}},
	{"id": "plan", "mode": "primary", "hidden": false, "permissions": []Rule{
		{"*", "*", "allow"},
		{"edit", "*", "deny"},
		{"edit", "/home/dev/.opencode/plan/*", "allow"},
		{"external_directory", "/home/dev/.opencode/plan/*", "allow"},
	}},
}

func agentRules() []Rule {
	rules, _ := agents[0]["permissions"].([]Rule)
	return rules
}

func (s *Server) located(op Operation, list any) answer {
	if op.text("location[directory]") == "" {
		return refuse(http.StatusBadRequest, "InvalidRequestError", "location[directory] is missing")
	}
	return ok(map[string]any{"location": location{s.o.Dir}, "data": list})
}

func (s *Server) listModels(op Operation) answer {
	return s.located(op, []map[string]any{{
		"id": s.model["id"], "modelID": s.model["id"], "providerID": s.model["providerID"], "name": "Scripted",
		"package": "@opencode/ai/providers/openai-compatible", "status": "active", "enabled": true,
		"capabilities": map[string]any{"tools": true, "input": []string{"text"}, "output": []string{"text"}},
		"limit":        map[string]int{"context": 1000, "input": 500, "output": 500},
	}})
}

// listAgents has no agents at first, as a server that has just come to know a
// folder.
func (s *Server) listAgents(op Operation) answer {
	if s.unlisted > 0 {
		s.unlisted--
		return s.located(op, []any{})
	}
	return s.located(op, agents)
}

func (s *Server) create(op Operation) answer {
	one := &session{id: s.next("ses")}
	if rules, there := rulesIn(op); there && !s.stuck {
		one.rules = rules
	}
	s.sessions[one.id] = one
	s.announce(one)
	return data(s.info(one))
}

func (s *Server) announce(one *session) {
	about := map[string]any{
		"sessionID": one.id, "slug": "scripted", "version": "2.0.18", "projectID": "global", "location": location{s.o.Dir},
		"subpath": "", "title": "scripted", "model": map[string]string{"id": s.model["id"], "providerID": s.model["providerID"]},
	}
	if one.parent != "" {
		about["parentID"] = one.parent
	}
	s.durably(one, "session.created", 1, true, about)
}

func rulesIn(op Operation) (rules []Rule, there bool) {
	if op.Input["permissions"] == nil {
		return nil, false
	}
	return rules, json.Unmarshal(op.Input["permissions"], &rules) == nil
}

func (s *Server) info(one *session) map[string]any {
	now := time.Now().UnixMilli()
	tokens := map[string]any{"input": 0, "output": 0, "reasoning": 0, "cache": map[string]int{"read": 0, "write": 0}}
	info := map[string]any{
		"id": one.id, "projectID": "global", "model": s.model, "cost": 0, "tokens": tokens, "title": "scripted",
		"time": map[string]int64{"created": now, "updated": now}, "location": location{s.o.Dir}, "permissions": one.rules,
	}
	if one.parent != "" {
		info["parentID"] = one.parent
	}
	return info
}

// update replaces the rules, also for what a run asks from then on.
func (s *Server) update(one *session, op Operation) answer {
	if rules, there := rulesIn(op); there && !s.stuck {
		s.rule(one, rules)
	}
	return done
}

func (s *Server) rule(one *session, rules []Rule) {
	one.rules = rules
	s.durably(one, "session.permissions", 1, true, map[string]any{"sessionID": one.id, "permissions": rules})
}

// prompt takes a message. It starts a run, unless one is under way: that one gets
// it.
func (s *Server) prompt(one *session, op Operation) answer {
	text := op.text("text")
	inbox := s.next("msg")
	item := map[string]any{"type": "user", "payload": map[string]string{"text": text}, "delivery": "steer"}
	s.durably(one, "session.inbox.enqueued", 1, true, map[string]any{"inboxID": inbox, "sessionID": one.id, "item": item})
	if s.turns[one.id] == nil {
		s.turn(one, text, s.o.Agent, func(t *Turn) {
			s.durably(one, "session.execution.started", 1, false, map[string]any{"sessionID": one.id})
			s.durably(one, "session.inbox.delivered", 1, true, map[string]any{"sessionID": one.id, "inboxID": inbox})
		})
	}
	return data(map[string]any{
		"id": inbox, "sessionID": one.id, "time": map[string]int64{"created": time.Now().UnixMilli()},
		"type": "user", "payload": map[string]string{"text": text}, "delivery": "steer",
	})
}

func (s *Server) synthetic(one *session, op Operation) answer {
	return data(map[string]any{
		"id": s.next("msg"), "sessionID": one.id, "time": map[string]int64{"created": time.Now().UnixMilli()},
		"type": "synthetic", "payload": map[string]string{"text": op.text("text")}, "delivery": "steer",
	})
}

// event makes an event. All but server.connected say when they were made, and
// those of a folder where.
func (s *Server) event(kind, dir string, durable map[string]any, about any) []byte {
	e := map[string]any{"id": "evt_" + kind, "type": kind, "data": about}
	if kind != "server.connected" {
		e["created"] = time.Now().UnixMilli()
	}
	if dir != "" {
		e["location"] = location{dir}
	}
	if durable != nil {
		e["durable"] = durable
	}
	return encode(e)
}

// durably streams an event that the server keeps, with the lock held.
func (s *Server) durably(one *session, kind string, version int, placed bool, about any) {
	dir := ""
	if placed {
		dir = s.o.Dir
	}
	durable := map[string]any{"aggregateID": one.id, "seq": one.seq, "version": version}
	one.seq++
	s.streams.send(s.event(kind, dir, durable, about))
}

// briefly streams an event that nobody keeps, with the lock held.
func (s *Server) briefly(kind string, placed bool, about any) {
	dir := ""
	if placed {
		dir = s.o.Dir
	}
	s.streams.send(s.event(kind, dir, nil, about))
}
