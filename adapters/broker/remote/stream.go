package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/modegate/modegate/internal/strictjson"
)

// silence is after how long without a line the stream is dead. The service sends
// a comment every fifteen seconds.
const silence = 40 * time.Second

// follower are the ends of a session's events.
type follower struct {
	open func()      // the stream stands
	each func(event) // one at a time, in order, each once
	away func(error) // the stream has broken, or couldn't be opened; it is tried again
}

// follow follows the session's events, from its first or from where it was left,
// until ctx ends, or until what comes isn't understood.
func (s *Session) follow(ctx context.Context, f follower) error {
	for pause := firstRetry; ; pause = min(2*pause, longestRetry) {
		before := s.last
		err := s.stream(ctx, f)
		var strange *Misunderstanding
		var no *Refusal
		if ctx.Err() != nil || errors.As(err, &strange) || errors.As(err, &no) && !no.later {
			return err
		}
		f.away(err)
		if s.last > before {
			pause = firstRetry
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// stream reads one stream to its end.
func (s *Session) stream(ctx context.Context, f follower) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dead := time.AfterFunc(silence, func() { cancel(errors.New("it has been silent for too long")) })
	defer dead.Stop()
	header := http.Header{"Accept": {"text/event-stream"}, "Last-Event-Id": {strconv.FormatInt(s.last, 10)}}
	resp, err := s.c.send(ctx, "GET", "/v1/events?session="+url.QueryEscape(s.id), nil, header)
	if err != nil {
		return &Lost{err}
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode != http.StatusOK:
		data, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer)) // what there is of it
		return refusal(resp, data)
	case mediaType(resp) != "text/event-stream":
		return &Misunderstanding{fmt.Errorf("events of type %q", resp.Header.Get("Content-Type"))}
	}
	f.open()
	err = events(resp.Body, func(e event) {
		if e.Type != evGap { // whose number isn't its place
			if e.Seq <= s.last {
				return
			}
			s.last = e.Seq
		}
		f.each(e)
	}, func() { dead.Reset(silence) })
	var strange *Misunderstanding
	if errors.As(err, &strange) {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return &Lost{err}
}

// events reads events to the end of a stream, which is an error of its own. alive
// is called with every line.
func events(in io.Reader, each func(event), alive func()) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		alive()
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")) // an event is one line
		if !ok {
			continue
		}
		var e event
		if err := strictjson.Decode(data, &e); err != nil {
			return &Misunderstanding{fmt.Errorf("an event: %w", err)}
		}
		each(e)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &Misunderstanding{fmt.Errorf("an event of more than %d bytes", maxAnswer)}
	case err != nil:
		return err
	}
	return io.ErrUnexpectedEOF
}
