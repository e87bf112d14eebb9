package policies

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/evaluator"
)

// action reads an Action: its kind, and the fields that this kind has.
func (r *suiteReader) action(n *Node) evaluator.Action {
	var a evaluator.Action
	text := func(name string, to *string) func(*Node) {
		return func(n *Node) { *to = r.Text(n, name) }
	}
	known := map[string]func(*Node){
		"command":     text("command", &a.Command),
		"cwd":         text("cwd", &a.Cwd),
		"path":        text("path", &a.Path),
		"to":          text("to", &a.To),
		"url":         text("url", &a.URL),
		"query":       text("query", &a.Query),
		"server":      text("server", &a.Server),
		"tool":        text("tool", &a.Tool),
		"annotations": func(n *Node) { a.Annotations = r.annotations(n) },
		"agent":       text("agent", &a.Agent),
		"text":        text("text", &a.Text),
		"request":     func(n *Node) { a.Request = r.json(n, "request") },
	}
	if kind := n.Get("kind"); kind != nil {
		a.Kind = evaluator.Kind(r.Word(kind, "kind", texts(evaluator.ActionKinds())...))
	}
	required, optional := a.Kind.Fields()
	what := "an action"
	if required != nil {
		what = "a " + string(a.Kind)
		own := map[string]func(*Node){}
		for _, name := range append(required, optional...) {
			own[name] = known[name]
		}
		known = own
	}
	known["kind"] = func(*Node) {}
	r.Map(n, what, known)
	r.Require(n, what, append([]string{"kind"}, required...)...)
	return a
}

func (r *suiteReader) annotations(n *Node) *evaluator.Annotations {
	var a evaluator.Annotations
	hint := func(name string, to **bool) func(*Node) {
		return func(n *Node) {
			v := r.Bool(n, name)
			*to = &v
		}
	}
	r.Map(n, "annotations", map[string]func(*Node){
		"title":           func(n *Node) { a.Title = r.line(n, "title") },
		"readOnlyHint":    hint("readOnlyHint", &a.ReadOnlyHint),
		"destructiveHint": hint("destructiveHint", &a.DestructiveHint),
		"idempotentHint":  hint("idempotentHint", &a.IdempotentHint),
		"openWorldHint":   hint("openWorldHint", &a.OpenWorldHint),
	})
	return &a
}

// json reads a JSON object: a mapping of texts, true and false, lists and
// mappings; or a text of JSON, where numbers and null are needed.
func (r *suiteReader) json(n *Node, what string) jsontext.Value {
	switch n.Kind {
	case Mapping:
		r.notEmpty(n, what)
		return nodeJSON(n)
	case Scalar:
		v := jsontext.Value(n.Text)
		if !v.IsValid() || v.Kind() != '{' {
			r.Refuse(n.Source, "%s isn't a JSON object: write a mapping, or an object in single quotes", what)
			return nil
		}
		if err := v.Compact(); err != nil {
			r.Refuse(n.Source, "%s isn't a JSON object: %s", what, err)
		}
		return v
	}
	r.wrongKind(n, what, "a mapping, or a JSON object in single quotes")
	return nil
}

// nodeJSON writes a value as JSON: what isn't true or false is a text. What was
// refused is left out.
func nodeJSON(n *Node) jsontext.Value {
	switch n.Kind {
	case Scalar:
		if isBool(n) {
			return jsontext.Value(n.Text)
		}
		return quoted(n.Text)
	case Mapping:
		out := jsontext.Value("{")
		for i, f := range n.Fields {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(append(out, quoted(f.Name)...), ':'), nodeJSON(f.Value)...)
		}
		return append(out, '}')
	case Sequence:
		out := jsontext.Value("[")
		for i, item := range n.Items {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, nodeJSON(item)...)
		}
		return append(out, ']')
	}
	return jsontext.Value("null") // refused: nobody sees it
}

func quoted(text string) jsontext.Value {
	out, err := jsontext.AppendQuote(nil, text)
	if err != nil { // invalid UTF-8: the text was checked before
		return jsontext.Value(`""`)
	}
	return out
}
