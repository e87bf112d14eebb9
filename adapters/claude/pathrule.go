package claude

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/modegate/modegate/internal/paths"
)

// place is a path as an Action or a command gives it, and where it leads when
// its links are followed.
type place struct{ given, real string }

// matchPath reports whether a Read(…) or Edit(…) rule covers a path. Patterns
// are gitignore's, without regard to case: a pattern that matches a folder
// matches what it holds. An allow rule is narrower than a deny or ask rule in
// one point, see anchored.
func (s *session) matchPath(r *Rule, p string, allow bool) bool {
	root, pattern, ok := s.rooted(r, allow)
	if !ok || !paths.Within(root, p) {
		return false
	}
	return ignore(pattern, paths.Rel(root, p), s.folder(p))
}

// covers reports whether an allow rule covers a path: link and target.
func (s *session) covers(r *Rule, p place) bool {
	return s.matchPath(r, p.given, true) && (p.real == p.given || s.matchPath(r, p.real, true))
}

// touches reports whether a deny or ask rule covers a path: link or target.
func (s *session) touches(r *Rule, p place) bool {
	return s.matchPath(r, p.given, false) || p.real != p.given && s.matchPath(r, p.real, false)
}

// rooted splits a pattern into the folder it is relative to and the gitignore
// pattern there: //x from the root, ~/x from home, /x from the folder of the
// rule's source, anything else from the working directory. A pattern that would
// leave its folder, and one that negates, matches nothing.
func (s *session) rooted(r *Rule, allow bool) (root, pattern string, ok bool) {
	c := r.Content
	switch {
	case strings.HasPrefix(c, "//"):
		return "/", "/" + strings.TrimLeft(c, "/"), true
	case strings.HasPrefix(c, "~/"):
		return s.home, c[1:], true
	case strings.HasPrefix(c, "/"):
		return r.anchor, c, r.anchor != ""
	case strings.HasPrefix(c, "!"), strings.HasPrefix(c, "../"), c == "..":
		return "", "", false
	}
	c = strings.TrimPrefix(c, "./")
	if allow && s.version != V197 && anchored(c) {
		c = "/" + c
	}
	return s.cwd, c, c != ""
}

// anchored reports whether a pattern names a folder's tree by one name: src/**.
// To an allow rule that is the folder in the working directory, to a deny or ask
// rule a folder of that name anywhere below it.
func anchored(c string) bool {
	tree, ok := strings.CutSuffix(c, "/**")
	return ok && tree != "" && tree != "**" && !strings.Contains(tree, "/")
}

// ignore matches a relative path with one gitignore pattern. folder says that
// the path itself is one.
func ignore(pattern, rel string, folder bool) bool {
	pattern, tree := strings.CutSuffix(pattern, "/**") // with the folder itself
	onlyFolders := !tree && strings.HasSuffix(pattern, "/")
	pattern = strings.TrimSuffix(pattern, "/")
	switch pattern {
	case "":
		return true
	case "**": // everything below, and not the folder (both versions, 2026-12-01)
		return rel != ""
	}
	floating := !strings.Contains(pattern, "/")
	segments := strings.Split(strings.ToLower(strings.TrimPrefix(pattern, "/")), "/")
	if floating {
		segments = append([]string{"**"}, segments...)
	}
	if rel == "" || !floating && !begins(segments[0], rel) {
		return false
	}
	names := strings.Split(strings.ToLower(rel), "/")
	for n := 1; n <= len(names); n++ {
		if onlyFolders && n == len(names) && !folder {
			break
		}
		if matchSegments(segments, names[:n]) {
			return true
		}
	}
	return false
}

// begins reports whether a path may begin with a segment that is in small letters.
// It is quick, and says yes where letters aren't plain ones.
func begins(segment, rel string) bool {
	if strings.ContainsAny(segment, "*?[\\") {
		return true
	}
	for i := range len(segment) {
		switch {
		case i == len(rel):
			return false
		case segment[i] >= utf8.RuneSelf || rel[i] >= utf8.RuneSelf:
			return true
		case segment[i] != rel[i] && (rel[i] < 'A' || rel[i] > 'Z' || segment[i] != rel[i]+'a'-'A'):
			return false
		}
	}
	return true
}

// matchSegments matches path names with pattern segments, ** being any number
// of names.
func matchSegments(pattern, names []string) bool {
	// reach[i] says that the names so far match the first i segments.
	reach := make([]bool, len(pattern)+1)
	reach[0] = true
	spread := func() {
		for i, seg := range pattern {
			if seg == "**" && reach[i] {
				reach[i+1] = true
			}
		}
	}
	spread()
	for _, name := range names {
		next := make([]bool, len(reach))
		for i, seg := range pattern {
			switch {
			case !reach[i]:
			case seg == "**":
				next[i] = true
			case matchName(seg, name):
				next[i+1] = true
			}
		}
		reach = next
		spread()
	}
	return reach[len(pattern)]
}

// matchName matches one name with *, ?, [classes] and backslashes. A pattern
// that isn't well formed matches nothing.
func matchName(pattern, name string) bool {
	pattern = strings.ReplaceAll(pattern, "[!", "[^")
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
