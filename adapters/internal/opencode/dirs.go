package opencode

import (
	"slices"
	"strings"

	"github.com/modegate/modegate/internal/paths"
)

// Place is where a session stands, for the question what lies outside.
type Place struct {
	Directory string   // the session's folder, absolute
	Worktree  string   // the repository's root, which counts as inside; "" or "/" for none
	Home      string   // "~"
	Folders   []string // paths that are known to be folders

	Links map[string]string // what links point to, where they are followed
}

// Inside reports whether an absolute path needs no external_directory ask.
func (p Place) Inside(path string) bool {
	if paths.Within(p.Directory, path) {
		return true
	}
	return p.Worktree != "" && p.Worktree != "/" && paths.Within(p.Worktree, path)
}

// Folder reports whether a path is known to be a folder: an ancestor of one
// that is known, or one itself.
func (p Place) Folder(path string) bool {
	known := append([]string{p.Directory, p.Home}, p.Folders...)
	return slices.ContainsFunc(known, func(f string) bool { return paths.Within(path, f) }) || path == "/"
}

// DirText is the text of an external_directory ask for a path: the folder
// itself if it is one, else the folder around it.
func (p Place) DirText(path string) Resource {
	asFolder, asFile := glob(path), glob(parent(path))
	if p.Folder(path) {
		return Resource{Text: asFolder}
	}
	return Resource{Text: asFile, Or: asFolder}
}

// FileText is DirText for a path that is a file.
func (p Place) FileText(path string) string { return glob(parent(path)) }

func glob(folder string) string {
	if folder == "/" {
		return "/*"
	}
	return folder + "/*"
}

func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return "/"
	}
	return path[:i]
}

// External lists what the external_directory ask of a shell command names:
// first the paths that its words point to, then the folder that it runs in.
// names are the commands whose words are looked at.
func (p Place) External(s Shell, cwd string, names []string) []Resource {
	var out []Resource
	for _, words := range s.Words {
		if !slices.Contains(names, words[0]) {
			continue
		}
		for _, w := range words[1:] {
			path, ok := p.argument(w, cwd)
			if !ok || p.Inside(path.clean) {
				continue
			}
			r := path.resource(p)
			if r.Or != "" && slices.Contains(directoryCommands, words[0]) {
				r.Text, r.Or = r.Or, r.Text // where one goes to is a folder
			}
			out = addResource(out, r)
		}
	}
	if !p.Inside(cwd) {
		out = addResource(out, Resource{Text: glob(cwd)})
	}
	return out
}

func addResource(list []Resource, r Resource) []Resource {
	if slices.Contains(list, r) {
		return list
	}
	return append(list, r)
}

// argument is a word of a command as a path.
type argument struct {
	clean  string
	folder bool // cut at a wildcard behind a slash, so it is a folder
	file   bool // cut at a wildcard within a name, so the folder around it counts
}

func (a argument) resource(p Place) Resource {
	switch {
	case a.folder:
		return Resource{Text: glob(a.clean)}
	case a.file:
		return Resource{Text: glob(parent(a.clean))}
	}
	return p.DirText(a.clean)
}

// argument reads a word as OpenCode does: flags and what the shell would expand
// are skipped, outer quotes are taken off, "~" is the home folder, and a
// wildcard ends the path (measured on 1.18.33).
func (p Place) argument(word, cwd string) (argument, bool) {
	if strings.HasPrefix(word, "-") || strings.HasPrefix(word, "+") {
		return argument{}, false
	}
	text := unquote(word)
	if text == "" || strings.ContainsAny(text, "$`(") {
		return argument{}, false
	}
	if text == "~" || strings.HasPrefix(text, "~/") {
		text = paths.Home(p.Home, text)
	}
	var a argument
	if i := strings.IndexAny(text, "?*["); i >= 0 {
		text = text[:i]
		a.folder = text == "" || strings.HasSuffix(text, "/")
		a.file = !a.folder
	}
	a.clean = paths.Resolve(cwd, text, p.links(cwd))
	return a, true
}

// links are the links that are followed, as seen from a folder.
func (p Place) links(cwd string) map[string]string {
	if p.Links == nil || cwd == p.Directory {
		return p.Links
	}
	out := map[string]string{}
	for from, to := range p.Links {
		out[paths.Abs(p.Directory, from)] = paths.Abs(p.Directory, to)
	}
	return out
}

// Unplaced says why the words of a command can't be placed: they lead to the
// home folder or to an absolute path, and where home or workspace are isn't
// known. It is empty when they can.
func (p Place) Unplaced(s Shell, names []string) string {
	for _, words := range s.Words {
		if !slices.Contains(names, words[0]) {
			continue
		}
		for _, w := range words[1:] {
			text := unquote(w)
			switch {
			case strings.HasPrefix(text, "~") && strings.HasPrefix(p.Home, paths.UnknownHome):
				return "a path leads to the home folder, and where that is isn't known"
			case p.Directory == paths.UnknownWorkspace && (strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~")):
				return "a path is absolute, and where the workspace is isn't known"
			}
		}
	}
	return ""
}

func unquote(word string) string {
	if n := len(word); n >= 2 && (word[0] == '"' || word[0] == '\'') && word[n-1] == word[0] {
		return word[1 : n-1]
	}
	return word
}
