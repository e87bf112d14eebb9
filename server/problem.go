package server

import (
	"errors"
	"net/http"
	"strings"

	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/strictjson"
)

// problem is an answer that says no, as RFC 9457 has it.
type problem struct {
	Type      string  `json:"type"`
	Title     string  `json:"title"`
	Status    int     `json:"status"`
	Detail    string  `json:"detail"`
	RequestID string  `json:"requestId"`
	Errors    []place `json:"errors"`         // every single thing that is wrong, with its place
	State     string  `json:"state,omitzero"` // of the request that the problem is about

	retryAfter string // seconds, for 429 and 503
}

// place is one thing that is wrong: in the request (pointer) or in a file.
type place struct {
	Pointer *string `json:"pointer,omitzero"` // JSON Pointer into the request's body, "" for all of it
	File    string  `json:"file,omitzero"`
	Line    int     `json:"line,omitzero"`
	Column  int     `json:"column,omitzero"`
	Message string  `json:"message"`
}

// problemTypes name the kinds of problem.
const problemType = "urn:modegate:problem:"

func newProblem(status int, kind, detail string) *problem {
	return &problem{Type: problemType + kind, Title: http.StatusText(status), Status: status, Detail: detail}
}

// invalid is a request that can't be understood.
func invalid(errs ...place) *problem {
	detail := "the request is malformed"
	if len(errs) == 1 {
		detail = errs[0].text()
	}
	p := newProblem(http.StatusBadRequest, "invalid-request", detail)
	p.Errors = errs
	return p
}

func (p place) text() string {
	if p.Pointer != nil && *p.Pointer != "" {
		return *p.Pointer + ": " + p.Message
	}
	return p.Message
}

// wrong is an error about the value at a JSON Pointer of the request. An error
// that knows a place inside of that value is placed there.
func wrong(pointer string, err error) place {
	message := err.Error()
	var inner *strictjson.Error
	if errors.As(err, &inner) {
		pointer, message = pointer+inner.Pointer, inner.Message
	} else if rest, ok := strings.CutPrefix(message, "/"); ok {
		if at, text, ok := strings.Cut(rest, ": "); ok && !strings.ContainsAny(at, " \t") {
			pointer, message = pointer+"/"+at, text
		}
	}
	return place{Pointer: &pointer, Message: message}
}

// places lists the problems of a policy. Another error has no place.
func places(err error) []place {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var out []place
		for _, one := range several.Unwrap() {
			out = append(out, places(one)...)
		}
		return out
	}
	var list diag.List
	if !errors.As(err, &list) {
		return []place{{Message: err.Error()}}
	}
	out := make([]place, len(list))
	for i, p := range list {
		out[i] = place{File: p.File, Line: p.Line, Column: p.Column, Message: p.Full()}
	}
	return out
}
