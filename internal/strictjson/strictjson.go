// Package strictjson owns the decoding of JSON at every edge of the project.
//
// encoding/json takes unknown fields, repeated names, other spellings of a name
// and broken Unicode in silence; a misspelled field once answered "allow". Here
// each of them is an error that says where it is.
package strictjson

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Error is one JSON text that was refused: where, and what to do.
type Error struct {
	Pointer string // JSON Pointer (RFC 6901) of the value, "" for the whole text
	Line    int    // 1-based
	Column  int    // 1-based, in bytes
	Message string
}

// Error writes line:column: pointer: message.
func (e *Error) Error() string {
	at := fmt.Sprintf("%d:%d: ", e.Line, e.Column)
	if e.Pointer != "" {
		at += e.Pointer + ": "
	}
	return at + e.Message
}

// Decode reads the one JSON value in data into v. Unknown and repeated names,
// names in another case, invalid UTF-8, lone surrogates, anything after the value,
// and a null for what isn't a pointer, an interface or a raw value are errors of
// type *Error.
func Decode(data []byte, v any) error {
	err := json.Unmarshal(data, v, json.RejectUnknownMembers(true), noNulls)
	if err == nil {
		return nil
	}
	return place(data, err)
}

// DecodeNoNull is Decode for what a client writes: null isn't a way to leave a
// value out there, so that it is an error for a pointer and a raw value, too.
func DecodeNoNull(data []byte, v any) error {
	err := json.Unmarshal(data, v, json.RejectUnknownMembers(true), noNullsAtAll)
	if err == nil {
		return nil
	}
	return place(data, err)
}

var errNull = errors.New("null can't stand here: leave the field out, or give it a value")

// noNulls refuses the null that would otherwise become an empty text, list or
// object, as if somebody had written that.
var noNulls = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, v any) error {
	if d.PeekKind() != 'n' {
		return errors.ErrUnsupported
	}
	switch t := reflect.TypeOf(v).Elem(); {
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Interface, readsNull(v):
		return errors.ErrUnsupported
	}
	return errNull
}))

var noNullsAtAll = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, _ any) error {
	if d.PeekKind() != 'n' {
		return errors.ErrUnsupported
	}
	return errNull
}))

// readsNull tells whether v's type has a say of its own on what a null means.
func readsNull(v any) bool {
	switch v.(type) {
	case json.UnmarshalerFrom, json.Unmarshaler:
		return true
	}
	return false
}

// Encode writes v as compact JSON, object names of maps in order, so that equal
// values give equal bytes.
func Encode(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true), json.FormatNilSliceAsNull(false))
}

// Indent writes v as JSON for people: two spaces, object names of maps in order.
func Indent(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
}

func place(data []byte, err error) error {
	out := &Error{Message: err.Error()}
	offset := int64(-1)
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic):
		offset, out.Pointer = semantic.ByteOffset, string(semantic.JSONPointer)
		out.Message = explain(semantic)
	case errors.As(err, &syntactic):
		offset, out.Pointer = syntactic.ByteOffset, string(syntactic.JSONPointer)
		out.Message = syntactic.Err.Error()
	}
	offset = min(max(offset, 0), int64(len(data)))
	before := string(data[:offset])
	out.Line = 1 + strings.Count(before, "\n")
	out.Column = len(before) - strings.LastIndexByte(before, '\n')
	return out
}

func explain(e *json.SemanticError) string {
	name := e.JSONPointer.LastToken()
	switch {
	case errors.Is(e.Err, json.ErrUnknownName):
		return fmt.Sprintf("unknown field %q", name)
	case e.Err != nil:
		return e.Err.Error()
	case e.GoType != nil:
		return fmt.Sprintf("a JSON %s can't stand here", e.JSONKind)
	}
	return e.Error()
}
