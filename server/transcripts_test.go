package server_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/server"
)

var update = flag.Bool("update", false, "write the answers in testdata/http anew")

// A transcript is a text of exchanges. Lines that begin with "#" are for people,
// "> " is what is asked, "< " what is answered. The first line of a request is
// its method and path, then come headers, an empty line and the body. A line
// "? POINTER" shows one part of the answer's body alone; a line "= NAME POINTER"
// keeps one, which is then written <NAME>. Requests carry the admin's token unless
// they say otherwise.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			after := replay(t, newDesk(t).s, string(before))
			if *update {
				if err := os.WriteFile(file, []byte(after), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(before), after); diff != "" {
				t.Errorf("the answers differ (-want +got); see -update:\n%s", diff)
			}
		})
	}
}

// replay makes every request anew and writes the transcript with what is
// answered. Exchanges are divided by empty lines.
func replay(t *testing.T, s *server.Server, text string) string {
	var out []string
	var names []string // and what they stand for, in turn
	for i, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		var kept, asked []string
		var pointer jsontext.Pointer
		keep := map[string]jsontext.Pointer{}
		for line := range strings.SplitSeq(block, "\n") {
			if strings.HasPrefix(line, "<") {
				continue // as it was answered before
			}
			kept = append(kept, line)
			if rest, ok := strings.CutPrefix(line, ">"); ok {
				for j := 0; j < len(names); j += 2 {
					rest = strings.ReplaceAll(rest, names[j+1], names[j])
				}
				asked = append(asked, strings.TrimPrefix(rest, " "))
			} else if rest, ok := strings.CutPrefix(line, "= "); ok {
				name, at, _ := strings.Cut(rest, " ")
				keep[name] = jsontext.Pointer(at)
			} else if rest, ok := strings.CutPrefix(line, "? "); ok {
				pointer = jsontext.Pointer(rest)
			}
		}
		if asked != nil {
			got := do(t, s, parse(t, asked, i))
			for name, at := range keep {
				names = append(names, strings.Trim(string(laidOut(t, []byte(got.body), at)), `"`), "<"+name+">")
			}
			got.body = strings.NewReplacer(names...).Replace(got.body)
			for line := range strings.SplitSeq(shown(t, got, pointer), "\n") {
				kept = append(kept, strings.TrimRight("< "+line, " "))
			}
		}
		out = append(out, strings.Join(kept, "\n"))
	}
	return strings.Join(out, "\n\n") + "\n"
}

func parse(t *testing.T, lines []string, n int) *http.Request {
	t.Helper()
	method, path, ok := strings.Cut(lines[0], " ")
	if !ok {
		t.Fatalf("%q isn't a method and a path", lines[0])
	}
	headers := []string{"X-Request-Id", fmt.Sprintf("example-%d", n)}
	body := ""
	for i, line := range lines[1:] {
		if line == "" {
			body = strings.Join(lines[i+2:], "\n")
			break
		}
		name, value, _ := strings.Cut(line, ":")
		headers = append(headers, name, strings.TrimSpace(value))
	}
	return request(method, path, body, headers...)
}

var builtins = regexp.MustCompile(`(?s)"builtin": \[.*?\]`)

var anyTime = regexp.MustCompile(`"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?Z"`)

// shown is an answer as a transcript has it: the status, the headers that say
// something, and the body laid out for people.
func shown(t *testing.T, got reply, pointer jsontext.Pointer) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s\n", got.status, http.StatusText(got.status))
	for _, name := range []string{"Content-Type", "ETag", "Location", "Modegate-Last-Event", "Allow", "WWW-Authenticate", "Retry-After", "Modegate-Policy"} {
		if v := got.header.Get(name); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, v)
		}
	}
	if got.body == "" {
		return strings.TrimSuffix(b.String(), "\n")
	}
	body := []byte(got.body)
	if strings.HasSuffix(strings.Split(got.header.Get("Content-Type"), ";")[0], "json") {
		body = laidOut(t, body, pointer)
	}
	body = builtins.ReplaceAll(body, []byte(`"builtin": ["…"]`))
	return b.String() + "\n" + anyTime.ReplaceAllString(string(bytes.TrimRight(body, "\n")), `"<time>"`)
}

// laidOut indents a JSON value, or the part of it that the pointer names.
func laidOut(t *testing.T, body jsontext.Value, pointer jsontext.Pointer) []byte {
	t.Helper()
	for token := range pointer.Tokens() {
		object, list := map[string]jsontext.Value{}, []jsontext.Value{}
		if err := json.Unmarshal(body, &object); err == nil {
			body = object[token]
			continue
		}
		i, err := strconv.Atoi(token)
		if err := errors.Join(err, json.Unmarshal(body, &list)); err != nil || i >= len(list) {
			t.Fatalf("%s: %v", pointer, err)
		}
		body = list[i]
	}
	if err := body.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatalf("%s: %v", pointer, err)
	}
	return body
}
