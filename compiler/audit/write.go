package audit

import (
	"fmt"
	"io"
	"strings"

	"github.com/modegate/modegate/internal/strictjson"
)

// Formats lists what a report can be written as, the default first.
func Formats() []string { return []string{"markdown", "html", "json", "sarif"} }

// Write writes the report in one of the [Formats].
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case "markdown":
		return r.Markdown(w)
	case "html":
		return r.HTML(w)
	case "json":
		return encoded(w, strictjson.Indent, r)
	case "sarif":
		data, err := r.sarif().Encode()
		if err != nil {
			return err
		}
		_, err = w.Write(append(data, '\n'))
		return err
	}
	return fmt.Errorf("unknown format %q: use %s", format, strings.Join(Formats(), ", "))
}

func encoded(w io.Writer, encode func(any) ([]byte, error), v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}
