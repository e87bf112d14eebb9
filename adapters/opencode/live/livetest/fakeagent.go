package livetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/opencode/live"
)

// Gone is the reply of a request whose server has ended: the agent that waits for
// it is gone, too.
const Gone = "gone"

// Asks is an agent that asks one thing after the other, as the real loop does.
func Asks(requests ...map[string]any) func(*Fake) string {
	return func(f *Fake) string {
		for _, q := range requests {
			f.Put(true, q)
			if r := f.Await(q["id"].(string)); r.Reply == Gone || r.Reply == live.ReplyReject && r.Message == "" {
				return "tool-calls"
			}
		}
		return "stop"
	}
}

// ShellAsk is a request about a command, of the session that is made first.
func ShellAsk(id, command string) map[string]any {
	word, _, _ := strings.Cut(command, " ")
	return map[string]any{
		"id": id, "sessionID": "ses_1", "permission": "bash", "patterns": []string{command}, "always": []string{word + " *"},
		"metadata": map[string]any{"command": command}, "tool": map[string]any{"messageID": "msg_1", "callID": "call_" + id},
	}
}

// In is a request of another session.
func In(session string, q map[string]any) map[string]any {
	q["sessionID"] = session
	return q
}

// reply takes a reply of either kind, unless a fault is due: "500" fails it,
// "lost" does it and cuts the connection, "404" has somebody else be faster.
func (f *Fake) reply(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	var reply live.Reply
	_ = json.NewDecoder(r.Body).Decode(&reply)
	if what := r.PathValue("what"); what != "" {
		reply = live.Reply{Reply: what}
	}
	f.mu.Lock()
	f.log = append(f.log, strings.TrimSpace(reply.Reply+" "+id))
	fault := ""
	if faults := f.faults[id]; len(faults) > 0 {
		fault, f.faults[id] = faults[0], faults[1:]
	}
	hook, life := f.replies, f.life
	f.mu.Unlock()
	if hook != nil {
		hook(id)
	}
	switch fault {
	case "500":
		http.Error(w, "no", http.StatusInternalServerError)
		return
	case "404":
		f.Settle(id, live.Reply{Reply: live.ReplyOnce})
	}
	f.mu.Lock()
	ended := f.life != life
	f.mu.Unlock()
	if ended {
		panic(http.ErrAbortHandler)
	}
	if !f.Settle(id, reply) {
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	if fault == "lost" {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, "true")
}

// Settle answers a request for anyone. A rejection takes the others of its
// session with it, without a message.
func (f *Fake) Settle(id string, reply live.Reply) bool {
	f.mu.Lock()
	at := slices.IndexFunc(f.pending, func(p map[string]any) bool { return p["id"] == id })
	if at < 0 {
		f.mu.Unlock()
		return false
	}
	session := f.pending[at]["sessionID"]
	f.pending = slices.Delete(f.pending, at, at+1)
	status := live.CallCompleted
	switch reply.Reply {
	case live.ReplyOnce, live.ReplyAlways:
		f.ran = append(f.ran, id)
	case live.ReplyReject:
		status = live.CallFailed
	}
	for _, c := range f.calls {
		if c.request == id {
			c.status = status
		}
	}
	var others []string
	for _, p := range f.pending {
		if reply.Reply == live.ReplyReject && p["sessionID"] == session {
			others = append(others, p["id"].(string))
		}
	}
	f.mu.Unlock()
	event := live.EventReplied
	if !strings.HasPrefix(id, "per_") {
		event = map[bool]string{true: live.EventQuestionRejected, false: live.EventQuestionReplied}[reply.Reply == live.ReplyReject]
	}
	f.Say(event, map[string]any{"sessionID": session, "requestID": id, "reply": reply.Reply})
	f.mu.Lock()
	f.verdicts[id] = reply
	f.changed.Broadcast()
	f.mu.Unlock()
	for _, o := range others {
		f.Settle(o, live.Reply{Reply: live.ReplyReject})
	}
	return true
}

// Put lets requests wait; with say false no event tells.
func (f *Fake) Put(say bool, requests ...map[string]any) {
	f.mu.Lock()
	f.pending = append(f.pending, requests...)
	for _, q := range requests {
		f.calls = append(f.calls, &fakeCall{q["id"].(string), live.CallRunning})
	}
	f.mu.Unlock()
	for _, q := range requests {
		if say {
			f.Say(map[bool]string{true: live.EventAsked, false: live.EventQuestionAsked}[strings.HasPrefix(q["id"].(string), "per_")], q)
		}
	}
}

// Await returns the reply to a request.
func (f *Fake) Await(id string) live.Reply {
	f.mu.Lock()
	defer f.mu.Unlock()
	for life := f.life; ; f.changed.Wait() {
		if r, ok := f.verdicts[id]; ok {
			return r
		}
		if f.over || f.life != life {
			return live.Reply{Reply: Gone}
		}
	}
}

// AwaitIdle returns once the agent's run has ended.
func (f *Fake) AwaitIdle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.status != live.StatusIdle && !f.over {
		f.changed.Wait()
	}
}

// Say sends an event to every stream.
func (f *Fake) Say(kind string, properties any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.say(kind, properties)
}

// say is Say with the lock held.
func (f *Fake) say(kind string, properties any) {
	b, _ := json.Marshal(map[string]any{"type": kind, "properties": properties})
	for s := range f.streams {
		s <- string(b)
	}
}
