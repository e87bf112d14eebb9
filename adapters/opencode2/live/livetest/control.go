package livetest

import "slices"

// Kill ends the server's process: what waits and what runs is lost, and nobody
// answers.
func (s *Server) Kill() {
	for _, n := range s.networks {
		n.Cut()
	}
	s.mu.Lock()
	for _, t := range s.turns {
		t.kill()
	}
	clear(s.turns)
	s.pending = nil
	clear(s.settled)
	s.mu.Unlock()
	s.streams.closeAll()
}

// Restart starts a server again that was killed, or whose network was cut.
func (s *Server) Restart() {
	for _, n := range s.networks {
		n.Mend()
	}
}

// DropStreams breaks every event stream; new ones are refused while deaf.
func (s *Server) DropStreams(deaf bool) {
	s.mu.Lock()
	s.deaf = deaf
	s.mu.Unlock()
	s.streams.closeAll()
}

// Stall lets every open event stream fall silent, without ending it.
func (s *Server) Stall() { s.streams.stall() }

// Stick makes a session's rules stay as they are, none in a new one, as on a server
// that doesn't know them.
func (s *Server) Stick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stuck = true
}

// SetRules changes a session's rules as another client would.
func (s *Server) SetRules(id string, change func([]Rule) []Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rule(s.sessions[id], change(slices.Clone(s.sessions[id].rules)))
}

// On calls a function when the next call of an operation has come: before it has
// happened, or after that and before it is answered. When the function returns
// false, nothing more becomes of the call.
func (s *Server) On(operation string, happened bool, do func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if happened {
		s.afters[operation] = do
	} else {
		s.befores[operation] = do
	}
}

// Delete deletes a session as another client would, with an event or without.
func (s *Server) Delete(id string, say bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.sessions[id]
	if t := s.turns[id]; t != nil {
		t.kill()
		delete(s.turns, id)
	}
	s.pending = slices.DeleteFunc(s.pending, func(p *pending) bool { return p.session == id })
	delete(s.sessions, id)
	if say {
		s.durably(one, "session.deleted", 2, true, map[string]any{"sessionID": id})
	}
}

// Agent does something in a session as another client's run: it has no prompt of
// ours. A session that nobody knows is made, with rules.
func (s *Server) Agent(id string, rules []Rule, a Agent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.sessions[id]
	if one == nil {
		one = &session{id: id, rules: rules}
		s.sessions[id] = one
	}
	s.turn(one, "", a, func(*Turn) {
		s.durably(one, "session.execution.started", 1, false, map[string]any{"sessionID": id})
	})
}

// SetAgent changes what the agent does with the next prompts.
func (s *Server) SetAgent(a Agent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.o.Agent = a
}

// Interrupt interrupts a session as another client would.
func (s *Server) Interrupt(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.turns[id]; t != nil {
		t.interrupt("user")
	}
}

// Stream sends everybody a text as an event, whatever it is.
func (s *Server) Stream(text string) { s.streams.send([]byte(text)) }
