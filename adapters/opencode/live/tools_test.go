package live_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/internal/scripted"
)

// A toolCase is one tool call and what it asked for.
type toolCase struct {
	Place string `json:"place"` // a word of places
	Tool  string `json:"tool"`
	Args  args   `json:"args"`
	Patch bool   `json:"-"` // needs the model that has apply_patch
	Asks  []ask  `json:"asks"`
	Asked int    `json:"questions,omitempty"` // questions through the question channel
	Ran   bool   `json:"ran,omitempty"`       // the call completed
	As    string `json:"as,omitempty"`        // the tool the call was recorded as, when another
	Error string `json:"error,omitempty"`     // the beginning of the call's error
}

// places are the session directories: the root of a git work tree, a folder in
// it, and a folder outside of git.
var places = []struct{ name, dir string }{
	{"git", "/srv/ws"}, {"subdirectory", "/srv/ws/sub"}, {"plain", "/srv/plain"},
}

const toolAbout = "What the tools of the 1.x agent loop ask for, in order. Taken from the real binary under the session rule " +
	"[* * ask]; every ask was replied once, those for edit, webfetch, websearch and task were rejected, so nothing was changed. place: git = session " +
	"directory /srv/ws, the root of a git work tree; subdirectory = /srv/ws/sub in it; plain = /srv/plain, outside of git. " +
	"Each of them holds a.txt, 'with space.txt', é.txt, .env, .env.local, .env.example, prod.env, dir/b.txt, dir/.env, empty/, link-file -> /etc/hosts, " +
	"link-etc -> /etc, link-other -> /srv/other, link-dir -> dir, .opencode/skills/tidy. apply_patch was called by a model " +
	"whose id holds gpt-. ran: the call completed. as: the tool the call was recorded as. Texts that lead to /etc and the " +
	"like are as they would be with the folders at these places. " +
	"Retake: go test ./adapters/opencode/live -run TestToolAsks -update"

// TestToolAsks measures what the tools of the real agent loop ask for and
// compares it with the recording, or takes it anew.
func TestToolAsks(t *testing.T) {
	const name = "tools-1.18.33.json"
	bin := t.TempDir()
	writeFakeRipgrep(t, bin)
	h := livetest.Start(t, livetest.Options{
		Config: map[string]any{"mcp": mcpConfig(t)},
		Env:    []string{"OPENCODE_ENABLE_EXA=1", "OPENCODE_EXPERIMENTAL_LSP_TOOL=1", "PATH=" + bin + ":" + os.Getenv("PATH")},
	})
	m := mask{h.Root}
	layOut(t, h.Root)
	layOutTools(t, h.Root)
	var got []toolCase
	for _, place := range places {
		if len(got) > 0 && !*full && !*update {
			break
		}
		p := h.In(m.real(place.dir))
		awaitTools(t, h, p)
		var in []toolCase
		for _, c := range toolCases() {
			c.Place = place.name
			c.Args = withDir(c.Args, func(s string) string { return strings.ReplaceAll(s, "{dir}", place.dir) })
			in = append(in, c)
		}
		for _, patch := range []bool{false, true} { // one model at a time
			same := slices.DeleteFunc(slices.Clone(in), func(c toolCase) bool { return c.Patch != patch })
			for batch := range slices.Chunk(same, toolBatch) {
				got = append(got, askTools(t, p, m, batch)...)
				if !*full && !*update {
					break
				}
			}
		}
	}
	if *update {
		writeRecording(t, name, newHeader(t, toolAbout), got)
		return
	}
	var now []toolCase
	roundTrip(t, got, &now)
	if diff := cmp.Diff(sameCalls(t, readRecording[toolCase](t, name), now), now); diff != "" {
		t.Errorf("the real binary disagrees with %s (-recorded +now):\n%s", name, diff)
	}
}

// sameCalls picks the recorded cases of the calls that were made now.
func sameCalls(t *testing.T, recorded, now []toolCase) []toolCase {
	t.Helper()
	key := func(c toolCase) string {
		raw, err := plainJSON([]any{c.Place, c.Tool, c.Args})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	known := map[string]toolCase{}
	for _, c := range recorded {
		known[key(c)] = c
	}
	var out []toolCase
	for _, c := range now {
		if r, ok := known[key(c)]; ok {
			out = append(out, r)
		}
	}
	return out
}

// toolBatch is how many calls are made in one session.
const toolBatch = 24

// askTools makes calls in one session, each in an assistant message of its own:
// a rejection with a message then fails that call and no other.
func askTools(t *testing.T, p *livetest.Place, m mask, cases []toolCase) []toolCase {
	t.Helper()
	session, err := p.Client.CreateSession(t.Context(), live.NewSession{Permission: askEverything[:1]})
	if err != nil {
		t.Fatal(err)
	}
	var script scripted.Script
	for i, c := range cases {
		call := scripted.Call{ID: callID(i), Tool: c.Tool, Args: withDir(c.Args, m.real)}
		script = append(script, scripted.Step{Calls: []scripted.Call{call}})
	}
	prompt := live.Prompt{ProviderID: livetest.Provider, ModelID: livetest.Model}
	if cases[0].Patch {
		prompt.ModelID = livetest.PatchModel
	}
	turn := p.Run(session.ID, script, prompt, livetest.Answers{
		Permission: onceUnlessItChanges,
		// A question that is dismissed ends the run.
		Question: func(live.QuestionRequest) [][]string { return [][]string{{"A"}} },
	})
	out := make([]toolCase, 0, len(cases))
	for i, c := range cases {
		part, ok := turn.Calls[callID(i)]
		if !ok || !part.State.Over() {
			t.Fatalf("%s %v has no end: %+v", c.Tool, c.Args, part)
		}
		c.Asks, c.Ran = m.asks(turn.Of(callID(i))), part.State.Status == live.CallCompleted
		for _, q := range turn.Questions {
			if q.Tool != nil && q.Tool.CallID == callID(i) {
				c.Asked++
			}
		}
		if part.Tool != c.Tool {
			c.As = part.Tool
		}
		if first, _, _ := strings.Cut(m.masked(part.State.Error), "\n"); !strings.Contains(first, keepGoing) {
			c.Error = first[:min(len(first), 120)]
		}
		out = append(out, c)
	}
	return out
}

// keepGoing is the message of rejections; the model sees it and goes on.
const keepGoing = "not now, go on"

// onceUnlessItChanges lets a call go on to its last ask, unless it would then
// change a file or leave this machine.
func onceUnlessItChanges(r live.PermissionRequest) *live.Reply {
	switch r.Permission {
	case "edit", "webfetch", "websearch", "task":
		return &live.Reply{Reply: live.ReplyReject, Message: keepGoing}
	}
	return &live.Reply{Reply: live.ReplyOnce}
}

// layOutTools makes the folders that tools are called in.
func layOutTools(t *testing.T, root string) {
	t.Helper()
	for _, place := range places {
		dir := filepath.Join(root, filepath.FromSlash(place.dir))
		layOutPlace(t, dir)
	}
	for _, f := range []string{"srv/other/file.txt", "srv/other/.env", "srv/other/dir/file.txt", "home/dev/notes.txt", "srv/a.txt"} {
		livetest.Write(t, filepath.Join(root, f), "text\n")
	}
}

// writeFakeRipgrep makes a ripgrep that finds nothing: glob, grep and skill need
// one, and without it the agent would try to download it.
func writeFakeRipgrep(t *testing.T, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "rg"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// awaitTools waits until the MCP server's tools are offered, which takes a
// moment after a directory is first used.
func awaitTools(t *testing.T, h *livetest.Harness, p *livetest.Place) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		session, err := p.Client.CreateSession(t.Context(), live.NewSession{})
		if err != nil {
			t.Fatal(err)
		}
		before := len(h.Model.Requests())
		p.Run(session.ID, scripted.Script{{Text: "hello"}}, live.Prompt{}, livetest.Answers{})
		for _, r := range h.Model.Requests()[before:] {
			if strings.Contains(strings.Join(r.ToolNames(), " "), "my_srv_plain") {
				return
			}
		}
	}
	t.Fatal("the MCP server's tools were never offered")
}
