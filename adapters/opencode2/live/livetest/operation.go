package livetest

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/internal/loosejson"
	"github.com/modegate/modegate/internal/strictjson"
)

// An Operation is a call to the server, as recordings have it: its name, and what
// its path, its query and its body say, side by side.
type Operation struct {
	Name  string
	Write bool // it changes something
	Input map[string]jsontext.Value
	Body  jsontext.Value // nil when there is none
}

// routes are the server's, as 2.0.18 is described.
var routes = []struct {
	pattern, name string
}{
	{"GET /api/event", "event.subscribe"},
	{"GET /api/model", "model.list"},
	{"GET /api/agent", "agent.list"},
	{"GET /api/permission/saved", "permission.saved.list"},
	{"POST /api/session", "session.create"},
	{"GET /api/session/active", "session.active"},
	{"GET /api/session/{sessionID}", "session.get"},
	{"PATCH /api/session/{sessionID}", "session.update"},
	{"POST /api/session/{sessionID}/prompt", "session.prompt"},
	{"POST /api/session/{sessionID}/synthetic", "session.synthetic"},
	{"POST /api/session/{sessionID}/interrupt", "session.interrupt"},
	{"POST /api/session/{sessionID}/model", "session.model"},
	{"POST /api/session/{sessionID}/move", "session.move"},
	{"GET /api/session/{sessionID}/permission", "session.permission.list"},
	{"POST /api/session/{sessionID}/permission/{requestID}/reply", "session.permission.reply"},
	{"GET /api/session/{sessionID}/form", "session.form.list"},
	{"POST /api/session/{sessionID}/form/{formID}/reply", "session.form.reply"},
	{"DELETE /api/session/{sessionID}/form/{formID}", "session.form.cancel"},
	{"POST /api/session/{sessionID}/form/{formID}/cancel", "session.form.cancel"},
}

// serve calls handle for every operation, and answers any other route as OpenCode
// does: with a web page.
func serve(handle func(http.ResponseWriter, *http.Request, Operation)) http.Handler {
	mux := http.NewServeMux()
	for _, route := range routes {
		names := parameters(route.pattern)
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) {
			op, err := operation(r, route.name, names)
			if err != nil {
				refuse(http.StatusBadRequest, "InvalidRequestError", err.Error()).write(w)
				return
			}
			handle(w, r, op)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { page.write(w) })
	return mux
}

var parameter = regexp.MustCompile(`\{(\w+)\}`)

func parameters(pattern string) []string {
	var names []string
	for _, m := range parameter.FindAllStringSubmatch(pattern, -1) {
		names = append(names, m[1])
	}
	return names
}

func operation(r *http.Request, name string, names []string) (Operation, error) {
	op := Operation{Name: name, Write: r.Method != "GET", Input: map[string]jsontext.Value{}}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return op, err
	}
	if len(body) > 0 {
		op.Body = body
		if err := strictjson.Decode(body, &op.Input); err != nil {
			return op, err
		}
	}
	set := func(name, value string) error {
		if _, twice := op.Input[name]; twice {
			return fmt.Errorf("%s is said twice", name)
		}
		text, err := strictjson.Encode(value)
		op.Input[name] = text
		return err
	}
	for _, name := range names {
		if err := set(name, r.PathValue(name)); err != nil {
			return op, err
		}
	}
	for name, values := range r.URL.Query() {
		if err := set(name, strings.Join(values, ",")); err != nil {
			return op, err
		}
	}
	return op, nil
}

func (o Operation) text(name string) string {
	v, err := loosejson.Parse(o.Input[name])
	if err != nil {
		return ""
	}
	return v.Text()
}

// String writes the operation for people.
func (o Operation) String() string {
	input, err := strictjson.Encode(o.Input)
	if err != nil || len(o.Input) == 0 {
		return o.Name
	}
	return o.Name + " " + string(input)
}

// ours says which texts of an operation are our own wording: recordings have
// other people's there.
var ours = map[string][]string{
	"session.synthetic":        {"text"},
	"session.permission.reply": {"message"},
}

// Differs says how an operation isn't the one that a recording expects, or
// nothing. In the recording "<any>" stands for any value, and <work>, <home> and
// their like for any text in one.
func (o Operation) Differs(want Frame) string {
	if o.Name != want.Operation {
		return fmt.Sprintf("%s instead of %s", o, want.Operation)
	}
	if want.Input.Text() == anything {
		return ""
	}
	var names []string
	for name := range o.Input {
		names = append(names, name)
	}
	for _, name := range want.Input.Names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		got, err := loosejson.Parse(o.Input[name])
		if err != nil {
			return fmt.Sprintf("%s lacks %s", o, name)
		}
		if slices.Contains(ours[o.Name], name) && want.Input.Get(name).IsText() && got.IsText() && got.Text() != "" {
			continue
		}
		if d := differs(want.Input.Get(name), got); d != "" {
			return fmt.Sprintf("%s: %s: %s", o, name, d)
		}
	}
	return ""
}

const anything = "<any>"

var placeholder = regexp.MustCompile(`<[a-z]+>`)

func differs(want, got loosejson.Value) string {
	switch {
	case want.Text() == anything && got.There():
		return ""
	case want.IsText() && got.IsText():
		if !pattern(want.Text()).MatchString(got.Text()) {
			return fmt.Sprintf("%q instead of %q", got.Text(), want.Text())
		}
		return ""
	case want.IsList() && got.IsList():
		wants, gots := want.List(), got.List()
		for i := range min(len(wants), len(gots)) {
			if d := differs(wants[i], gots[i]); d != "" {
				return fmt.Sprintf("%d: %s", i, d)
			}
		}
		if len(wants) != len(gots) {
			return fmt.Sprintf("%d elements instead of %d", len(gots), len(wants))
		}
		return ""
	case want.IsObject() && got.IsObject():
		names := append(want.Names(), got.Names()...)
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if d := differs(want.Get(name), got.Get(name)); d != "" {
				return name + ": " + d
			}
		}
		return ""
	case want.String() == got.String():
		return ""
	}
	return fmt.Sprintf("%s instead of %s", got, want)
}

// pattern makes a regular expression of a text with placeholders.
func pattern(text string) *regexp.Regexp {
	var b strings.Builder
	rest := text
	for _, at := range placeholder.FindAllString(text, -1) {
		before, after, _ := strings.Cut(rest, at)
		b.WriteString(regexp.QuoteMeta(before) + `.+`)
		rest = after
	}
	return regexp.MustCompile(`(?s)\A` + b.String() + regexp.QuoteMeta(rest) + `\z`)
}
