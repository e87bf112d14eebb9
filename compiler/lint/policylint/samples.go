package policylint

import (
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// samples are Actions of all the shapes that a rule's pattern matches: each
// wildcard filled with nothing, with a name that nobody uses, with more than one.
// A rule that decides none of them decides nothing.
func samples(r compiler.Rule) []evaluator.Action {
	var out []evaluator.Action
	kinds := []evaluator.Kind{r.Kind}
	switch r.Kind {
	case evaluator.AnyKind:
		kinds = []evaluator.Kind{
			evaluator.Command, evaluator.FileRead, evaluator.FileChange, evaluator.WebFetch, evaluator.WebSearch,
			evaluator.MCPTool, evaluator.Subagent, evaluator.Question,
		}
	case evaluator.OutsideWorkspace:
		kinds = []evaluator.Kind{evaluator.FileRead, evaluator.FileChange}
	}
	for _, k := range kinds {
		out = append(out, samplesOf(k, r)...)
	}
	return out
}

// The names that stand for what a wildcard matches. Nobody's rules speak of them.
const (
	someName  = "zqx"
	someOther = "zqy-longer.zq"
)

func samplesOf(k evaluator.Kind, r compiler.Rule) []evaluator.Action {
	var out []evaluator.Action
	switch k {
	case evaluator.Command:
		for _, c := range commandSamples(r.Match) {
			out = append(out, evaluator.Action{Kind: k, Command: c})
		}
	case evaluator.FileRead, evaluator.FileChange:
		for _, p := range pathSamples(r) {
			out = append(out, evaluator.Action{Kind: k, Path: p})
		}
	default:
		for _, s := range textSamples(r.Match) {
			if a, ok := textAction(k, s); ok {
				out = append(out, a)
			}
		}
	}
	return out
}

// commandSamples are commands that a pattern of words matches.
func commandSamples(match string) []string {
	prefix, open := strings.CutSuffix(match, "*")
	prefix = strings.TrimSpace(prefix)
	if !open {
		return []string{prefix}
	}
	out := []string{strings.TrimSpace(prefix + " " + someName), strings.TrimSpace(prefix + " " + someName + " --" + someOther)}
	if prefix != "" {
		out = append(out, prefix)
	}
	return out
}

// pathSamples are paths that a glob matches.
func pathSamples(r compiler.Rule) []string {
	outside := r.Kind == evaluator.OutsideWorkspace
	switch {
	case r.Match == compiler.PlanFiles:
		return []string{planFolder + "/" + someName + ".md"}
	case r.Match == compiler.Everything && outside:
		return []string{"/" + someName, "/" + someName + "/" + someOther, paths.Home(nowhere.Home, "~/"+someName)}
	case r.Match == compiler.Everything:
		return []string{someName, someName + "/" + someOther, "/" + someName + "/" + someOther}
	}
	var out []string
	for _, fill := range []struct{ folders, tree, star, mark string }{
		{"", someName, someName, "z"},
		{someName + "/", someName + "/" + someOther, someOther, "q"},
		{someName + "/" + someOther + "/", "." + someName, "", "."},
		{"", someOther, "." + someName, "z"},
	} {
		p := strings.NewReplacer("**/", fill.folders, "**", fill.tree, "*", fill.star, "?", fill.mark).Replace(r.Match)
		out = append(out, paths.Home(nowhere.Home, p))
	}
	return out
}

// textSamples are texts that a pattern of characters matches.
func textSamples(match string) []string {
	if !strings.Contains(match, "*") {
		return []string{match}
	}
	var out []string
	for _, fill := range []string{someName, someName + "/" + someOther, ""} {
		if s := strings.ReplaceAll(match, "*", fill); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// textAction makes the Action of a kind that has a text.
func textAction(k evaluator.Kind, text string) (evaluator.Action, bool) {
	a := evaluator.Action{Kind: k}
	switch k {
	case evaluator.WebFetch:
		a.URL = text
	case evaluator.WebSearch:
		a.Query = text
	case evaluator.Subagent:
		a.Agent = text
	case evaluator.Question:
		a.Text = text
	case evaluator.MCPTool:
		server, tool, ok := strings.Cut(text, "/")
		if !ok {
			server, tool = text, text // a pattern such as * or git*
		}
		a.Server, a.Tool = server, tool
		if server == "" || tool == "" {
			return a, false
		}
	}
	return a, true
}
