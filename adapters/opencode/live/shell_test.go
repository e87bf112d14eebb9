package live_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/internal/scripted"
)

// A shellCase is one command and what the bash tool asked for it.
type shellCase struct {
	Command string `json:"command"`
	Workdir string `json:"workdir,omitempty"`
	Asks    []ask  `json:"asks"`
	Ran     bool   `json:"ran,omitempty"`   // it ran without an ask for "bash"
	Error   string `json:"error,omitempty"` // it failed before or instead of running
}

const shellAbout = "What the bash tool of the 1.x agent loop asks for a command, in order. Taken from the real binary " +
	"under the session rules [* * ask, bash * ask, external_directory * ask]: every external_directory ask was replied " +
	"once, every bash ask was rejected, so nothing that asks for bash was run. ran: the tool ran the text without an ask " +
	"for bash. error: the tool failed without running the text. workdir: the tool's workdir argument. " +
	"Retake: go test ./adapters/opencode/live -run TestShellAsks -update"

// TestShellAsks measures what the real agent loop asks for every command of
// shell-commands.txt and compares it with the recording, or takes it anew.
func TestShellAsks(t *testing.T) {
	measureShell(t, "shell-1.18.33.json", shellAbout, readCommands(t, "shell-commands.txt"))
}

// measureShell measures the cases in batches and compares them with a
// recording.
func measureShell(t *testing.T, name, about string, cases []shellCase) {
	h := livetest.Start(t, livetest.Options{})
	p := h.In(layOut(t, h.Root))
	m := mask{h.Root}
	recorded := readRecording[shellCase](t, name)
	if !*update {
		// Another order than the recording's: what a command asks must not depend
		// on the commands before it or beside it.
		if len(recorded) != len(cases) {
			t.Fatalf("%s has %d cases, there are %d commands", name, len(recorded), len(cases))
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(cases), func(i, j int) {
			cases[i], cases[j] = cases[j], cases[i]
			recorded[i], recorded[j] = recorded[j], recorded[i]
		})
		if !*full {
			cases, recorded = cases[:sample], recorded[:sample]
		}
	}
	var got []shellCase
	for batch := range slices.Chunk(cases, shellBatch) {
		got = append(got, askShell(t, p, m, batch)...)
	}
	if *update {
		writeRecording(t, name, newHeader(t, about), got)
		return
	}
	if diff := cmp.Diff(recorded, got); diff != "" {
		t.Errorf("the real binary disagrees with %s (-recorded +now):\n%s", name, diff)
	}
}

// sample is how many cases of a recording are measured without -full.
const sample = 4 * shellBatch

// shellBatch is how many commands go into one assistant message.
const shellBatch = 40

// askEverything are the session rules of recordings.
var askEverything = []live.Rule{
	{Permission: "*", Pattern: "*", Action: live.ActionAsk},
	{Permission: "bash", Pattern: "*", Action: live.ActionAsk},
	{Permission: "external_directory", Pattern: "*", Action: live.ActionAsk},
}

// askShell runs a batch of commands as parallel calls of one message. The bash
// asks are held back until all calls have come that far, because one rejection
// rejects every pending ask of the session.
func askShell(t *testing.T, p *livetest.Place, m mask, cases []shellCase) []shellCase {
	t.Helper()
	session, err := p.Client.CreateSession(t.Context(), live.NewSession{Permission: askEverything})
	if err != nil {
		t.Fatal(err)
	}
	var step scripted.Step
	for i, c := range cases {
		args := map[string]any{"command": m.real(c.Command), "description": "d", "timeout": 3000}
		if c.Workdir != "" {
			args["workdir"] = m.real(c.Workdir)
		}
		step.Calls = append(step.Calls, scripted.Call{ID: callID(i), Tool: "bash", Args: args})
	}
	turn := p.Run(session.ID, scripted.Script{step}, live.Prompt{}, livetest.Answers{Permission: onceIfExternal})
	out := make([]shellCase, 0, len(cases))
	for i, c := range cases {
		call, ok := turn.Calls[callID(i)]
		if !ok || !call.State.Over() {
			t.Fatalf("the call of %q has no end: %+v", c.Command, call)
		}
		c.Asks = m.asks(turn.Of(callID(i)))
		asked := len(c.Asks) > 0 && c.Asks[len(c.Asks)-1].Permission == "bash"
		switch {
		case asked && call.State.Status != live.CallFailed:
			t.Fatalf("%q ran although its ask was rejected", c.Command)
		case !asked && call.State.Status == live.CallFailed:
			c.Error = m.masked(call.State.Error)
		case !asked:
			c.Ran = true
		}
		out = append(out, c)
	}
	return out
}

func callID(i int) string { return fmt.Sprintf("call_%03d", i) }

// onceIfExternal lets a call go on to its second ask.
func onceIfExternal(r live.PermissionRequest) *live.Reply {
	if r.Permission == "external_directory" {
		return &live.Reply{Reply: live.ReplyOnce}
	}
	return nil
}

// readCommands reads a list of commands; its form is described in the file.
// A command that occurs twice is kept once.
func readCommands(t *testing.T, name string) []shellCase {
	t.Helper()
	f, err := os.Open(filepath.Join(recordings, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []shellCase
	seen := map[[2]string]bool{}
	in := bufio.NewScanner(f)
	for in.Scan() {
		c, ok, err := parseCommand(in.Text())
		if err != nil {
			t.Fatalf("%s: %q: %v", name, in.Text(), err)
		}
		key := [2]string{c.Command, c.Workdir}
		if !ok || seen[key] {
			continue
		}
		seen[key] = true
		cases = append(cases, c)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

func parseCommand(line string) (shellCase, bool, error) {
	switch {
	case line == "" || strings.HasPrefix(line, "##"):
		return shellCase{}, false, nil
	case strings.HasPrefix(line, `="`):
		command, err := strconv.Unquote(line[1:])
		return shellCase{Command: command}, err == nil, err
	case strings.HasPrefix(line, "@"):
		dir, command, ok := strings.Cut(line[1:], " ")
		if ok {
			return shellCase{Command: command, Workdir: dir}, true, nil
		}
	}
	return shellCase{Command: line}, true, nil
}
