package server

import "sync"

// quickReader reads evaluations of native requests in their plainest form: no
// field but the needed ones, none twice, and texts of printable ASCII without
// escapes. It takes nothing that the strict decoder refuses; whatever else the
// strict decoder takes is left to it.
type quickReader struct {
	text string
	at   int

	provider, mode, interaction string
	many                        bool
	requests                    []quickRequest
}

// quickRequest is one native request. All of it is part of the text that was read.
type quickRequest struct {
	actionField, action string
	textsField          string
	texts               []string
}

// maxQuickTexts and maxQuickText are far below every dialect's own limits.
const (
	maxQuickTexts = 100
	maxQuickText  = 8 << 10
	maxQuickAll   = maxCommand // bytes of one request
)

var quickReaders = sync.Pool{New: func() any { return new(quickReader) }}

// read reports whether the whole text was understood.
func (q *quickReader) read(text string) bool {
	q.text, q.at = text, 0
	q.provider, q.mode, q.interaction, q.many, q.requests = "", "", "", false, q.requests[:0]
	ok := q.object(func(name string) bool {
		switch name {
		case "provider":
			return q.once(&q.provider)
		case "mode":
			return q.once(&q.mode)
		case "interaction":
			return q.once(&q.interaction)
		case "action":
			return len(q.requests) == 0 && q.action()
		case "actions":
			q.many = true
			return len(q.requests) == 0 && q.list(q.action) && len(q.requests) <= maxActions
		}
		return false
	})
	if q.interaction == "" {
		q.interaction = "default"
	}
	q.blanks()
	return ok && q.at == len(q.text) && len(q.requests) > 0
}

// once reads a text into a field that has none yet.
func (q *quickReader) once(field *string) bool {
	s, ok := q.string()
	if !ok || *field != "" || s == "" {
		return false
	}
	*field = s
	return true
}

// action reads an Action of kind native.
func (q *quickReader) action() bool {
	r := q.next()
	kind := ""
	return q.object(func(name string) bool {
		switch name {
		case "kind":
			return q.once(&kind) && kind == "native"
		case "request":
			return r.textsField == "" && r.actionField == "" && q.request(r)
		}
		return false
	}) && kind != "" && r.action != "" && len(r.texts) > 0
}

// next is a request to read into; its list is used again.
func (q *quickReader) next() *quickRequest {
	if len(q.requests) < cap(q.requests) {
		q.requests = q.requests[:len(q.requests)+1]
	} else {
		q.requests = append(q.requests, quickRequest{})
	}
	r := &q.requests[len(q.requests)-1]
	*r = quickRequest{texts: r.texts[:0]}
	return r
}

// request reads an object of a text and a list of texts.
func (q *quickReader) request(r *quickRequest) bool {
	from := q.at
	return q.object(func(name string) bool {
		q.blanks()
		if q.at < len(q.text) && q.text[q.at] == '[' {
			if r.textsField != "" {
				return false
			}
			r.textsField = name
			return q.list(func() bool {
				s, ok := q.string()
				r.texts = append(r.texts, s)
				return ok && len(s) <= maxQuickText && len(r.texts) <= maxQuickTexts
			})
		}
		if r.actionField != "" {
			return false
		}
		r.actionField = name
		return q.once(&r.action) && len(r.action) <= maxQuickText
	}) && q.at-from <= maxQuickAll
}

// object reads an object; field reads the value of a name.
func (q *quickReader) object(field func(name string) bool) bool {
	return q.is('{') && q.items('}', func() bool {
		name, ok := q.string()
		return ok && q.is(':') && field(name)
	})
}

// list reads a list that isn't empty.
func (q *quickReader) list(item func() bool) bool { return q.is('[') && q.items(']', item) }

func (q *quickReader) items(end byte, item func() bool) bool {
	for item() {
		switch {
		case q.is(','):
		case q.is(end):
			return true
		default:
			return false
		}
	}
	return false
}

// is takes one character, after blanks.
func (q *quickReader) is(c byte) bool {
	q.blanks()
	if q.at < len(q.text) && q.text[q.at] == c {
		q.at++
		return true
	}
	return false
}

func (q *quickReader) blanks() {
	for q.at < len(q.text) {
		switch q.text[q.at] {
		case ' ', '\n', '\t', '\r':
			q.at++
		default:
			return
		}
	}
}

// string reads a text that stands for itself.
func (q *quickReader) string() (string, bool) {
	if !q.is('"') {
		return "", false
	}
	from := q.at
	for q.at < len(q.text) {
		switch c := q.text[q.at]; {
		case c == '"':
			s := q.text[from:q.at]
			q.at++
			return s, true
		case c < ' ' || c > '~' || c == '\\':
			return "", false
		}
		q.at++
	}
	return "", false
}
