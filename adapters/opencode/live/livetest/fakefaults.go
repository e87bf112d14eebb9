package livetest

import (
	"slices"

	"github.com/modegate/modegate/adapters/opencode/live"
)

// Log is what the server was told so far: "create", "patch", "prompt", a reply
// and its request, "abort" and its session.
func (f *Fake) Log() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.log)
}

// Ran are the requests that were allowed.
func (f *Fake) Ran() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.ran)
}

// Prompted is the body of the last prompt.
func (f *Fake) Prompted() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.prompted
}

// Rules are a session's rules.
func (f *Fake) Rules(session string) []live.Rule {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sessions[session].Permission)
}

// SetRules replaces a session's rules, as another client's prompt with tools
// does, and says so.
func (f *Fake) SetRules(session string, rules []live.Rule) {
	f.mu.Lock()
	f.sessions[session].Permission = rules
	now := *f.sessions[session]
	f.mu.Unlock()
	f.Say(live.EventSessionUpdated, map[string]any{"sessionID": session, "info": now})
}

// AddSession lets a session be there; with say an event tells.
func (f *Fake) AddSession(s live.Session, say bool) {
	f.mu.Lock()
	f.sessions[s.ID] = &s
	f.mu.Unlock()
	if say {
		f.Say(live.EventSessionCreated, map[string]any{"sessionID": s.ID, "info": s})
	}
}

// Fault says what the next replies to a request come to; see reply.
func (f *Fake) Fault(request string, faults ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[request] = faults
}

// Lose does what the next call of a method and path asks for, and loses the
// answer.
func (f *Fake) Lose(methodAndPath string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loses = append(f.loses, methodAndPath)
}

// OnReply has something happen when a reply has come and isn't done yet.
func (f *Fake) OnReply(hook func(id string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replies = hook
}

// OnMessage has something happen when a message was taken that starts no run.
func (f *Fake) OnMessage(hook func()) { f.empties = hook }

// SetStatus says what the session does.
func (f *Fake) SetStatus(status string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status = status
}

// Stick has rules be left as they are, whatever is sent.
func (f *Fake) Stick() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stuck = true
}

// Mute has the agent's run end without a message.
func (f *Fake) Mute() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mute = true
}

// Deafen refuses new event streams, or takes them again.
func (f *Fake) Deafen(deaf bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deaf = deaf
}

// Cut breaks every event stream.
func (f *Fake) Cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.streams {
		close(s)
		delete(f.streams, s)
	}
}

// Kill ends the server.
func (f *Fake) Kill() { f.end(true) }

// Restart ends the server and starts it anew, so fast that no call misses it.
func (f *Fake) Restart() { f.end(false) }

// end has the server forget what waits and the run, whose message stays
// unfinished (measured on 1.18.33, 2026-11-30). Its sessions stay.
func (f *Fake) end(dead bool) {
	f.mu.Lock()
	f.dead = dead
	f.life++
	if f.status != live.StatusIdle {
		f.messages = append(f.messages, f.newMessage("assistant", "", f.calls))
	}
	f.pending, f.calls, f.status = nil, nil, live.StatusIdle
	f.changed.Broadcast()
	f.mu.Unlock()
	f.Cut()
}

// Go does something beside the server, which waits for it at its end.
func (f *Fake) Go(do func()) { f.work.Go(do) }
