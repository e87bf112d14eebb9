package codex

import (
	"cmp"
	"path"
	"strings"

	"github.com/modegate/modegate/internal/paths"
)

// argv is the whole that the script is an argument of.
func (m *meaning) argv(q request) unit {
	flag := "-lc"
	if q.Login != nil && !*q.Login {
		flag = "-c"
	}
	return unit{m.shellPath(q.Shell), flag, q.Cmd}
}

// shellPath is the shell that runs a script. A call that names one says only which
// kind: the user's own shell is taken as it is, another is looked up, and what is
// no bash, sh or zsh becomes /bin/sh.
func (m *meaning) shellPath(named string) string {
	own := cmp.Or(m.facts.Shell, defaultShell)
	if !isShell(own) {
		own = "/bin/sh"
	}
	switch {
	case named == "" || shellName(named) == shellName(own):
		return own
	case isShell(named):
		return "/usr/bin/" + shellName(named)
	}
	return "/bin/sh"
}

func (m *meaning) dir(q request) string { return paths.Abs(m.box.Workspace, q.Workdir) }

// shellName is a program's name without what stands behind a dot.
func shellName(program string) string {
	name := path.Base(program)
	return strings.TrimSuffix(name, path.Ext(name))
}

func isShell(program string) bool {
	switch shellName(program) {
	case "bash", "sh", "zsh":
		return true
	}
	return false
}
