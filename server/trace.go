package server

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"regexp"
	"strconv"
	"sync/atomic"
)

// requestIDs names requests: by the client's own name where it gives a good one.
type requestIDs struct {
	prefix string
	last   atomic.Uint64
}

var goodID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

func (ids *requestIDs) start() {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	ids.prefix = hex.EncodeToString(b[:]) + "-"
}

func (ids *requestIDs) of(r *http.Request) string {
	if given := r.Header[requestHeader]; len(given) == 1 && goodID.MatchString(given[0]) {
		return given[0]
	}
	return ids.prefix + strconv.FormatUint(ids.last.Add(1), 10)
}

// span is our part of a caller's trace (W3C Trace Context, level 1).
type span struct {
	valid  bool
	caller string // the header as it came
	id     [8]byte
}

var traceparent = regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

func spanOf(r *http.Request) span {
	given := r.Header["Traceparent"]
	if len(given) != 1 || !traceparent.MatchString(given[0]) || allZero(given[0][3:35]) || allZero(given[0][36:52]) {
		return span{}
	}
	s := span{valid: true, caller: given[0]}
	_, _ = rand.Read(s.id[:]) // never fails
	return s
}

func allZero(s string) bool {
	for i := range len(s) {
		if s[i] != '0' {
			return false
		}
	}
	return true
}

func (s span) trace() string { return s.caller[3:35] }

func (s span) own() string { return hex.EncodeToString(s.id[:]) }

// String is the header that we pass on: the caller's trace, and our span in it.
func (s span) String() string { return s.caller[:36] + s.own() + s.caller[52:] }
