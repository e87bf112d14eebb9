package live_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modegate/modegate/adapters/opencode/live"
)

// stream serves one body after the other as event streams; the last one stays
// open.
func stream(t *testing.T, contentType string, bodies ...string) *live.Client {
	t.Helper()
	var n atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := int(n.Add(1)) - 1
		w.Header().Set("Content-Type", contentType)
		fmt.Fprint(w, bodies[min(i, len(bodies)-1)])
		w.(http.Flusher).Flush()
		if i >= len(bodies)-1 {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(s.Close)
	return live.NewClient(s.URL, "", "/srv/ws")
}

const connected = "data: {\"type\":\"server.connected\",\"properties\":{}}\n\n"

func TestEventsReconnect(t *testing.T) {
	c := stream(t, "text/event-stream; charset=utf-8",
		connected+": a comment\nevent: message\nid: 1\ndata: {\"type\":\"session.idle\",\ndata: \"properties\":{\"sessionID\":\"s1\"}}\n\n",
		connected+"data: {\"type\":\"last\"}\r\n\r\n")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var seen []string
	err := c.Events(ctx, live.Hooks{
		Connected: func(_ context.Context, again bool) { seen = append(seen, fmt.Sprint("connected ", again)) },
		Lost:      func(err error) { seen = append(seen, fmt.Sprint("lost ", err != nil)) },
		Event: func(e live.Event) {
			switch e.Type {
			case live.EventIdle:
				var idle live.IdleEvent
				if err := e.Decode(&idle); err != nil {
					t.Error(err)
				}
				seen = append(seen, "idle "+idle.SessionID)
			case "last":
				cancel()
			}
		},
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	want := []string{"connected false", "idle s1", "lost true", "connected true"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
}

func TestEventsRefuseOtherAnswers(t *testing.T) {
	for name, a := range map[string][2]string{
		"the web application": {"text/html", "<!doctype html>"},
		"not JSON":            {"text/event-stream", "data: x\n\n"},
		"half an event":       {"text/event-stream", "data: {}"},
		"a huge event":        {"text/event-stream", "data: " + strings.Repeat("x", 33<<20)},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		c := stream(t, a[0], a[1], connected)
		err := c.Events(ctx, live.Hooks{
			Lost:  func(error) { cancel() },
			Event: func(e live.Event) { t.Errorf("%s: event %+v", name, e) },
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

func TestEventsEndWithTheContext(t *testing.T) {
	c := stream(t, "text/event-stream", connected)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		over <- c.Events(ctx, live.Hooks{Connected: func(context.Context, bool) { cancel() }})
	}()
	select {
	case err := <-over:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Events goes on after its context ended")
	}
}
