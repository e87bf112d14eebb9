package live

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// place is the folders of one session. Their names are what a case file's
// ${PROJ}, ${OUT}, ${ADD} and ${HOME} stand for.
type place struct {
	root, project, outside, added, home, config, bin string
	names                                            *strings.Replacer
}

// newPlace makes the folders below root, and the stubs that the session's PATH
// and shell are.
func newPlace(root string) (place, error) {
	p := place{
		root: root, project: filepath.Join(root, "project"), outside: filepath.Join(root, "outside"),
		added: filepath.Join(root, "added"), home: filepath.Join(root, "home"), bin: filepath.Join(root, "bin"),
	}
	p.config = filepath.Join(p.home, ".claude")
	p.names = strings.NewReplacer("${PROJ}", p.project, "${OUT}", p.outside, "${ADD}", p.added, "${HOME}", p.home, "${MCP}", filepath.Join(root, "mcp"))
	for _, dir := range []string{p.project, p.outside, p.added, p.config, p.bin} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return p, err
		}
	}
	return p, p.stubs()
}

// stubs fills the PATH. The shell that runs an allowed command is one of them:
// no command text ever reaches a real shell. What the agent runs by itself is
// linked: git, and what the hooks of a case need.
func (p place) stubs() error {
	for _, name := range []string{"bash", "zsh", "rg"} {
		if err := os.WriteFile(filepath.Join(p.bin, name), []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
			return err
		}
	}
	for _, name := range []string{"git", "cat", "sh"} {
		real, err := exec.LookPath(name)
		if err != nil {
			return err
		}
		if err := os.Symlink(real, filepath.Join(p.bin, name)); err != nil {
			return err
		}
	}
	return nil
}

// environment is everything that the binary sees of an environment.
func (p place) environment(model string, more map[string]string) []string {
	env := []string{
		"PATH=" + p.bin, "SHELL=" + p.bin + "/bash", "CLAUDE_CODE_SHELL=" + p.bin + "/bash",
		"HOME=" + p.home, "CLAUDE_CONFIG_DIR=" + p.config, "TMPDIR=" + p.root,
		"ANTHROPIC_BASE_URL=" + model, "ANTHROPIC_API_KEY=none",
		"NO_PROXY=127.0.0.1", "IS_SANDBOX=1", "ENABLE_TOOL_SEARCH=false",
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=n@example.invalid", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=n@example.invalid",
	}
	for name, value := range more {
		env = append(env, name+"="+value)
	}
	return env
}

// lay puts the layout's files into the folders. What a call left there goes
// first; folders of settings and of git stay, because the agent watches them, and
// so does cwd, because the agent may be in it.
func (p place) lay(layout map[string][]string, cwd string) error {
	for _, dir := range []string{p.project, p.outside, p.added} {
		if err := empty(dir, cwd); err != nil {
			return err
		}
	}
	for folder, names := range layout {
		for _, name := range names {
			if err := p.one(p.names.Replace(folder), name); err != nil {
				return err
			}
		}
	}
	return nil
}

// empty removes what is in dir, but for cwd and the folders above it.
func empty(dir, cwd string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Name() == ".git", e.Name() == ".claude":
		case e.IsDir() && strings.HasPrefix(cwd+"/", path+"/"):
			err = empty(path, cwd)
		default:
			err = os.RemoveAll(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// one makes NAME, NAME/ or NAME -> TARGET.
func (p place) one(folder, name string) error {
	name, target, link := strings.Cut(name, " -> ")
	path := filepath.Join(folder, name)
	switch {
	case name == ".git/": // a real repository, see repository
		return nil
	case strings.HasSuffix(name, "/"):
		return os.MkdirAll(path, 0o755)
	case link:
		return os.Symlink(p.names.Replace(target), path)
	}
	return write(path, contents(name))
}

// contents is what a file of the layout holds. Cases that edit a file know what
// is in it.
func contents(name string) string {
	switch name {
	case "src/a.txt":
		return "hello\n"
	case ".env":
		return "K=V\n"
	case "package.json":
		return `{"name":"x","scripts":{"test":"echo t"}}` + "\n"
	}
	return strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)) + "\n"
}

// repository makes the project a git repository.
func (p place) repository(env []string) error {
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "init"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = p.project, env
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}

// files writes the files of a case: text, or JSON. Their paths and JSON name
// folders by the words of the case file.
func (p place) files(files map[string]jsontext.Value) error {
	for path, raw := range files {
		text := string(raw)
		if raw.Kind() == '"' {
			if err := json.Unmarshal(raw, &text); err != nil {
				return err
			}
		}
		path = p.names.Replace(path)
		if !strings.HasPrefix(path, p.root+"/") {
			return fmt.Errorf("%s isn't in the folders of a case", path)
		}
		text = p.names.Replace(text)
		if is, err := os.ReadFile(path); err == nil && string(is) == text {
			continue // the agent watches its settings
		}
		if err := write(path, text); err != nil {
			return err
		}
	}
	return nil
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
