package live_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/internal/livebin"
)

var (
	update = flag.Bool("update", false, "measure all and write the recordings in testdata/opencode anew")
	full   = flag.Bool("full", false, "compare whole recordings with the real binary, which takes minutes, instead of a sample")
)

// recordings is where the recordings lie, from this package's folder.
const recordings = "../../../testdata/opencode"

// An ask is a permission request as it is recorded.
type ask struct {
	Permission string   `json:"permission"`
	Patterns   []string `json:"patterns"`
	Always     []string `json:"always"`
}

// A header says what a recording is.
type header struct {
	About     string `json:"about"`
	Provider  string `json:"provider"`
	Version   string `json:"version"`
	Binary    string `json:"binary"` // package and SHA-256
	Taken     string `json:"taken"`
	Workspace string `json:"workspace"`
	Home      string `json:"home"`
	Layout    string `json:"layout"`
}

// A mask turns the paths of a test's temporary root into those of a recording
// and back. In a recording the workspace is /srv/ws, a folder beside it
// /srv/other, and the home folder /home/dev; all lie directly in the root.
type mask struct{ root string }

var maskedPlaces = []string{"/srv", "/home/dev"}

// real puts a recording's text in terms of this machine.
func (m mask) real(text string) string {
	for _, p := range maskedPlaces {
		text = strings.ReplaceAll(text, p, m.root+p)
	}
	return text
}

// masked is the opposite. What lies in the root itself becomes a path at "/".
// A text about paths relative to "/" has the root without its slash.
func (m mask) masked(text string) string {
	text = strings.ReplaceAll(text, m.root, "")
	bare := strings.TrimPrefix(m.root, "/")
	if text == bare {
		return ""
	}
	return m.shortened(strings.ReplaceAll(text, bare+"/", ""))
}

// shortened takes the root's depth out of a relative path that climbs through
// the root up to "/".
func (m mask) shortened(text string) string {
	depth := strings.Count(m.root, "/")
	ups := strings.Repeat("../", depth)
	if strings.HasPrefix(text+"/", ups+"../") {
		return strings.TrimPrefix(strings.TrimPrefix(text, ups), "/")
	}
	return text
}

func (m mask) asks(in []live.PermissionRequest) []ask {
	out := make([]ask, 0, len(in))
	for _, a := range in {
		out = append(out, ask{a.Permission, m.all(a.Patterns), m.all(a.Always)})
	}
	return out
}

func (m mask) all(in []string) []string {
	out := make([]string, 0, len(in))
	for _, s := range in {
		out = append(out, m.masked(s))
	}
	return out
}

// layout describes what lieOut makes.
const layout = "/srv/ws: a.txt b.txt script.sh 'with space.txt' .env sub/b.txt sub/deep/c.txt empty/ " +
	"link-etc -> /etc link-file -> /etc/hosts link-dir -> sub; " +
	"/srv/other: file.txt 'with space.txt' dir/file.txt; /home/dev: notes.txt dir/file.txt"

// layOut makes the folders that recordings are taken in and returns the
// workspace.
func layOut(t *testing.T, root string) string {
	t.Helper()
	ws := livetest.Workspace(t, root)
	for _, f := range []string{
		"srv/ws/a.txt", "srv/ws/b.txt", "srv/ws/script.sh", "srv/ws/with space.txt", "srv/ws/.env",
		"srv/ws/sub/b.txt", "srv/ws/sub/deep/c.txt",
		"srv/other/file.txt", "srv/other/with space.txt", "srv/other/dir/file.txt",
		"home/dev/notes.txt", "home/dev/dir/file.txt",
	} {
		livetest.Write(t, filepath.Join(root, f), "text\n")
	}
	if err := os.MkdirAll(filepath.Join(ws, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link-etc": "/etc", "link-file": "/etc/hosts", "link-dir": "sub"} {
		if err := os.Symlink(to, filepath.Join(ws, name)); err != nil {
			t.Fatal(err)
		}
	}
	return ws
}

// layOutPlace makes one of the folders that tools are called in.
func layOutPlace(t *testing.T, dir string) {
	t.Helper()
	for _, f := range []string{"a.txt", "with space.txt", "é.txt", ".env", ".env.local", ".env.example", "prod.env", "dir/b.txt", "dir/.env"} {
		livetest.Write(t, filepath.Join(dir, f), "text\n")
	}
	livetest.Write(t, filepath.Join(dir, ".opencode/skills/tidy/SKILL.md"), "---\nname: tidy\ndescription: tidies up\n---\nTidy up.\n")
	if err := os.MkdirAll(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{"link-etc": "/etc", "link-file": "/etc/hosts", "link-dir": "dir"}
	links["link-other"], _ = filepath.Rel(dir, filepath.Join(strings.SplitAfter(dir, "/srv/")[0], "other"))
	for name, to := range links {
		remove(t, filepath.Join(dir, name))
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// remove removes what a test made itself.
func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// roundTrip turns values into what a recording would give back.
func roundTrip(t *testing.T, from, into any) {
	t.Helper()
	raw, err := plainJSON(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// newHeader fills a header for the binary that is tested now.
func newHeader(t *testing.T, about string) header {
	t.Helper()
	digest, err := livebin.Digest(livebin.Need(t, livebin.OpenCode))
	if err != nil {
		t.Fatal(err)
	}
	return header{
		About: about, Provider: "opencode", Version: livebin.OpenCode.Version,
		Binary: "linux-x64-baseline sha256:" + digest, Taken: "2026-11-30",
		Workspace: "/srv/ws", Home: "/home/dev", Layout: layout,
	}
}

// writeRecording writes the header and one case a line.
func writeRecording[C any](t *testing.T, name string, h header, cases []C) {
	t.Helper()
	var b bytes.Buffer
	top, err := plainJSON(h)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Indent(&b, top, "", "  "); err != nil {
		t.Fatal(err)
	}
	b.Truncate(b.Len() - len("\n}"))
	b.WriteString(",\n  \"cases\": [\n")
	for i, c := range cases {
		line, err := plainJSON(c)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "    %s", line)
		if i < len(cases)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("  ]\n}\n")
	if err := os.WriteFile(filepath.Join(recordings, name), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// plainJSON writes a value on one line and leaves <, > and & as they are.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// readRecording reads the cases of a recording; there are none in a file that
// doesn't exist yet.
func readRecording[C any](t *testing.T, name string) []C {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(recordings, name))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []C `json:"cases"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}
