package codex

import (
	"path"
	"slices"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// protectedNames lie read-only at the top of every writable root, also where they
// don't exist. Nested ones, .github, .vscode, .claude and .cursor are writable.
var protectedNames = []string{".git", ".codex", ".agents", ".aws"}

// box is what the operating-system sandbox of a turn lets through.
type box struct {
	Full      bool // no sandbox of Codex's own: dangerFullAccess, externalSandbox
	Confined  evaluator.Confinement
	Roots     []string // absolute and clean; none under readOnly
	Network   bool
	Workspace string
	Assumed   []string
}

// newBox makes the box of a turn in env. The workspace, /tmp and $TMPDIR are roots
// of workspaceWrite beside those that the policy names; reading is free in all.
func newBox(p sandboxPolicy, env evaluator.Env, f facts) box {
	b := box{Network: p.NetworkAccess, Workspace: env.Workspace}
	if b.Workspace == "" {
		b.Workspace = paths.UnknownWorkspace
	}
	b.Workspace = paths.Abs("/", b.Workspace)
	switch p.Type {
	case fullAccess, externalBox:
		b.Full, b.Network = true, true
		return b
	case readOnly:
		b.Confined = evaluator.ReadOnly
		return b
	}
	b.Confined = evaluator.WorkspaceWrite
	b.Roots = append([]string{b.Workspace}, p.WritableRoots...)
	b.Roots = append(b.Roots, f.WritableRoots...)
	if !p.ExcludeSlashTmp {
		b.Roots = append(b.Roots, "/tmp")
	}
	switch {
	case p.ExcludeTmpdirEnvVar:
	case f.TmpDir != "":
		b.Roots = append(b.Roots, f.TmpDir)
	default:
		b.Assumed = append(b.Assumed, "$TMPDIR isn't known: it is taken as not set")
	}
	for i, root := range b.Roots {
		b.Roots[i] = path.Clean(root)
	}
	return b
}

// writable reports whether a clean absolute path may be written. It is textual:
// the patch check works on it as it is written, the sandbox on what links lead to.
func (b box) writable(p string) bool {
	if b.Full {
		return true
	}
	inside := false
	for _, root := range b.Roots {
		if !paths.Within(root, p) {
			continue
		}
		if slices.ContainsFunc(protectedNames, func(name string) bool { return paths.Within(path.Join(root, name), p) }) {
			return false
		}
		inside = true
	}
	return inside
}

// confinement of what runs in the box.
func (b box) confinement(sandboxed bool) evaluator.Confinement {
	if !sandboxed || b.Full {
		return evaluator.Unconfined
	}
	return b.Confined
}
