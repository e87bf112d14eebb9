// Package paths owns the lexical handling of file paths: no link is followed
// and no disk is read. Paths use "/".
package paths

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// What stands for a folder whose path isn't known.
const (
	UnknownWorkspace = "<workspace>"
	UnknownHome      = "<home>"
)

// Abs joins a path to the folder that it is relative to and takes out "." and
// "..". An absolute path stays where it is.
func Abs(folder, p string) string {
	if Rooted(p) {
		return path.Clean(p)
	}
	return path.Join(folder, p)
}

// Rooted reports whether a path starts at a root: "/", or a folder that stands
// for an unknown one.
func Rooted(p string) bool {
	return strings.HasPrefix(p, "/") || Within(UnknownHome, p) || Within(UnknownWorkspace, p)
}

// Within reports whether a clean path is the folder or lies below it.
func Within(folder, p string) bool {
	if folder == "/" {
		return strings.HasPrefix(p, "/")
	}
	return p == folder || strings.HasPrefix(p, folder+"/")
}

// Rel writes an absolute path relative to a folder, with ".." where it leads
// out of it. The folder itself is "".
func Rel(folder, p string) string {
	if !strings.HasSuffix(folder, "/") && Within(folder, p) { // as most are, without an allocation
		return strings.TrimRight(strings.TrimPrefix(p[len(folder):], "/"), "/")
	}
	from, to := split(folder), split(p)
	same := 0
	for same < len(from) && same < len(to) && from[same] == to[same] {
		same++
	}
	out := strings.Repeat("../", len(from)-same) + strings.Join(to[same:], "/")
	return strings.TrimSuffix(out, "/")
}

func split(p string) []string {
	p = strings.Trim(p, "/")
	if p == "" {
		return nil
	}
	return strings.Split(p, "/")
}

// Home puts the home folder in place of a leading "~/" or a lone "~".
func Home(home, p string) string {
	if home == "" {
		home = UnknownHome
	}
	if p == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return home + "/" + rest
	}
	return p
}

// Resolve follows what is known of links: the longest leading part of the path
// that links names is replaced. Keys and values are relative to the folder or
// absolute, as in an Action.
func Resolve(folder, p string, links map[string]string) string {
	at := Abs(folder, p)
	names := slices.Sorted(maps.Keys(links))
	for range len(links) + 1 { // each link at most once, so that loops end
		best, to := "", ""
		for _, from := range names {
			target := links[from]
			if f := Abs(folder, from); Within(f, at) && len(f) > len(best) {
				best, to = f, Abs(folder, target)
			}
		}
		if best == "" || to == best {
			return at
		}
		at = path.Clean(to + at[len(best):])
	}
	return at
}
