package livetest

import (
	"net/http"

	"github.com/modegate/modegate/internal/strictjson"
)

// answer is what the server answers to an operation.
type answer struct {
	status int
	body   any    // nil: none
	html   string // in place of a body
}

func ok(body any) answer { return answer{status: http.StatusOK, body: body} }

// data is how the server wraps most of what it answers.
func data(v any) answer { return ok(map[string]any{"data": v}) }

var done = answer{status: http.StatusNoContent}

// page is how the server answers a route that it doesn't have.
var page = answer{status: http.StatusOK, html: "<!doctype html><title>OpenCode</title>"}

// refuse is an error as the server has them. Further fields come in pairs.
func refuse(status int, tag, message string, fields ...string) answer {
	body := map[string]any{"_tag": tag, "message": message}
	for i := 0; i+1 < len(fields); i += 2 {
		body[fields[i]] = fields[i+1]
	}
	return answer{status: status, body: body}
}

func (a answer) write(w http.ResponseWriter) {
	if a.html != "" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(a.status)
		_, _ = w.Write([]byte(a.html))
		return
	}
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	text, err := strictjson.Encode(a.body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_, _ = w.Write(text)
}
