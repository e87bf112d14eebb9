package livetest

// A Call is a call of one of the agent's tools.
type Call struct {
	Tool      string
	Input     map[string]any
	Action    string   // that its rules are for
	Resources []string // that they are compared with
	Save      []string
	ID        string // of its request; "" makes one
}

// Shell runs a command, if it may. It reports whether it ran.
func (t *Turn) Shell(command string) bool {
	return t.Tool(Call{
		Tool: "shell", Input: map[string]any{"command": command}, Action: "shell",
		Resources: []string{command}, Save: []string{firstWord(command) + " *"},
	})
}

// Tool does a call, if it may. It reports whether it was done.
func (t *Turn) Tool(c Call) bool {
	id := t.begin(c)
	if !t.permitted(c, id) {
		return false
	}
	t.s.mu.Lock()
	t.s.ran = append(t.s.ran, c.Resources...)
	t.s.mu.Unlock()
	t.succeed(id, "ran", map[string]any{"truncated": false})
	return true
}

// begin says that a tool is called.
func (t *Turn) begin(c Call) string {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	id := t.s.next("call")
	t.s.durably(t.session, "session.tool.input.started", 1, true, t.about(map[string]any{"id": id, "name": c.Tool}))
	t.s.durably(t.session, "session.tool.input.ended", 1, true, t.about(map[string]any{"id": id, "text": string(encode(c.Input))}))
	t.s.durably(t.session, "session.tool.called", 1, true, t.about(map[string]any{"id": id, "input": c.Input, "executed": false}))
	t.s.durably(t.session, "session.step.streamed", 1, true, t.about(map[string]any{}))
	return id
}

func (t *Turn) succeed(id, text string, metadata map[string]any) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.durably(t.session, "session.tool.success", 2, true, t.about(map[string]any{
		"id": id, "content": []any{map[string]string{"type": "text", "text": text}}, "metadata": metadata, "executed": false,
	}))
	t.stepEnd("tool-calls")
	t.stepBegin()
}

func (t *Turn) refused(id, text string) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if t.dead {
		return
	}
	t.s.durably(t.session, "session.tool.failed", 1, true, t.about(map[string]any{
		"id": id, "error": map[string]string{"type": "tool.execution", "message": text}, "executed": false,
	}))
	t.stepEnd("tool-calls")
	t.stepBegin()
}

// permitted asks the rules, and whoever is there when they say so. A refusal
// without a message ends the turn.
func (t *Turn) permitted(c Call, call string) bool {
	t.s.mu.Lock()
	effect := judge(c.Action, c.Resources, agentRules(), t.session.rules, t.s.saved)
	var p *pending
	if effect == "ask" {
		p = t.ask(c, call)
	}
	t.s.mu.Unlock()
	if effect == "deny" {
		t.refused(call, "Permission denied: "+c.Action)
		return false
	}
	if p == nil {
		return true
	}
	v := t.wait(p)
	switch {
	case v.allowed:
		return true
	case v.message == "":
		t.refused(call, "The user rejected permission to use this tool")
		t.stop("user")
	}
	t.refused(call, "Unable to execute command: "+c.Resources[0])
	return false
}

// ask lets a permission request wait, with the lock held.
func (t *Turn) ask(c Call, call string) *pending {
	id := c.ID
	if id == "" {
		id = t.s.next("per")
	}
	about := map[string]any{
		"id": id, "sessionID": t.Session, "action": c.Action, "resources": c.Resources, "save": c.Save,
		"source": map[string]string{"type": "tool", "messageID": t.message, "id": call},
	}
	p := &pending{id: id, session: t.Session, about: about, verdict: make(chan verdict, 1)}
	t.s.pending = append(t.s.pending, p)
	t.s.briefly("permission.asked", true, about)
	return p
}

func (t *Turn) wait(p *pending) verdict {
	select {
	case v := <-p.verdict:
		return v
	case <-t.ctx.Done():
		t.stop("user")
		return verdict{}
	}
}

// A Field is one field of a form.
type Field struct {
	Key         string   `json:"key"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Type        string   `json:"type"`
	Options     []Option `json:"options,omitempty"`
	Custom      bool     `json:"custom,omitzero"`
	Hidden      bool     `json:"hidden,omitzero"`
	When        any      `json:"when,omitempty"`
	External    bool     `json:"external,omitzero"`
}

// An Option is one of a field's.
type Option struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// Question asks with a form, and returns its answer. A form that is dismissed ends
// the turn.
func (t *Turn) Question(id string, fields ...Field) map[string]any {
	var questions []any
	for _, f := range fields {
		options := []any{}
		for _, o := range f.Options {
			options = append(options, map[string]string{"label": o.Label, "description": o.Description})
		}
		questions = append(questions, map[string]any{"question": f.Description, "header": f.Title, "options": options})
	}
	call := t.begin(Call{Tool: "question", Input: map[string]any{"questions": questions}})
	t.s.mu.Lock()
	if id == "" {
		id = t.s.next("frm")
	}
	about := map[string]any{
		"id": id, "sessionID": t.Session, "title": "Questions", "fields": fields,
		"metadata": map[string]any{"kind": "question", "tool": map[string]string{"messageID": t.message, "id": call}},
	}
	p := &pending{id: id, session: t.Session, form: true, about: about, verdict: make(chan verdict, 1)}
	t.s.pending = append(t.s.pending, p)
	t.s.briefly("form.created", true, map[string]any{"form": about})
	t.s.mu.Unlock()
	v := t.wait(p)
	if !v.allowed {
		t.refused(call, "The user dismissed this question")
		t.stop("user")
	}
	answers := []any{}
	for _, f := range fields {
		if text, one := v.answer[f.Key].(string); one {
			answers = append(answers, []string{text})
		} else {
			answers = append(answers, v.answer[f.Key])
		}
	}
	t.succeed(call, "User has answered your questions.", map[string]any{"answers": answers, "truncated": false})
	return v.answer
}
