package live

import (
	"bytes"
	"io"
	"regexp"
	"sync"
)

// tailBytes is how much of a server's output is kept for error reports.
const tailBytes = 16 << 10

// listeningLine is what the server prints once it answers requests.
var listeningLine = regexp.MustCompile(`opencode server listening on (http://127\.0\.0\.1:[0-9]+)`)

// startLog receives a server's output. It finds the listening line, keeps the
// end of the output, and passes everything on.
type startLog struct {
	listening chan string // receives the address once

	mu    sync.Mutex
	next  io.Writer
	buf   []byte
	found bool
}

func newStartLog(next io.Writer) *startLog {
	return &startLog{listening: make(chan string, 1), next: next}
}

// Write never fails: the server's output must not stop because a log did.
func (l *startLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = append(l.buf, p...)
	if !l.found {
		l.look()
	}
	if over := len(l.buf) - tailBytes; over > 0 {
		l.buf = bytes.Clone(l.buf[over:])
	}
	l.next.Write(p) //nolint:errcheck // see above
	return len(p), nil
}

// look searches whole lines only: an address may arrive in two pieces.
func (l *startLog) look() {
	whole := l.buf[:bytes.LastIndexByte(l.buf, '\n')+1]
	if m := listeningLine.FindSubmatch(whole); m != nil {
		l.found = true
		l.listening <- string(m[1])
	}
}

func (l *startLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.buf)
}
