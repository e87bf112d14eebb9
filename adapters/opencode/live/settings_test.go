package live_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/opencode"
	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/adapters/opencode/live/livetest"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// A settingsCase is configuration files of a project and the rules that the real
// agents have under them: permission, pattern and action of each.
type settingsCase struct {
	ID      string                 `json:"id"`
	About   string                 `json:"about"`
	Files   map[string]string      `json:"files"`
	Agents  map[string][][3]string `json:"agents,omitempty"`
	Native  map[string][][3]string `json:"native,omitempty"`
	Refused string                 `json:"refused,omitempty"`
}

const settingsAbout = "The rules of agents under configuration files of a project, in order: agents as GET /agent of 1.x lists them, " +
	"native as GET /api/agent does; refused is what GET /agent says instead. Retake: go test ./adapters/opencode/live -run TestSettings -update"

// TestSettings loads configuration files, recorded and random ones, in the real
// binary and compares its agents' rules with what we read.
func TestSettings(t *testing.T) {
	const recording = "settings-1.18.33.json"
	h := livetest.Start(t, livetest.Options{})
	cases := readRecording[settingsCase](t, recording)
	r := rand.New(rand.NewPCG(5, 9))
	if !*update {
		r.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
		if !*full {
			cases = cases[:5]
		}
		cases = append(cases, randomConfigurations(r, 8)...)
		cases = append(cases, ignoredConfigurations()...)
	}
	for i := range cases {
		c := &cases[i]
		recorded := *c
		c.load(t, h, fmt.Sprint("case-", i))
		switch {
		case *update:
		case recorded.Agents == nil && recorded.Refused == "":
			c.compare(t)
		default:
			if diff := cmp.Diff(recorded, *c); diff != "" {
				t.Errorf("the real binary disagrees with %s (-recorded +now):\n%s", recording, diff)
			}
		}
	}
	if *update {
		writeRecording(t, recording, newHeader(t, settingsAbout), cases)
	}
}

// load has the real binary read the files in a folder of their own.
func (c *settingsCase) load(t *testing.T, h *livetest.Harness, name string) {
	t.Helper()
	dir := filepath.Join(h.Root, "srv", name)
	livetest.Git(t, dir)
	for path, text := range c.Files {
		livetest.Write(t, filepath.Join(dir, path), text)
	}
	tidy := func(s string) string {
		return mask{h.Root}.masked(strings.ReplaceAll(s, dir, h.Root+"/srv/ws"))
	}
	c.Agents, c.Native, c.Refused = nil, map[string][][3]string{}, ""
	client := h.Server.Client(dir)
	agents, err := client.Agents(t.Context())
	var refused *live.StatusError
	switch {
	case errors.As(err, &refused):
		// How much of the answer the client quotes depends on the folder's path.
		c.Refused = fmt.Sprintf("%.300s", tidy(err.Error()))
	case err != nil:
		t.Fatal(err)
	default:
		c.Agents = map[string][][3]string{}
		for _, a := range agents {
			c.Agents[a.Name] = [][3]string{}
			for _, r := range a.Permission {
				c.Agents[a.Name] = append(c.Agents[a.Name], [3]string{r.Permission, tidy(r.Pattern), r.Action})
			}
		}
	}
	for _, a := range nativeAgents(t, client) {
		c.Native[a.ID] = [][3]string{}
		for _, r := range a.Permissions {
			c.Native[a.ID] = append(c.Native[a.ID], [3]string{r.Action, tidy(r.Resource), r.Effect})
		}
	}
}

// nativeAgents waits until a folder's agents are loaded.
func nativeAgents(t *testing.T, c *live.Client) []live.NativeAgent {
	t.Helper()
	for range 600 {
		list, err := c.NativeAgents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 {
			return list
		}
		select {
		case <-t.Context().Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatal("no native agents were loaded")
	return nil
}

// compare compares the real agents' rules with those that we read.
func (c *settingsCase) compare(t *testing.T) {
	t.Helper()
	reader, ok := opencode.New().(compiler.SettingsReader)
	if !ok {
		t.Fatal("the dialect reads no settings files")
	}
	var files []compiler.SettingsFile
	for path, text := range c.Files {
		files = append(files, compiler.SettingsFile{Name: path, Path: "/srv/ws/" + path, Text: []byte(text)})
	}
	got, err := reader.ReadSettings(files, evaluator.Default, compiler.Setting{Env: evaluator.Env{Workspace: "/srv/ws", Home: "/home/dev"}})
	if (err != nil) != (c.Refused != "") {
		t.Errorf("%v: the real binary says %q, we say %v", c.Files, c.Refused, err)
		return
	}
	if err != nil {
		return
	}
	ours := map[string][][3]string{}
	for _, a := range got.Env.Agents {
		for _, r := range a.Permissions {
			ours[a.ID] = append(ours[a.ID], [3]string{r.Action, r.Resource, r.Effect.String()})
		}
	}
	if diff := cmp.Diff(c.Agents, ours); diff != "" {
		t.Errorf("%v: -real +ours\n%s", c.Files, diff)
	}
}

// randomConfigurations make one or two files of a project each; now and then one
// has a word that isn't one.
func randomConfigurations(r *rand.Rand, n int) []settingsCase {
	of := func(list ...string) string { return list[r.IntN(len(list))] }
	object := func() string {
		entries := map[string]string{}
		for range r.IntN(5) {
			name := of("*", "bash", "edit", "read", "external_directory", "task", "webfetch", "glob", "x_y", "7", "12", "doom_loop")
			value := fmt.Sprintf("%q", of("ask", "allow", "deny", "deny", "allow", "ask", "ask", "allow", "deny", "never"))
			if name != "webfetch" && name != "doom_loop" && r.IntN(2) == 0 {
				patterns := map[string]bool{}
				for range r.IntN(4) {
					patterns[fmt.Sprintf("%q: %q", of("*", "git *", "9", "10", "~/x", "$HOME/y/*", "src/**", "007"), of("ask", "allow", "deny"))] = true
				}
				value = "{" + strings.Join(distinct(patterns), ", ") + "}"
			}
			entries[name] = value
		}
		var out []string
		for name, value := range entries {
			out = append(out, fmt.Sprintf("%q: %s", name, value))
		}
		slices.Sort(out)
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return "{" + strings.Join(out, ", ") + "}"
	}
	file := func() string {
		text := `{"permission": ` + object()
		if r.IntN(3) == 0 {
			text += `, "tools": {"bash": ` + of("true", "false") + `, "` + of("write", "patch", "glob", "3") + `": false}`
		}
		if r.IntN(2) == 0 {
			text += `, "agent": {"` + of("build", "plan", "mine") + `": {"permission": ` + object() + `}, "other": {"tools": {"edit": false, "task": true}, "permission": ` + object() + `}}`
		}
		if r.IntN(4) == 0 {
			text += `, "mode": {"` + of("build", "mine") + `": {"permission": ` + object() + `}}`
		}
		return text + "}"
	}
	var out []settingsCase
	for i := range n {
		c := settingsCase{ID: fmt.Sprint("random ", i), Files: map[string]string{"opencode.json": file()}}
		if r.IntN(2) == 0 {
			c.Files[of("opencode.jsonc", ".opencode/opencode.json")] = file()
		}
		out = append(out, c)
	}
	return out
}

// ignoredConfigurations have keys that were to bear on permissions and that are passed
// over, beside others that are read: we read the one and not the other, too.
func ignoredConfigurations() []settingsCase {
	var out []settingsCase
	for i, text := range []string{
		`{"permision": {"bash": "deny"}, "permission": {"edit": "ask"}}`,
		`{"Permission": {"bash": "deny"}, "tool": {"edit": false}, "agnet": {"other": {}}, "modes": {"other": {}}}`,
		`{"bash": "deny", "edit": {"*": "deny"}}`,
		`{"agent": {"mine": {"permision": {"bash": "deny"}, "permission": {"edit": "ask"}}, "other": {"bash": "deny", "tool": {"edit": false}}}}`,
		`{}`,
	} {
		out = append(out, settingsCase{ID: fmt.Sprint("ignored ", i), Files: map[string]string{"opencode.json": text}})
	}
	return out
}

// distinct keeps one entry of each name.
func distinct(entries map[string]bool) []string {
	var out []string
	seen := map[string]bool{}
	all := make([]string, 0, len(entries))
	for e := range entries {
		all = append(all, e)
	}
	slices.Sort(all)
	for _, e := range all {
		name, _, _ := strings.Cut(e, ":")
		if !seen[name] {
			seen[name] = true
			out = append(out, e)
		}
	}
	return out
}
