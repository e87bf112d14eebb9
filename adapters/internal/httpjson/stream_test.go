package httpjson_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modegate/modegate/adapters/internal/httpjson"
	"github.com/modegate/modegate/adapters/internal/httpjson/httpjsontest"
)

// follow follows what a handler streams, for as long, and returns what happened
// with the seconds at which it did.
func follow(t *testing.T, long time.Duration, handler http.HandlerFunc) (happened []string) {
	t.Helper()
	network := httpjsontest.New()
	server := &http.Server{Handler: handler}
	go server.Serve(network)
	defer server.Close()
	via := network.Transport()
	defer via.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	begin := time.Now()
	add := func(what string) {
		happened = append(happened, fmt.Sprintf("%.0f %s", time.Since(begin).Seconds(), what))
	}
	err := httpjson.New("x", "http://x", "", "", via).Follow(ctx, httpjson.Stream{
		Path: "/", Silence: 35 * time.Second,
		Open:  func() { add("open") },
		Event: func(data []byte) error { add(string(data)); return nil },
		Lost:  func(error) { add("lost") },
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	return happened
}

// TestSilence ends a stream that is silent, and not one whose only lines are
// comments, as OpenCode 2's heartbeats are.
func TestSilence(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want []string
	}{
		"heartbeats": {": heartbeat\n\n", []string{"0 open", "0 first"}},
		"silence":    {"", []string{"0 open", "0 first", "35 lost", "35 open", "35 first", "70 lost", "70 open", "70 first"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			got := follow(t, 100*time.Second, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, "data: first\n\n")
				w.(http.Flusher).Flush()
				ticks := time.NewTicker(15 * time.Second)
				defer ticks.Stop()
				for {
					select {
					case <-r.Context().Done():
						return
					case <-ticks.C:
						fmt.Fprint(w, c.line)
						w.(http.Flusher).Flush()
					}
				}
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		})
	}
}

// TestRetries holds how a server that can't stream is tried again: less and less
// often, at least every five seconds.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := follow(t, 20*time.Second, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		want := []string{"0 lost", "0 lost", "0 lost", "1 lost", "2 lost", "3 lost", "6 lost", "11 lost", "16 lost"}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}
