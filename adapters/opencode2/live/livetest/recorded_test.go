package livetest_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/internal/httpjson"
	"github.com/modegate/modegate/adapters/opencode2/live/livetest"
	"github.com/modegate/modegate/internal/loosejson"
)

// modelled is the recording of a real server which this one was made after: what
// that one says, this one says whole.
const modelled = "question.ndjson"

// TestServerTakesWhatIsRecorded sends the server every recorded call, in order. It
// must take each, answer in the recorded shape, and stream events of theirs.
func TestServerTakesWhatIsRecorded(t *testing.T) {
	files, err := livetest.Recordings("../../../../testdata/opencode2")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	known := shapes{}
	var recs []*livetest.Recording
	for _, file := range files {
		rec, err := livetest.ReadRecording(file)
		if err != nil {
			t.Fatal(err)
		}
		known.add(rec)
		recs = append(recs, rec)
	}
	for _, rec := range recs {
		t.Run(filepath.Base(rec.File), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &caller{t: t, rec: rec, s: livetest.Start(t, livetest.Options{Agent: agentOf(rec)}), ids: map[string]string{}, said: shapes{}}
				c.play()
				own := shapes{}
				own.add(rec)
				for name, said := range c.said {
					for path := range said {
						if !known[name][path] {
							t.Errorf("%s: %s isn't recorded", name, path)
						}
					}
					for path := range own[name] {
						if filepath.Base(rec.File) == modelled && !said[path] && !strings.HasSuffix(name, ".list") {
							t.Errorf("%s: %s is recorded", name, path)
						}
					}
				}
				t.Logf("compared: %s", strings.Join(slices.Sorted(maps.Keys(c.said)), ", "))
			})
		})
	}
}

// agentOf is an agent that says and asks what the recorded one did.
func agentOf(rec *livetest.Recording) livetest.Agent {
	return func(t *livetest.Turn) {
		t.Say("I begin.")
		for _, f := range rec.Frames {
			if asked := f.EventData("permission.asked"); asked.There() {
				t.Tool(livetest.Call{
					Tool: "shell", Input: map[string]any{"command": asked.Get("resources").Texts()[0]},
					Action: asked.Get("action").Text(), Resources: asked.Get("resources").Texts(), Save: asked.Get("save").Texts(),
				})
			}
			if form := f.EventData("form.created").Get("form"); form.There() {
				var fields []livetest.Field
				if err := json.Unmarshal(form.Get("fields").Raw(), &fields); err == nil {
					t.Question("", fields...)
				}
			}
		}
	}
}

// caller is the recorded client.
type caller struct {
	t    *testing.T
	rec  *livetest.Recording
	s    *livetest.Server
	http *http.Client
	ids  map[string]string // the server's own, by the recorded ones
	said shapes
}

func (c *caller) play() {
	via := c.s.Network.Transport()
	defer via.CloseIdleConnections()
	c.http = &http.Client{Transport: via}
	ctx, cancel := context.WithCancel(c.t.Context())
	var events [][]byte
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = httpjson.New("x", "http://x", "", "", via).Follow(ctx, httpjson.Stream{
			Path: "/api/event", Silence: time.Hour,
			Event: func(data []byte) error { events = append(events, data); return nil },
		})
	}()
	for i, f := range c.rec.Frames {
		if f.Kind == livetest.Outbound && f.Operation != "event.subscribe" {
			synctest.Wait()
			c.call(i, f)
		}
		if f.Kind == livetest.Event {
			synctest.Wait()
			c.meet(f)
		}
	}
	synctest.Wait()
	cancel()
	<-over
	for _, e := range events {
		v, err := loosejson.Parse(e)
		if err != nil {
			c.t.Fatal(err)
		}
		c.said.take(v.Get("type").Text(), v)
	}
}

// meet learns which of the server's requests is the recorded one.
func (c *caller) meet(f livetest.Frame) {
	id := f.EventData("permission.asked").Get("id").Text()
	if id == "" {
		id = f.EventData("form.created").Get("form", "id").Text()
	}
	if waiting := c.s.Waiting(); id != "" && len(waiting) == 1 {
		c.ids[id] = waiting[0]
	}
}

// call makes a recorded call, and compares what is answered with what was.
func (c *caller) call(i int, f livetest.Frame) {
	var recorded jsontext.Value
	for _, later := range c.rec.Frames[i:] {
		if later.Kind == livetest.Response && later.Operation == f.Operation {
			recorded = later.Data
			break
		}
	}
	status, body := c.send(f, recorded)
	where := fmt.Sprintf("%s:%d: %s", c.rec.File, f.Line, f.Operation)
	if string(recorded) == "null" {
		if status != http.StatusNoContent || len(body) > 0 {
			c.t.Errorf("%s: status %d %s", where, status, body)
		}
		return
	}
	v, err := loosejson.Parse(body)
	if status != http.StatusOK || err != nil {
		c.t.Errorf("%s: status %d %s", where, status, body)
		return
	}
	if f.Operation == "session.create" {
		was, _ := loosejson.Parse(recorded)
		c.ids[was.Get("data", "id").Text()] = v.Get("data", "id").Text()
	}
	c.said.take(f.Operation, v)
}

// paths are the calls' paths, by their operations.
var paths = map[string]string{
	"model.list": "GET /api/model", "agent.list": "GET /api/agent", "session.create": "POST /api/session",
	"session.active": "GET /api/session/active", "session.get": "GET /api/session/{sessionID}", "session.update": "PATCH /api/session/{sessionID}",
	"session.prompt": "POST /api/session/{sessionID}/prompt", "session.synthetic": "POST /api/session/{sessionID}/synthetic",
	"session.interrupt": "POST /api/session/{sessionID}/interrupt", "session.model": "POST /api/session/{sessionID}/model",
	"session.move":            "POST /api/session/{sessionID}/move",
	"session.permission.list": "GET /api/session/{sessionID}/permission", "session.permission.reply": "POST /api/session/{sessionID}/permission/{requestID}/reply",
	"session.form.list": "GET /api/session/{sessionID}/form", "session.form.reply": "POST /api/session/{sessionID}/form/{formID}/reply",
	"session.form.cancel": "DELETE /api/session/{sessionID}/form/{formID}", "permission.saved.list": "GET /api/permission/saved",
}

func (c *caller) send(f livetest.Frame, recorded jsontext.Value) (int, []byte) {
	method, path, found := strings.Cut(paths[f.Operation], " ")
	if !found {
		c.t.Fatalf("no path for %s", f.Operation)
	}
	in := f.Input
	if in.Text() == "<any>" {
		in = described(recorded)
	}
	query, body := url.Values{}, map[string]any{}
	for _, name := range in.Names() {
		v := in.Get(name)
		id := v.Text()
		if own := c.ids[id]; own != "" {
			id = own
		}
		switch {
		case strings.Contains(path, "{"+name+"}"):
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(id))
		case method == "GET":
			query.Set(name, v.Text())
		default:
			body[name] = v.Raw()
		}
	}
	var payload io.Reader
	if len(body) > 0 {
		text, err := json.Marshal(body)
		if err != nil {
			c.t.Fatal(err)
		}
		payload = strings.NewReader(string(text))
	}
	r, err := http.NewRequest(method, "http://x"+path+"?"+query.Encode(), payload)
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer.StatusCode, text
}

// described is what a session must have been created with, by what was answered.
func described(recorded jsontext.Value) loosejson.Value {
	var was struct {
		Data struct {
			Location    jsontext.Value `json:"location"`
			Permissions jsontext.Value `json:"permissions"`
		} `json:"data"`
	}
	if json.Unmarshal(recorded, &was) != nil {
		return loosejson.Value{}
	}
	text, _ := json.Marshal(was.Data)
	v, _ := loosejson.Parse(text)
	return v
}

// shapes are, by an operation's or an event's name, the places that its JSON has
// and the kinds of value there.
type shapes map[string]map[string]bool

func (s shapes) add(rec *livetest.Recording) {
	for _, f := range rec.Frames {
		v, err := loosejson.Parse(f.Data)
		switch {
		case err != nil:
		case f.Kind == livetest.Response && v.IsObject():
			s.take(f.Operation, v)
		case f.Kind == livetest.Event:
			s.take(v.Get("type").Text(), v)
		}
	}
}

func (s shapes) take(name string, v loosejson.Value) {
	if s[name] == nil {
		s[name] = map[string]bool{}
	}
	s.walk(name, "", v)
}

func (s shapes) walk(name, at string, v loosejson.Value) {
	switch {
	case v.IsObject():
		s[name][at+" object"] = true
		for _, n := range v.Names() {
			s.walk(name, at+"/"+n, v.Get(n))
		}
	case v.IsList():
		s[name][at+" list"] = true
		for _, e := range v.List() {
			s.walk(name, at+"/-", e)
		}
	case v.IsText():
		s[name][at+" text"] = true
	case v.IsBool():
		s[name][at+" bool"] = true
	case v.IsNumber():
		s[name][at+" number"] = true
	}
}
