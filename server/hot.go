package server

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// quickCell answers native requests of one cell from parts of Verdicts that were
// encoded before: one template for each deciding rule, learned from the Verdict
// that the long way gives the first time.
type quickCell struct {
	compiled  *compiler.Compiled
	meaning   evaluator.Quick
	fields    [][2]string
	templates sync.Map // rule's position → *template
}

type quickKey struct{ provider, mode, interaction string }

// template is an encoded Verdict without what differs between two requests that
// one rule decides. A nil one means that the long way has to be gone.
type template struct {
	reason  string // up to the reason's action
	between string // from after the reason's text to the request
	request string // the request up to its action
	texts   string // the request from after its action to its first text
	rest    string
}

func newQuickCell(c *cell) *quickCell {
	m, err := c.dialect.Read(c.compiled.RuleSet.Native, compiler.Setting{Env: c.dialect.Env(c.Interaction, evaluator.Env{})})
	if err != nil {
		return nil
	}
	quick, ok := m.(evaluator.Quick)
	if !ok {
		return nil
	}
	return &quickCell{compiled: c.compiled, meaning: quick, fields: quick.QuickFields()}
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// quickly answers a body that asks about native requests in the plainest form,
// or returns nil: then the long way answers, or says what is wrong. The answer
// is good until release.
func (snap *snapshot) quickly(body []byte) *[]byte {
	q := quickReaders.Get().(*quickReader)
	defer quickReaders.Put(q)
	if !q.read(string(body)) {
		return nil
	}
	c := snap.quick[quickKey{q.provider, q.mode, q.interaction}]
	if c == nil {
		return nil
	}
	buffer := buffers.Get().(*[]byte)
	out := (*buffer)[:0]
	if q.many {
		out = append(out, `{"verdicts":[`...)
	}
	for i := range q.requests {
		if i > 0 {
			out = append(out, ',')
		}
		var ok bool
		if out, ok = c.append(out, &q.requests[i]); !ok {
			*buffer = out
			release(buffer)
			return nil
		}
	}
	if q.many {
		out = append(out, "]}"...)
	}
	*buffer = out
	return buffer
}

func release(buffer *[]byte) {
	if cap(*buffer) <= maxBody {
		buffers.Put(buffer)
	}
}

// append adds the Verdict of one request.
func (c *quickCell) append(out []byte, r *quickRequest) ([]byte, bool) {
	if !slices.Contains(c.fields, [2]string{r.actionField, r.textsField}) {
		return out, false
	}
	_, text, rule, ok := c.meaning.Quick(r.action, r.texts)
	if !ok {
		return out, false
	}
	t := c.template(rule, r, text)
	if t == nil {
		return out, false
	}
	out = append(append(append(out, t.reason...), r.action...), ` \"`...)
	if shown := r.texts[text]; len(shown) > evaluator.QuickShown {
		out = append(append(out, shown[:evaluator.QuickShown]...), "…"...)
	} else {
		out = append(out, shown...)
	}
	out = append(append(append(append(out, t.between...), t.request...), r.action...), t.texts...)
	for i, s := range r.texts {
		if i > 0 {
			out = append(out, `","`...)
		}
		out = append(out, s...)
	}
	return append(out, t.rest...), true
}

func (c *quickCell) template(rule int, r *quickRequest, text int) *template {
	if t, ok := c.templates.Load(rule); ok {
		return t.(*template)
	}
	t := c.learn(r, text)
	c.templates.Store(rule, t)
	return t
}

// The marks stand where an encoded Verdict is cut. No JSON text of ours holds
// these characters.
const (
	reasonMark  = "\ue000reason\ue000"
	requestMark = "\ue000request\ue000"
)

// learn goes the long way for a request and cuts the Verdict into a template. It
// returns nil when the Verdict isn't in the form that [evaluator.Quick] promises.
func (c *quickCell) learn(r *quickRequest, text int) *template {
	written := strictJSON(map[string]any{c.fields[0][0]: r.action, c.fields[0][1]: r.texts})
	v, err := c.compiled.Evaluate(evaluator.Action{Kind: evaluator.Native, Request: written}, false)
	shown := r.texts[text]
	if len(shown) > evaluator.QuickShown {
		shown = shown[:evaluator.QuickShown] + "…"
	}
	tail, ok := strings.CutPrefix(v.Reason, r.action+" "+strconv.Quote(shown))
	if err != nil || !ok || len(v.Parts) != 1 || len(v.Trace) > 0 {
		return nil
	}
	v.Reason = reasonMark
	v.Parts[0].Request = jsontext.Value(`"` + requestMark + `"`)
	whole, err := strictjson.Encode(v)
	if err != nil || strings.Count(string(whole), "\ue000") != 4 {
		return nil
	}
	before, after, _ := strings.Cut(string(whole), reasonMark+`"`)
	between, rest, ok := strings.Cut(after, `"`+requestMark+`"`)
	escaped := string(strictJSON(tail))
	if !ok {
		return nil
	}
	return &template{
		reason:  before,
		between: `\"` + escaped[1:] + between,
		request: `{"` + c.fields[0][0] + `":"`,
		texts:   `","` + c.fields[0][1] + `":["`,
		rest:    `"]}` + rest,
	}
}

func strictJSON(v any) jsontext.Value {
	out, err := strictjson.Encode(v)
	if err != nil {
		return jsontext.Value("null")
	}
	return out
}
