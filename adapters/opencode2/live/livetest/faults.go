package livetest

import (
	"fmt"
	"net/http"
	"time"
)

// A Fault befalls one call of an operation.
type Fault string

// The faults.
const (
	Fails    Fault = "fails"          // 500, and nothing happens
	Page     Fault = "page"           // 200 and a web page, and nothing happens
	NoRoute  Fault = "no route"       // 404 without a tag, and nothing happens
	NoMethod Fault = "no method"      // 405, and nothing happens
	Slow     Fault = "slow"           // it happens at once and is answered after Late
	Late     Fault = "late"           // it happens after the client has left
	Lost     Fault = "lost"           // it happens, and the connection breaks before the answer
	Hangs    Fault = "hangs"          // nothing happens and nobody answers
	Broken   Fault = "broken answers" // it happens, and is answered with half a JSON text
)

// slowness is how long a slow answer takes: longer than anybody should wait.
const slowness = 30 * time.Second

// Fail lets faults befall the next calls of an operation, one each; "" is none.
func (s *Server) Fail(operation string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[canonical(operation)] = append(s.faults[canonical(operation)], faults...)
}

func (f Fault) serve(w http.ResponseWriter, r *http.Request, apply func() answer) {
	wait := func() {
		select {
		case <-r.Context().Done():
		case <-time.After(slowness):
		}
	}
	switch f {
	case Fails:
		refuse(http.StatusInternalServerError, "UnknownError", "it fails").write(w)
	case Page:
		page.write(w)
	case NoRoute:
		http.Error(w, "Not Found", http.StatusNotFound)
	case NoMethod:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case Slow:
		a := apply()
		wait()
		a.write(w)
	case Late:
		wait()
		apply().write(w)
	case Lost:
		apply()
		panic(http.ErrAbortHandler)
	case Hangs:
		<-r.Context().Done()
	case Broken:
		apply()
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"data":`)
	default:
		apply().write(w)
	}
}
