package oclint

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/modegate/modegate/adapters/internal/wildcard"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// form finds patterns that can't match what the tools of their action ask with.
func (j *judge) form(r rule) []lint.Finding {
	var why, instead string
	switch r.action {
	case "read", "edit":
		why, instead = j.fileForm(r)
	case "external_directory":
		why, instead = j.folderForm(r)
	case "webfetch":
		if !strings.Contains(r.resource, "://") && !strings.HasPrefix(r.resource, "*") && !strings.HasPrefix(r.resource, "?") {
			return []lint.Finding{r.find("never-matches", "never matches: an address begins with its scheme",
				fmt.Sprintf("write %q", "*://"+strings.TrimSuffix(strings.TrimSuffix(r.resource, "*"), "/")+"/*"))}
		}
	case j.Shell:
		if r.config && j.Provider == evaluator.OpenCode && shortcut(r.resource) {
			why = "1.x puts the home folder in place of the shortcut, and commands are compared as they are written"
			rest := strings.TrimPrefix(strings.TrimPrefix(r.resource, "~"), "$HOME")
			instead = fmt.Sprintf("begin it with a wildcard, as in %q", "*"+rest)
		}
	}
	switch {
	case why != "":
		return []lint.Finding{r.find("path-form", "never matches: "+why, instead)}
	case (r.action == "read" || r.action == "edit") && paths.Rooted(wildcard.Normalise(r.resource)) && !r.config && !j.in.Written:
		f := r.find("path-form", "may never match: versions differ in whether a path outside is absolute, and the evaluator of 1.18.33 is asked with relative ones", outsideAdvice)
		f.Severity = lint.Warning
		return []lint.Finding{f}
	}
	return nil
}

func shortcut(p string) bool {
	return p == "~" || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, "$HOME")
}

var drive = regexp.MustCompile(`^[A-Za-z]:[/\\]`)

const outsideAdvice = "write a path outside as external_directory, and one inside relative to the workspace"

// fileForm judges the form of a path that read and edit are asked with: relative
// to the workspace (1.x: to the git worktree), without "." and without a slash at
// its end; outside of it 1.x goes up with "..", 2.0 has the real path.
func (j *judge) fileForm(r rule) (why, instead string) {
	p := wildcard.Normalise(r.resource)
	switch {
	case shortcut(p) && !r.config:
		return "a home shortcut is expanded in configuration files alone, and never in rules that are sent", outsideAdvice
	case shortcut(p) && !j.Absolute, paths.Rooted(p) && !j.Absolute:
		return r.action + " is asked with the path relative to the git worktree, never with an absolute one", outsideAdvice
	case paths.Rooted(p) && j.inside(p):
		return r.action + " is asked with a relative path inside of the workspace", "write " + fmt.Sprintf("%q", j.relative(p))
	case paths.Rooted(p) && j.in.Setting.Version == "1.18.33":
		return "the evaluator of 1.18.33 is asked with relative paths", outsideAdvice
	case drive.MatchString(r.resource):
		return r.action + " is asked with the path relative to the workspace", outsideAdvice
	case strings.HasPrefix(p, "./"):
		return "the path that is asked with has no leading ./", fmt.Sprintf("write %q", strings.TrimPrefix(p, "./"))
	case strings.HasPrefix(p, "../") && j.Absolute:
		return "a path outside of the workspace is absolute", "write the absolute path, or external_directory"
	case strings.Contains(p, "/./"), strings.Contains(p, "//"), strings.Contains(strings.TrimLeft(p, "./"), "/../"):
		return "the path that is asked with has been cleaned", "write the path without ., .. and empty names"
	case strings.HasSuffix(p, "/"):
		return "the path that is asked with has no slash at its end", fmt.Sprintf("write %q for what the folder holds", p+"*")
	}
	return "", ""
}

// inside reports whether a pattern speaks of the workspace alone.
func (j *judge) inside(p string) bool {
	ws := j.in.Setting.Env.Workspace
	head, _, _ := strings.Cut(strings.ReplaceAll(p, "?", "*"), "*")
	return ws != "" && paths.Within(path.Clean(ws), path.Clean(head))
}

func (j *judge) relative(p string) string {
	return strings.TrimPrefix(strings.TrimPrefix(p, path.Clean(j.in.Setting.Env.Workspace)), "/")
}

// folderForm judges the form of external_directory: the absolute folder, with /*
// behind it.
func (j *judge) folderForm(r rule) (why, instead string) {
	p := wildcard.Normalise(r.resource)
	last := ""
	if p != "" {
		last = p[len(p)-1:]
	}
	switch {
	case shortcut(p) && !r.config:
		return "a home shortcut is expanded in configuration files alone, and never in rules that are sent", "write the home folder's absolute path"
	case !shortcut(p) && !paths.Rooted(p) && !drive.MatchString(p) && !strings.HasPrefix(p, "*") && !strings.HasPrefix(p, "?"):
		return "external_directory is asked with an absolute folder", "begin it with /"
	case strings.Contains(p, "/../"), strings.Contains(p, "/./"), strings.Contains(p, "//"):
		return "the path that is asked with has been cleaned", "write the path without ., .. and empty names"
	case last == "/":
		return "external_directory is asked with /* behind the folder", fmt.Sprintf("write %q", p+"*")
	case last != "*" && last != "?":
		return "external_directory is asked with /* behind the folder", fmt.Sprintf("write %q for a folder; a single file can't be named", p+"/*")
	}
	return "", ""
}

// literal finds what other pattern languages take for special.
func (j *judge) literal(r rule) []lint.Finding {
	p := r.resource
	file := r.action == "read" || r.action == "edit" || r.action == "external_directory"
	if file {
		p = lint.WithoutRoutes(p)
		if drive.MatchString(p) {
			p = wildcard.Normalise(p)
		}
	}
	why := lint.Foreign(p, false)
	if why == "" && !file && strings.Contains(p, `\`) {
		why = "a backslash is a slash here, and nothing can be escaped"
	}
	if why == "" {
		return nil
	}
	return []lint.Finding{lint.At("literal-pattern", r.at,
		fmt.Sprintf("the rule %q: %s (only * and ? are special)", r.text(), why), "write one rule for each choice")}
}

// depth finds patterns that need one folder more than was meant: "**/" is any
// number of folders elsewhere, none too, and at least one slash here.
func (j *judge) depth(i int) []lint.Finding {
	r := j.list.rules[i]
	if r.action != "read" && r.action != "edit" || !strings.Contains(r.resource, "**/") {
		return nil
	}
	short := strings.NewReplacer("**/", "", "*", someName, "?", "z").Replace(j.rules[i].Resource)
	if e, _ := j.decide(r.action, short); e == r.effect {
		return nil
	}
	wider := strings.ReplaceAll(strings.ReplaceAll(r.resource, "**/", "*"), "**", "*")
	where := "in the workspace itself"
	if folder, _, _ := strings.Cut(r.resource, "**/"); folder != "" {
		where = "directly in " + folder
	}
	return []lint.Finding{r.find("shallow-pattern", fmt.Sprintf("misses what stands %s: ** is no more than *, and the slash behind it must be there", where),
		fmt.Sprintf("write %q: a * crosses folders", wider))}
}
