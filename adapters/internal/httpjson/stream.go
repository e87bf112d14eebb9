package httpjson

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// A Stream says how to follow a stream of server-sent events. Its functions are
// called one at a time from the goroutine that runs [Client.Follow].
type Stream struct {
	Path  string
	Query url.Values
	// Silence is after how long without a line, a comment included, the stream
	// counts as dead.
	Silence time.Duration
	// Open is called when the server has answered, before the first event; nil
	// does nothing.
	Open func()
	// Event is called with the data of one event. An error breaks the stream.
	Event func(data []byte) error
	// Lost is called each time the stream has broken or couldn't be opened,
	// before it is tried again; nil does nothing.
	Lost func(error)
}

// How long a stream that broke stays closed, and how large an event may be.
const (
	firstRetry    = 100 * time.Millisecond
	longestRetry  = 5 * time.Second
	maxEventBytes = 32 << 20
)

// Follow follows a stream until ctx ends, whose error it returns. A stream that
// breaks is opened again, after a pause that grows while no event comes.
func (c *Client) Follow(ctx context.Context, s Stream) error {
	pause := firstRetry
	for {
		err := c.stream(ctx, s, func() { pause = firstRetry })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s.Lost != nil {
			s.Lost(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, longestRetry)
	}
}

// stream reads one stream to its end. alive is called with each event.
func (c *Client) stream(ctx context.Context, s Stream, alive func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(s.Silence, func() { cancel(errSilent) })
	defer silence.Stop()
	broken := func(err error) error {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("%s events: %w", c.name, err)
	}
	req, err := c.request(ctx, "GET", s.Path, s.Query, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := c.http.Do(req)
	if err != nil {
		return broken(err)
	}
	defer resp.Body.Close()
	if t := mediaType(resp); resp.StatusCode != http.StatusOK || t != "text/event-stream" {
		return fmt.Errorf("%s events: status %d with content type %q", c.name, resp.StatusCode, t)
	}
	if s.Open != nil {
		s.Open()
	}
	in := bufio.NewReader(resp.Body)
	for {
		data, err := nextData(in, func() { silence.Reset(s.Silence) })
		if err != nil {
			return broken(err)
		}
		if err := s.Event(data); err != nil {
			return broken(err)
		}
		alive()
	}
}

var errSilent = errors.New("the stream has been silent for too long")

// nextData reads one server-sent event and joins its data lines. Comments and
// other fields are passed over; line is called for each of them, too.
func nextData(in *bufio.Reader, line func()) ([]byte, error) {
	var data []byte
	for {
		text, err := readLine(in, maxEventBytes-len(data))
		if err != nil {
			return nil, err
		}
		line()
		switch {
		case len(text) == 0 && data != nil:
			return data, nil
		case bytes.HasPrefix(text, []byte("data:")):
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(text[len("data:"):], []byte(" "))...)
		}
	}
}

// readLine reads one line of at most most bytes, without its end.
func readLine(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		if len(line) > most {
			return nil, fmt.Errorf("an event is larger than %d bytes", maxEventBytes)
		}
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}
