package livetest

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// streams are the event streams of a server's clients.
type streams struct {
	mu   sync.Mutex
	list map[*stream]bool
}

// stream is one of them. What is sent to it is kept until it is written.
type stream struct {
	all     *streams
	ring    chan struct{}
	closed  chan struct{}
	mu      sync.Mutex
	queue   [][]byte
	stalled bool
}

func (s *streams) open() *stream {
	one := &stream{all: s, ring: make(chan struct{}, 1), closed: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil {
		s.list = map[*stream]bool{}
	}
	s.list[one] = true
	return one
}

// send sends an event to everybody.
func (s *streams) send(event []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for one := range s.list {
		one.send(event)
	}
}

// closeAll ends every stream.
func (s *streams) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for one := range s.list {
		close(one.closed)
	}
	clear(s.list)
}

// stall lets every stream that is open fall silent.
func (s *streams) stall() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for one := range s.list {
		one.mu.Lock()
		one.stalled = true
		one.mu.Unlock()
	}
}

func (s *stream) send(event []byte) {
	s.mu.Lock()
	s.queue = append(s.queue, event)
	s.mu.Unlock()
	select {
	case s.ring <- struct{}{}:
	default:
	}
}

func (s *stream) take() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stalled {
		return nil
	}
	queue := s.queue
	s.queue = nil
	return queue
}

func (s *stream) isStalled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stalled
}

// heartbeat is how often the server sends a comment (source read 2026-11-30).
const heartbeat = 15 * time.Second

// serve writes the stream until it ends, from either side.
func (s *stream) serve(w http.ResponseWriter, r *http.Request) {
	defer func() {
		s.all.mu.Lock()
		delete(s.all.list, s)
		s.all.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flusher, _ := w.(http.Flusher)
	flusher.Flush()
	beats := time.NewTicker(heartbeat)
	defer beats.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-s.closed:
			return
		case <-s.ring:
			for _, event := range s.take() {
				fmt.Fprintf(w, "data: %s\n\n", event)
			}
		case <-beats.C:
			if !s.isStalled() {
				fmt.Fprint(w, ": heartbeat\n\n")
			}
		}
		flusher.Flush()
	}
}
