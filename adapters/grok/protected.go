package grok

import (
	"path"
	"strings"
)

// protectedNames are files that Grok guards wherever they lie: what a shell reads
// at its start. Seen: .bashrc, .profile, .zshrc.
var protectedNames = set(".bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .zlogin")

// protectedEnds are the ends of paths that Grok guards wherever they lie.
// Settings that it doesn't guard were seen too: ~/.grok/trusted_folders.toml,
// ~/.claude.json, .mcp.json, .git/config, .envrc.
var protectedEnds = []string{
	"/.grok/config.toml", "/.grok/requirements.toml",
	"/.claude/settings.json", "/.claude/settings.local.json", "/.cursor/hooks.json",
}

// protectedFolders guard whatever lies in them.
var protectedFolders = []string{"/.grok/hooks/", "/.git/hooks/", "/.ssh/"}

// protected reports whether writing a file asks in every mode short of
// always-approve.
func protected(file string) bool {
	if protectedNames[path.Base(file)] {
		return true
	}
	for _, end := range protectedEnds {
		if strings.HasSuffix(file, end) {
			return true
		}
	}
	for _, folder := range protectedFolders {
		if strings.Contains(file, folder) {
			return true
		}
	}
	return false
}
