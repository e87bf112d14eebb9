package livetest

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/internal/loosejson"
)

// A Recording is what a client and a server of OpenCode 2 said to each other, at
// the level of operations: a transcript of NDJSON, as T3 Code keeps them.
type Recording struct {
	File       string
	Version    string // the server's
	CapturedAt string // a date, "" when it wasn't captured
	Frames     []Frame
}

// A Frame is one line of a Recording after the first.
type Frame struct {
	Line      int
	Kind      FrameKind
	Operation string          // of Outbound and Response
	Input     loosejson.Value // of Outbound; not there when the operation has none
	Data      jsontext.Value  // of Response: null where the answer was empty; of Event: the whole event
}

// FrameKind says what a Frame is.
type FrameKind int

// The frames.
const (
	Outbound FrameKind = iota // the client must do this now
	Response                  // the server answers an operation
	Event                     // the server streams an event
	Exit                      // the recording ends
)

// Recordings lists the recordings of a folder.
func Recordings(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.ndjson"))
	slices.Sort(files)
	return files, err
}

// ReadRecording reads a recording. What it doesn't know of a line's fields it
// passes over; a line whose kind it doesn't know is an error with its place.
func ReadRecording(file string) (*Recording, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := &Recording{File: file}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		v, err := loosejson.Parse(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if v.Get("type").Text() == "transcript_start" {
			out.Version = v.Get("version").Text()
			out.CapturedAt = v.Get("metadata", "capturedAt").Text()
			continue
		}
		frame, err := readFrame(v)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		frame.Line = n
		out.Frames = append(out.Frames, frame)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(out.Frames) == 0 {
		return nil, fmt.Errorf("%s: the recording has no frames", file)
	}
	return out, nil
}

func readFrame(v loosejson.Value) (Frame, error) {
	frame := v.Get("frame")
	switch kind, inner := v.Get("type").Text(), frame.Get("type").Text(); {
	case kind == "expect_outbound" && inner != "":
		return Frame{Kind: Outbound, Operation: canonical(inner), Input: frame.Get("input")}, nil
	case kind == "emit_inbound" && inner == "sdk.response":
		data := jsontext.Value("null")
		if frame.Get("data").There() {
			data = frame.Get("data").Raw()
		}
		return Frame{Kind: Response, Operation: canonical(frame.Get("operation").Text()), Data: data}, nil
	case kind == "emit_inbound" && inner == "sdk.event":
		return Frame{Kind: Event, Data: frame.Get("event").Raw()}, nil
	case kind == "runtime_exit":
		return Frame{Kind: Exit}, nil
	default:
		return Frame{}, fmt.Errorf("unknown frame %q of a line %q", inner, kind)
	}
}

// canonical is an operation's one name: those about requests are written with
// their session or without it.
func canonical(operation string) string {
	for _, group := range []string{"permission.", "form."} {
		if strings.HasPrefix(operation, group) && !strings.HasPrefix(operation, "permission.saved") {
			return "session." + operation
		}
	}
	return operation
}

// EventData is the data of an Event frame of a type, or nothing.
func (f Frame) EventData(kind string) loosejson.Value {
	if f.Kind != Event {
		return loosejson.Value{}
	}
	v, err := loosejson.Parse(f.Data)
	if err != nil || v.Get("type").Text() != kind {
		return loosejson.Value{}
	}
	return v.Get("data")
}
