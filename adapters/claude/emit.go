package claude

import (
	"net/url"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// emitted is a policy rule that Claude's own rules can say.
type emitted struct {
	rule compiler.Rule
	text string
}

// emit says the rules that speak of less than everything in Claude's own; what
// holds for everything is the mode's affair. A review can't be asked for, and the
// plan folder is Claude's own.
func emit(in compiler.Intent, env evaluator.Env) []emitted {
	var out []emitted
	for _, r := range in.Narrow() {
		if r.Match == compiler.PlanFiles || r.Effect == evaluator.Review {
			continue
		}
		for _, text := range nativeRules(r, env) {
			out = append(out, emitted{rule: r, text: text})
		}
	}
	return out
}

func nativeRules(r compiler.Rule, env evaluator.Env) []string {
	switch r.Kind {
	case evaluator.Command:
		return []string{"Bash(" + r.Match + ")"}
	case evaluator.FileRead:
		return []string{"Read(" + nativePath(r.Match, env) + ")"}
	case evaluator.FileChange:
		return []string{"Edit(" + nativePath(r.Match, env) + ")"}
	case evaluator.OutsideWorkspace:
		p := nativePath(r.Match, env)
		return []string{"Read(" + p + ")", "Edit(" + p + ")"}
	case evaluator.WebFetch:
		if host, ok := nativeHost(r.Match); ok {
			return []string{"WebFetch(domain:" + host + ")"}
		}
	case evaluator.MCPTool:
		server, tool, _ := strings.Cut(r.Match, "/")
		if server == "" || strings.Contains(server, "*") && r.Effect == evaluator.Allow {
			return nil // an allow rule can't leave the server open
		}
		if tool == "" || tool == "*" {
			return []string{"mcp__" + server}
		}
		return []string{"mcp__" + server + "__" + tool}
	case evaluator.Subagent:
		switch r.Effect {
		case evaluator.Deny:
			return []string{"Agent(" + r.Match + ")"}
		case evaluator.Ask: // Agent(NAME) would do nothing
			return []string{"Agent(subagent_type:" + r.Match + ")"}
		}
	}
	return nil
}

// nativePath writes a policy's path glob. It is anchored at the workspace, where
// gitignore would let a single name stand anywhere; a pattern with one leading
// slash would match nothing in inline settings.
func nativePath(glob string, env evaluator.Env) string {
	switch {
	case strings.HasPrefix(glob, "/"):
		return "/" + glob
	case strings.HasPrefix(glob, "~/"), strings.HasPrefix(glob, "**/"):
		return glob
	}
	if one := strings.TrimSuffix(glob, "/**"); strings.Contains(one, "/") || env.Workspace == "" {
		return glob
	}
	return "/" + paths.Abs("/", env.Workspace) + "/" + glob
}

// floating says which path rules stand for a name anywhere below the workspace,
// because nobody says where that is.
func floating(rules []emitted, env evaluator.Env) []string {
	known := env
	known.Workspace = "/w"
	var out []string
	for _, e := range rules {
		switch e.rule.Kind {
		case evaluator.FileRead, evaluator.FileChange, evaluator.OutsideWorkspace:
			if nativePath(e.rule.Match, env) != nativePath(e.rule.Match, known) {
				out = append(out, "the workspace isn't given: "+e.text+" stands for that name anywhere in it")
			}
		}
	}
	return out
}

// nativeHost takes the host out of SCHEME://HOST/*, which is all that Claude's
// rules can tell apart.
func nativeHost(match string) (string, bool) {
	address, whole := strings.CutSuffix(match, "/*")
	if !whole {
		return "", false
	}
	address = strings.TrimPrefix(address, "*://")
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		address = u.Host
	}
	return address, address != "" && !strings.ContainsAny(address, "/:?#@ ")
}

// permissions sorts the rules into Claude's lists, and says where each is from.
func permissions(list []emitted) (Permissions, []compiler.SourceRef) {
	p := Permissions{Allow: []string{}, Ask: []string{}, Deny: []string{}}
	var refs []compiler.SourceRef
	for _, e := range list {
		into := &p.Deny
		switch e.rule.Effect {
		case evaluator.Allow:
			into = &p.Allow
		case evaluator.Ask:
			into = &p.Ask
		}
		refs = append(refs, compiler.SourceRef{Pointer: "/permissions/" + e.rule.Effect.String() + "/" + itoa(len(*into)), Source: e.rule.Source})
		*into = append(*into, e.text)
	}
	return p, refs
}
