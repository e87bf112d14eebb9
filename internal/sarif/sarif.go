// Package sarif owns the form of findings that code hosts and editors read: the
// Static Analysis Results Interchange Format 2.1.0 of OASIS, as far as a tool
// writes it that judges texts. A test holds what is written to the standard's own
// schema.
package sarif

import (
	"net/url"
	"strings"

	"github.com/modegate/modegate/internal/strictjson"
)

// The standard's version, and where its schema is.
const (
	version = "2.1.0"
	schema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// The levels of a result.
const (
	Note    = "note"
	Warning = "warning"
	Error   = "error"
)

// Run is one run of one tool.
type Run struct {
	Tool    Tool
	Results []Result
}

// Tool is what judged, with everything that it can find.
type Tool struct {
	Name           string `json:"name"`
	InformationURI string `json:"informationUri,omitzero"`
	Rules          []Rule `json:"rules"`
}

// Rule is one thing that the tool finds.
type Rule struct {
	ID       string `json:"id"`
	Short    Text   `json:"shortDescription"`
	Full     Text   `json:"fullDescription"`
	Help     Text   `json:"help"`
	Defaults Config `json:"defaultConfiguration"`
}

// Config is a rule's own level.
type Config struct {
	Level string `json:"level"`
}

// Text is plain text.
type Text struct {
	Text string `json:"text"`
}

// Result is one finding.
type Result struct {
	RuleID     string         `json:"ruleId"`
	RuleIndex  int            `json:"ruleIndex"` // into the tool's rules
	Level      string         `json:"level"`
	Message    Text           `json:"message"`
	Locations  []Location     `json:"locations"`
	Related    []Location     `json:"relatedLocations,omitempty"`
	Properties map[string]any `json:"properties,omitempty"`

	Fingerprints map[string]string `json:"partialFingerprints,omitempty"` // what tells the finding from others in a later run
	Suppressions []Suppression     `json:"suppressions,omitempty"`        // who has accepted it; none: it is open
}

// Suppression says that somebody has accepted a finding.
type Suppression struct {
	Kind          string `json:"kind"`   // InSource
	Status        string `json:"status"` // Accepted
	Justification string `json:"justification"`
}

// The only kind of suppression that is written, and its status: the judged text
// itself accepts the finding.
const (
	InSource = "inSource"
	Accepted = "accepted"
)

// Location is a place in a text. Message says what is there, "" for a result's
// own place.
type Location struct {
	File    string
	Line    int    // 1-based; 0 when the whole file is meant
	Column  int    // 1-based, in characters; 0 when the whole line is meant
	Snippet string // the line as it stands in the file
	Message string
}

type physical struct {
	Artifact artifact `json:"artifactLocation"`
	Region   *region  `json:"region,omitzero"`
}

type artifact struct {
	URI string `json:"uri"`
}

type region struct {
	StartLine   int   `json:"startLine"`
	StartColumn int   `json:"startColumn,omitzero"`
	Snippet     *Text `json:"snippet,omitzero"`
}

// MarshalJSON writes the location as the standard has it.
func (l Location) MarshalJSON() ([]byte, error) {
	out := struct {
		Physical physical `json:"physicalLocation"`
		Message  *Text    `json:"message,omitzero"`
	}{Physical: physical{Artifact: artifact{uri(l.File)}}}
	if l.Line > 0 {
		r := &region{StartLine: l.Line, StartColumn: l.Column}
		if l.Snippet != "" {
			r.Snippet = &Text{l.Snippet}
		}
		out.Physical.Region = r
	}
	if l.Message != "" {
		out.Message = &Text{l.Message}
	}
	return strictjson.Encode(out)
}

// uri writes a path as a URI reference.
func uri(path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	if strings.HasPrefix(path, "/") {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).String()
}

// Encode writes a log of one run for people and programs.
func (r Run) Encode() ([]byte, error) {
	type driver struct {
		Driver Tool `json:"driver"`
	}
	type run struct {
		Tool       driver   `json:"tool"`
		ColumnKind string   `json:"columnKind"`
		Results    []Result `json:"results"`
	}
	return strictjson.Indent(struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}{schema, version, []run{{driver{r.Tool}, "unicodeCodePoints", r.Results}}})
}
