package livetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/internal/scripted"
)

// TurnTimeout bounds one turn: a turn that takes longer has hung.
const TurnTimeout = 90 * time.Second

// A Place is one directory of a running OpenCode.
type Place struct {
	Client *live.Client
	t      testing.TB

	mu   sync.Mutex
	turn *running
}

// A Turn is what one prompt led to.
type Turn struct {
	Asks      []live.PermissionRequest // in the order they came
	Questions []live.QuestionRequest
	Calls     map[string]live.Part // the last state of each tool call, by call id
}

// Of returns the asks of one call, in order.
func (t Turn) Of(callID string) []live.PermissionRequest {
	var asks []live.PermissionRequest
	for _, a := range t.Asks {
		if a.Tool != nil && a.Tool.CallID == callID {
			asks = append(asks, a)
		}
	}
	return asks
}

// Answers say how a turn answers what the agent asks.
type Answers struct {
	// Permission returns the reply to an ask, or nil to hold it back: it is then
	// rejected when every call has come to an end or is held. Rejecting early
	// would take the other calls' asks with it. A nil function holds all.
	Permission func(live.PermissionRequest) *live.Reply
	// Question returns the answers, or nil to dismiss the question. A nil
	// function dismisses all.
	Question func(live.QuestionRequest) [][]string
}

// Always answers every ask alike.
func Always(r live.Reply) Answers {
	return Answers{Permission: func(live.PermissionRequest) *live.Reply { return &r }}
}

// running is a turn that is under way.
type running struct {
	session string
	expect  int // how many calls the script makes
	answers Answers
	turn    Turn
	held    map[string]string // call id to the ask that is held back
	freed   bool              // the held asks have been rejected
	idle    chan struct{}
	work    sync.WaitGroup // replies under way
	fail    error
}

// Run sends the script as a prompt and returns when the agent has come to rest.
func (p *Place) Run(session string, script scripted.Script, prompt live.Prompt, a Answers) Turn {
	p.t.Helper()
	turn, err := p.run(session, script, prompt, a)
	if err != nil {
		p.t.Fatal(err)
	}
	return turn
}

func (p *Place) run(session string, script scripted.Script, prompt live.Prompt, a Answers) (Turn, error) {
	ctx, cancel := context.WithTimeout(p.t.Context(), TurnTimeout)
	defer cancel()
	r := &running{session: session, answers: a, held: map[string]string{}, idle: make(chan struct{})}
	r.turn.Calls = map[string]live.Part{}
	for _, step := range script {
		r.expect += len(step.Calls)
	}
	text, err := script.Prompt()
	if err != nil {
		return Turn{}, err
	}
	prompt.Text = text
	p.mu.Lock()
	p.turn = r
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.turn = nil
		p.mu.Unlock()
		r.work.Wait()
	}()
	if err := p.Client.PromptAsync(ctx, session, prompt); err != nil {
		return Turn{}, err
	}
	select {
	case <-r.idle:
	case <-ctx.Done():
		p.mu.Lock()
		defer p.mu.Unlock()
		return Turn{}, fmt.Errorf("the turn did not end: %w (asks %v, calls %d of %d)", ctx.Err(), r.turn.Asks, len(r.turn.Calls), r.expect)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return r.turn, r.fail
}

// deliver is the event hook.
func (p *Place) deliver(e live.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.turn
	if r == nil {
		return
	}
	switch e.Type {
	case live.EventAsked:
		var ask live.PermissionRequest
		if err := e.Decode(&ask); err != nil {
			r.fail = err
			return
		}
		p.asked(r, ask)
	case live.EventQuestionAsked:
		var q live.QuestionRequest
		if err := e.Decode(&q); err != nil {
			r.fail = err
			return
		}
		p.questioned(r, q)
	case live.EventPartUpdated:
		var part live.PartEvent
		if err := e.Decode(&part); err != nil {
			r.fail = err
			return
		}
		if part.Part.SessionID == r.session && part.Part.Type == "tool" {
			r.turn.Calls[part.Part.CallID] = part.Part
			p.settle(r)
		}
	case live.EventIdle:
		var idle live.IdleEvent
		if err := e.Decode(&idle); err == nil && idle.SessionID == r.session {
			select {
			case <-r.idle:
			default:
				close(r.idle)
			}
		}
	}
}

func (p *Place) asked(r *running, ask live.PermissionRequest) {
	r.turn.Asks = append(r.turn.Asks, ask)
	var reply *live.Reply
	if r.answers.Permission != nil {
		reply = r.answers.Permission(ask)
	}
	if reply != nil {
		p.reply(r, ask.ID, *reply)
		return
	}
	if ask.Tool == nil || ask.SessionID != r.session {
		p.reply(r, ask.ID, live.Reply{Reply: live.ReplyReject})
		return
	}
	r.held[ask.Tool.CallID] = ask.ID
	p.settle(r)
}

// settle rejects the held asks once no call can ask any more. One rejection
// takes all of them.
func (p *Place) settle(r *running) {
	if r.freed || len(r.held) == 0 || len(r.turn.Calls) < r.expect {
		return
	}
	var one string
	for call, part := range r.turn.Calls {
		ask, held := r.held[call]
		if held {
			one = ask
		}
		if !held && !part.State.Over() {
			return
		}
	}
	r.freed = true
	p.reply(r, one, live.Reply{Reply: live.ReplyReject})
}

// reply answers without holding up the event stream.
func (p *Place) reply(r *running, id string, reply live.Reply) {
	r.work.Go(func() {
		err := p.Client.ReplyPermission(p.t.Context(), id, reply)
		if err != nil && !live.IsNotFound(err) { // a cascade may have been faster
			p.failed(r, err)
		}
	})
}

func (p *Place) questioned(r *running, q live.QuestionRequest) {
	r.turn.Questions = append(r.turn.Questions, q)
	var answers [][]string
	if r.answers.Question != nil {
		answers = r.answers.Question(q)
	}
	r.work.Go(func() {
		var err error
		if answers == nil {
			err = p.Client.RejectQuestion(p.t.Context(), q.ID)
		} else {
			err = p.Client.ReplyQuestion(p.t.Context(), q.ID, answers)
		}
		if err != nil {
			p.failed(r, err)
		}
	})
}

func (p *Place) failed(r *running, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.fail == nil {
		r.fail = err
	}
}
