package policylint

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

// nativeForm is a rule in the form of Claude's settings.
var nativeForm = regexp.MustCompile(`^[A-Z][A-Za-z]*\(.*\)$`)

// assignment is a word that a shell takes for an assignment.
var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\+?=`)

// patternFindings judges a rule's pattern in the policy's own language.
func patternFindings(r policies.Rule) []lint.Finding {
	if r.Match == "*" {
		return nil
	}
	never := func(why, instead string) []lint.Finding {
		return []lint.Finding{lint.New("never-matches", r.Source, fmt.Sprintf("rule %s never matches: %s", r.ID, why), instead)}
	}
	if nativeForm.MatchString(r.Match) {
		return never(fmt.Sprintf("%q is a rule in Claude's form, not a pattern", r.Match), "write what stands between the brackets, and the tool as the rule's kind")
	}
	switch r.Kind {
	case evaluator.Command:
		if word := strings.Fields(r.Match)[0]; assignment.MatchString(word) {
			return never(fmt.Sprintf("%q is an assignment to the shell, and no word of the command", word), "leave the assignment out: a command with one in front is matched without it")
		}
		return literal(r, lint.Foreign(r.Match, !strings.Contains(r.Match, "://")))
	case evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace:
		return pathFindings(r, never)
	case evaluator.WebFetch:
		return fetchFindings(r, never)
	case evaluator.MCPTool:
		if strings.HasPrefix(r.Match, "mcp__") {
			return never(fmt.Sprintf("%q is Claude's name of a tool", r.Match), "write SERVER/TOOL, or SERVER/*")
		}
	}
	return literal(r, lint.Foreign(r.Match, r.Kind == evaluator.Subagent || r.Kind == evaluator.MCPTool))
}

func literal(r policies.Rule, why string) []lint.Finding {
	if why == "" {
		return nil
	}
	return []lint.Finding{lint.New("literal-pattern", r.Source, fmt.Sprintf("rule %s: %s", r.ID, why), "write one rule for each choice")}
}

type neverFunc = func(why, instead string) []lint.Finding

var variablePath = regexp.MustCompile(`^(\$HOME|\$PWD|%USERPROFILE%|file:/)`)

func pathFindings(r policies.Rule, never neverFunc) []lint.Finding {
	if m := variablePath.FindString(r.Match); m != "" {
		return never(fmt.Sprintf("%q isn't the name of a folder, and nothing is put in its place", m), "begin it with ~/ for the home folder, with / for an absolute path, with neither for the workspace")
	}
	shallow := strings.HasPrefix(r.Match, "*.") || strings.HasPrefix(r.Match, ".env")
	if shallow && !strings.Contains(r.Match, "/") && r.Effect != evaluator.Allow {
		return []lint.Finding{lint.New("shallow-pattern", r.Source,
			fmt.Sprintf("rule %s sees %s in the workspace itself alone, and not in the folders below", r.ID, r.Match),
			fmt.Sprintf("write match: %s for any depth", yamlText("**/"+r.Match)))}
	}
	return literal(r, lint.Foreign(r.Match, false))
}

func fetchFindings(r policies.Rule, never neverFunc) []lint.Finding {
	scheme, rest, ok := strings.Cut(r.Match, "://")
	switch {
	case strings.HasPrefix(r.Match, "domain:"):
		return never(fmt.Sprintf("%q is Claude's form of a host", r.Match), fmt.Sprintf("write match: %s", yamlText("*://"+strings.TrimPrefix(r.Match, "domain:")+"/*")))
	case !ok && !strings.HasPrefix(r.Match, "*"):
		return never("an address begins with its scheme, as in https://", fmt.Sprintf("write match: %s", yamlText("*://"+strings.TrimSuffix(r.Match, "/*")+"/*")))
	case ok && !strings.Contains(rest, "/") && !strings.Contains(rest, "*"):
		return []lint.Finding{lint.New("shallow-pattern", r.Source,
			fmt.Sprintf("rule %s sees the address %s alone, and no page below it", r.ID, r.Match),
			fmt.Sprintf("write match: %s", yamlText(scheme+"://"+rest+"/*")))}
	}
	return literal(r, lint.Foreign(r.Match, false))
}
