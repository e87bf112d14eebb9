package opencode

import "strings"

// ExpandHome puts the home folder in place of a shortcut at the start of a
// pattern of a configuration file, as the native loader of 1.18.33 does for the
// actions that name paths (measured). It is never done for rules sent by API.
func ExpandHome(action, pattern, home string) string {
	switch action {
	case "read", "edit", "external_directory":
	default:
		return pattern
	}
	switch {
	case pattern == "~" || pattern == "$HOME":
		return home
	case strings.HasPrefix(pattern, "~/"):
		return home + pattern[len("~"):]
	case strings.HasPrefix(pattern, "$HOME/") || strings.HasPrefix(pattern, `$HOME\`):
		return home + pattern[len("$HOME"):]
	}
	return pattern
}

// ExpandHome1 is ExpandHome for a 1.x configuration file: every permission, and
// "$HOME" even before other letters (measured on 1.18.33).
func ExpandHome1(pattern, home string) string {
	switch {
	case pattern == "~":
		return home
	case strings.HasPrefix(pattern, "~/"):
		return home + pattern[len("~"):]
	case strings.HasPrefix(pattern, "$HOME"):
		return home + pattern[len("$HOME"):]
	}
	return pattern
}
