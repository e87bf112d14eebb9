package live_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/modegate/modegate/adapters/broker"
	"github.com/modegate/modegate/adapters/opencode2"
	"github.com/modegate/modegate/adapters/opencode2/live"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// person answers by a table and remembers everything.
type person struct {
	d       *live.Driver
	answers map[string]broker.Answer // by request id or title; without one nothing is answered
	opened  func(broker.Request)     // after it was answered

	mu       sync.Mutex
	requests []broker.Request
	closings []broker.Closing
	sights   []broker.Sight
	refused  []error // answers that weren't taken
}

func (p *person) Opened(r broker.Request) {
	p.mu.Lock()
	p.requests = append(p.requests, r)
	p.mu.Unlock()
	a, ok := p.answers[r.ID]
	if !ok {
		a, ok = p.answers[r.Title]
	}
	if ok {
		if err := p.d.Answer(r, a); err != nil {
			p.mu.Lock()
			p.refused = append(p.refused, err)
			p.mu.Unlock()
		}
	}
	if p.opened != nil {
		p.opened(r)
	}
}

func (p *person) Closed(c broker.Closing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closings = append(p.closings, c)
}

func (p *person) Saw(s broker.Sight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sights = append(p.sights, s)
}

// closed is how requests were closed, such as "per_1 accept person", by their ids.
func (p *person) closed() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, c := range p.closings {
		out = append(out, strings.Join(strings.Fields(c.Request.ID+" "+string(c.Decision)+" "+string(c.By)), " "))
	}
	slices.Sort(out)
	return out
}

// saw are the texts of one kind of sight.
func (p *person) saw(kind broker.SightKind) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, s := range p.sights {
		if s.Kind == kind {
			out = append(out, strings.TrimSpace(s.Tool+" "+s.Text+" "+s.Detail))
		}
	}
	return out
}

func decide(d broker.Decision) broker.Answer { return broker.Answer{Decision: d} }

// cell is one of OpenCode 2's.
func cell(mode evaluator.Mode, interaction evaluator.Interaction) evaluator.Cell {
	return evaluator.Cell{Provider: evaluator.OpenCode2, Mode: mode, Interaction: interaction}
}

var (
	boundary    = opencode2.Boundary()
	needsAgents = opencode2.NeedsAgents

	supervised = cell(evaluator.ApprovalRequired, evaluator.Default)
	fullAccess = cell(evaluator.FullAccess, evaluator.Default)
)

// compiling compiles a cell of the built-in policy.
func compiling(t testing.TB, c evaluator.Cell) broker.Compile {
	t.Helper()
	policy, err := policies.Load("builtin/t3code")
	if err != nil {
		t.Fatal(err)
	}
	return func(env evaluator.Env) (*compiler.Compiled, error) {
		return compiler.Compile(policy, opencode2.New(), c, compiler.Options{Env: env})
	}
}

// rulesOf are the rules that a cell compiles to for an Env.
func rulesOf(t testing.TB, c evaluator.Cell, env evaluator.Env) string {
	t.Helper()
	compiled, err := compiling(t, c)(env)
	if err != nil {
		t.Fatal(err)
	}
	return string(compiled.RuleSet.Native)
}

// open opens a session on a server and brings its rules up to date.
func open(t testing.TB, s *livetest.Server, o live.Options) (*live.Driver, error) {
	t.Helper()
	d, err := connect(t, s, o)
	if err != nil {
		return nil, err
	}
	if _, err := d.Sync(t.Context()); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// connect opens a session on a server.
func connect(t testing.TB, s *livetest.Server, o live.Options) (*live.Driver, error) {
	t.Helper()
	if o.Cell.Provider == "" {
		o.Cell = supervised
	}
	if o.Compile == nil {
		o.Compile = compiling(t, o.Cell)
	}
	o.Translator, o.NeedsAgents = boundary, needsAgents
	return live.Open(t.Context(), live.NewClient("http://opencode", "", "/w", s.Network.Transport()), o)
}

// must is open on a server that lets it.
func must(t testing.TB, s *livetest.Server, o live.Options) *live.Driver {
	t.Helper()
	d, err := open(t, s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// long is longer than anything here may take: by the test's own clock.
const long = time.Hour

// run runs one prompt, which must come to an end.
func run(t testing.TB, d *live.Driver, p *person) broker.Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	p.d = d
	out := d.Run(ctx, "go", p)
	if ctx.Err() != nil {
		t.Error("the run hangs")
	}
	if len(p.refused) > 0 {
		t.Error(p.refused)
	}
	return out
}

// bubble runs a test on a clock of its own, with a server.
func bubble(t *testing.T, agent livetest.Agent, f func(*testing.T, *livetest.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f(t, livetest.Start(t, livetest.Options{Agent: agent}))
	})
}
