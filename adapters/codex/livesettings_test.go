package codex_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modegate/modegate/internal/livebin"
)

// TestLiveSettings starts the real app-server under configuration files, recorded
// and random ones, and compares what a thread starts with with what we say. With
// -update it takes the recording anew.
func TestLiveSettings(t *testing.T) {
	bin := livebin.Need(t, livebin.Codex)
	f := readSettingsCases(t)
	if flag.Lookup("update").Value.String() == "true" { // declared by a test inside the package
		for i := range f.Cases {
			f.Cases[i].Started, f.Cases[i].Refused = nil, ""
			f.Cases[i].ask(t, bin, "${BASE}")
		}
		writeSettingsCases(t, f)
		return
	}
	r := rand.New(rand.NewPCG(7, 1))
	for _, c := range append(sampled(r, f.Cases, 12), randomSettings(r, 24)...) {
		base := c.ask(t, bin, "")
		c.same(t, base)
	}
}

func sampled(r *rand.Rand, all []settingsCase, n int) []settingsCase {
	out := append([]settingsCase{}, all...)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:n]
}

// randomSettings makes files of valid values, user's and project's.
func randomSettings(r *rand.Rand, n int) []settingsCase {
	of := func(list ...string) string { return list[r.IntN(len(list))] }
	file := func() string {
		return of("", "approval_policy = \"on-request\"\n", "approval_policy = \"never\"\n", "approval_policy = {granular = {sandbox_approval = true, rules = true, mcp_elicitations = false}}\n") +
			of("", "sandbox_mode = \"read-only\"\n", "sandbox_mode = \"workspace-write\"\n", "sandbox_mode = \"danger-full-access\"\n") +
			of("", "approvals_reviewer = \"user\"\n", "approvals_reviewer = \"auto_review\"\n") +
			of("", "model = \"m\"\n", "default_permissions = \":workspace\"\n") +
			of("", "[sandbox_workspace_write]\n"+of("", "network_access = true\n")+of("", "writable_roots = [\"rel\"]\n", "writable_roots = [\"/opt/x\", \"~/y\"]\n")+of("", "exclude_slash_tmp = true\n"))
	}
	var out []settingsCase
	for i := range n {
		c := settingsCase{ID: fmt.Sprint("random ", i), Files: map[string]string{}}
		c.Files["home/.codex/config.toml"] = file() + of("", "[projects.\"${BASE}/ws\"]\ntrust_level = \"trusted\"\n", "[projects.\"${BASE}/ws\"]\ntrust_level = \"trusted\"\n", "[projects.\"${BASE}/ws\"]\ntrust_level = \"untrusted\"\n")
		if r.IntN(2) == 0 {
			c.Files["ws/.codex/config.toml"] = file()
		}
		c.About = fmt.Sprintf("%q", c.Files)
		out = append(out, c)
	}
	return out
}

// ask starts the real app-server on a case's files and keeps what a thread starts
// with. The folder that it ran in is written as name, when that isn't empty.
func (c *settingsCase) ask(t *testing.T, bin, name string) (base string) {
	t.Helper()
	base = newBase(t, "")
	if err := os.MkdirAll(filepath.Join(base, "ws", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range c.Files {
		at := filepath.Join(base, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, at, strings.ReplaceAll(text, "${BASE}", base))
	}
	a := &agent{t: t, base: base}
	git := exec.Command("git", "init", "-q", filepath.Join(base, "ws"))
	git.Env = a.env()
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	cwd := filepath.Join(base, "ws")
	if c.Cwd != "" {
		cwd = filepath.Join(base, c.Cwd)
	}
	c.Started, c.Refused = nil, ""
	result, refused := threadStart(t, bin, a, cwd)
	if refused != "" {
		c.Refused = refused
	} else {
		c.Started = &started{}
		if err := json.Unmarshal(result, c.Started); err != nil {
			t.Fatal(err)
		}
	}
	if name != "" {
		c.Refused = strings.ReplaceAll(c.Refused, base, name)
		if c.Started != nil {
			text, err := json.Marshal(c.Started)
			if err == nil {
				err = json.Unmarshal([]byte(strings.ReplaceAll(string(text), base, name)), c.Started)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return base
}

// threadStart starts a thread in a folder with nothing overridden. refused is why
// the app-server doesn't: the error, or its last words.
func threadStart(t *testing.T, bin string, a *agent, cwd string) (result json.RawMessage, refused string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, "app-server")
	cmd.Env, cmd.Dir = a.env(), a.base
	var said strings.Builder
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	}()
	for _, message := range []map[string]any{
		{"id": 1, "method": "initialize", "params": map[string]any{"clientInfo": map[string]any{"name": "modegate", "title": "modegate", "version": "0"}, "capabilities": map[string]any{"experimentalApi": true}}},
		{"method": "initialized"},
		{"id": 2, "method": "thread/start", "params": map[string]any{"cwd": cwd, "ephemeral": true}},
	} {
		b, err := json.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(append(b, '\n')); err != nil {
			break // it has ended
		}
	}
	d := json.NewDecoder(out)
	for {
		var m wire
		if err := d.Decode(&m); err != nil {
			cmd.Wait()
			return nil, strings.TrimSpace(said.String())
		}
		switch {
		case string(m.ID) != "2" || m.Method != "":
		case m.Error != nil:
			var e struct{ Message string }
			if err := json.Unmarshal(m.Error, &e); err != nil {
				t.Fatal(err)
			}
			return nil, e.Message
		default:
			return m.Result, ""
		}
	}
}
