package policies

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/modegate/modegate/evaluator"
)

// planFiles is the path pattern that stands for the provider's own plan folder.
const planFiles = "@plan-files"

// CheckMatch reports what is wrong with a rule's pattern, and what to write
// instead. A pattern that could never match is wrong: a rule that looks like a
// deny and denies nothing is worse than none.
//
// For every kind, "*" alone matches everything; it is all that kind any takes.
//
//   - command: the words of one simple command, as they are once the shell has
//     taken its quotes away, with one space between them. A last word * means any
//     further words or none. No other * is special, so none is accepted.
//   - file-read, file-change, outside-workspace: a glob over the path, relative to
//     the workspace, or beginning with / or ~/. * and ? don't match a /; ** is a
//     whole segment and matches any number of segments, none too. Nothing else is
//     special. @plan-files, the provider's own plan folder, is for file-read and file-change.
//   - web-fetch, web-search, mcp-tool (SERVER/TOOL), subagent, question: a text in
//     which * matches any characters, none too.
func CheckMatch(kind evaluator.Kind, match string) error {
	for _, c := range match {
		if invisible(c) {
			return fmt.Errorf("match %q has the invisible character %U: remove it", match, c)
		}
	}
	switch {
	case match == "":
		return fmt.Errorf(`match is empty: use "*" for everything`)
	case match == "*":
		return nil
	case strings.TrimFunc(match, unicode.IsSpace) != match:
		return fmt.Errorf("match %q begins or ends with a space: remove it", match)
	}
	switch kind {
	case evaluator.Command:
		return checkCommand(match)
	case evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace:
		return checkPath(kind, match)
	case evaluator.AnyKind:
		return fmt.Errorf(`match %q says too much: kind any speaks of actions of all kinds, so its match is "*"`, match)
	case evaluator.MCPTool:
		if !strings.ContainsAny(match, "/*") {
			return fmt.Errorf("match %q can't match an MCP tool: write SERVER/TOOL, or SERVER/*", match)
		}
	}
	return nil
}

func checkCommand(match string) error {
	if i := strings.IndexAny(match, "|&;<>()`\"'\\"); i >= 0 {
		return fmt.Errorf("match %q can't match a command: it is compared with the words of one simple command, without the shell's %q", match, match[i])
	}
	words := strings.Split(match, " ")
	for i, word := range words {
		switch {
		case word == "":
			return fmt.Errorf("match %q has two spaces in a row: words have one between them", match)
		case strings.ContainsFunc(word, unicode.IsSpace):
			return fmt.Errorf("match %q has a space that isn't the usual one: replace it", match)
		case strings.Contains(word, "*") && (word != "*" || i < len(words)-1):
			return fmt.Errorf("match %q has a * that isn't the last word: only a last word * is special (any further words or none), and a * elsewhere isn't part of the language", match)
		}
	}
	return nil
}

var drive = regexp.MustCompile(`^[A-Za-z]:/`)

func checkPath(kind evaluator.Kind, match string) error {
	if i := strings.IndexAny(match, `\{}[]`); i >= 0 {
		return fmt.Errorf("match %q has a %q: in a path only *, ? and ** are special; write one rule for each choice, ? for a character of a name, and / between folders", match, match[i])
	}
	relative := false
	rest := match
	switch {
	case match == planFiles && kind == evaluator.OutsideWorkspace:
		return fmt.Errorf("match %s is for file-read and file-change: a rule of kind outside-workspace needs a path", planFiles)
	case match == planFiles:
		return nil
	case match[0] == '@':
		return fmt.Errorf("match %q is an unknown name: the only one is %s; write ? for the @ of a path that begins with it", match, planFiles)
	case drive.MatchString(match):
		return fmt.Errorf("match %q begins with a drive: paths are relative to the workspace, or begin with / or ~/", match)
	case strings.HasPrefix(match, "~/"), strings.HasPrefix(match, "/"):
		rest = match[strings.Index(match, "/")+1:]
	case match[0] == '~':
		return fmt.Errorf("match %q begins with ~: the home folder is ~/", match)
	default:
		relative = true
	}
	if err := checkSegments(match, rest); err != nil {
		return err
	}
	if relative && kind == evaluator.OutsideWorkspace {
		return fmt.Errorf("match %q is relative to the workspace, so it never matches a path outside: use \"*\", or begin it with / or ~/", match)
	}
	return nil
}

func checkSegments(match, rest string) error {
	for segment := range strings.SplitSeq(rest, "/") {
		switch {
		case segment == "":
			return fmt.Errorf("match %q has an empty name before or after a /: remove the /, or write /** for all that a folder holds", match)
		case segment == "." || segment == "..":
			return fmt.Errorf("match %q has the segment %q: write the path without it", match, segment)
		case strings.Contains(segment, "**") && segment != "**":
			return fmt.Errorf("match %q has a ** beside other characters: ** is a whole segment, as in src/**/*.go", match)
		}
	}
	return nil
}
