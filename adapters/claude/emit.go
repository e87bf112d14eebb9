package claude

import (
	"net/url"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/internal/callback"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/paths"
)

// emitted is a rule of Claude's own that says a policy's rule, or a part of it.
type emitted struct {
	rule compiler.Rule
	tool string
	text string // as it stands in the settings
}

// emitter says a policy's rules in Claude's own: those that speak of less than
// everything, and those of the policy's own list. What a mode's or an interaction
// mode's list says of everything is the permission mode's affair, unless the
// profile insists on it. A review can't be asked for, and the plan folder is
// Claude's own.
type emitter struct {
	rules []compiler.Rule // that can still decide something
	env   evaluator.Env
	list  []emitted
}

func emit(in compiler.Intent, env evaluator.Env, insisted func(compiler.Rule) bool) []emitted {
	e := emitter{rules: in.Effective(), env: env}
	for _, r := range in.Sent(func(r compiler.Rule) bool { return callback.IsOwn(r) || insisted(r) }) {
		if r.Match == compiler.PlanFiles || r.Match == compiler.Everything && r.Section == compiler.InteractionRules && r.Effect == evaluator.Deny && about(r, evaluator.FileChange) {
			continue // a deny rule would close the plan file, too; Claude asks before any other change, and our callback declines
		}
		// The last rule that matches decides, and Claude takes the strictest: a rule
		// that a later one covers must not be written.
		e.list = slices.DeleteFunc(e.list, func(earlier emitted) bool { return r.Covers(earlier.rule) })
		if r.Effect == evaluator.Review && insisted(r) {
			r.Effect = evaluator.Ask
		}
		if r.Effect != evaluator.Review {
			e.rule(r)
		}
	}
	return e.list
}

func (e *emitter) add(r compiler.Rule, tool, content string) {
	text := tool
	if content != "" {
		text += "(" + content + ")"
	}
	e.list = append(e.list, emitted{r, tool, text})
}

func (e *emitter) rule(r compiler.Rule) {
	if r.Match == compiler.Everything {
		e.everything(r)
		return
	}
	switch r.Kind {
	case evaluator.Command:
		e.add(r, "Bash", r.Match)
	case evaluator.FileRead:
		if e.opens(r) {
			e.add(r, "Read", nativePath(r.Match, e.env))
		}
	case evaluator.FileChange:
		if e.opens(r) {
			e.add(r, "Edit", nativePath(r.Match, e.env))
		}
	case evaluator.OutsideWorkspace:
		e.outside(r)
	case evaluator.WebFetch:
		if host, ok := nativeHost(r.Match); ok {
			e.add(r, "WebFetch", "domain:"+host)
		}
	case evaluator.MCPTool:
		server, tool, _ := strings.Cut(r.Match, "/")
		switch {
		case server == "", strings.Contains(server, "*") && r.Effect == evaluator.Allow: // an allow rule can't leave the server open
		case tool == "", tool == "*":
			e.add(r, "mcp__"+server, "")
		default:
			e.add(r, "mcp__"+server+"__"+tool, "")
		}
	case evaluator.Subagent: // an ask rule with a name does nothing, and neither does a name with a *
		switch {
		case r.Effect == evaluator.Ask, r.Effect == evaluator.Deny && strings.Contains(r.Match, "*"):
			e.add(r, "Agent", "subagent_type:"+r.Match)
		case r.Effect == evaluator.Deny:
			e.add(r, "Agent", r.Match)
		}
	}
}

// wholeTools are the tools of the kinds whose every use a rule may speak of.
var wholeTools = map[evaluator.Kind]string{
	evaluator.Command: "Bash", evaluator.WebFetch: "WebFetch", evaluator.WebSearch: "WebSearch", evaluator.Subagent: "Agent",
}

// everything says a rule for a whole kind. Edit alone wouldn't speak of Write, and
// a rule for the path speaks of both, and of the commands that Claude knows. A
// reading that is allowed is left to the working directories.
func (e *emitter) everything(r compiler.Rule) {
	is := func(kind evaluator.Kind) bool { return r.Kind == kind || r.Kind == evaluator.AnyKind }
	allow := r.Effect == evaluator.Allow
	for _, kind := range []evaluator.Kind{evaluator.Command, evaluator.WebFetch, evaluator.WebSearch, evaluator.Subagent} {
		if is(kind) && !(allow && kind == evaluator.Subagent) { // which needs no permission
			e.add(r, wholeTools[kind], "")
		}
	}
	if is(evaluator.FileRead) && !allow {
		e.add(r, "Read", "//**")
	}
	if is(evaluator.FileChange) && allow {
		e.add(r, "Edit", "**")
	} else if is(evaluator.FileChange) {
		e.add(r, "Edit", "//**")
	}
	if is(evaluator.MCPTool) && !allow {
		e.add(r, "mcp__*", "")
	}
	if is(evaluator.Question) && r.Effect == evaluator.Deny {
		e.add(r, "AskUserQuestion", "")
	}
}

// outside says a rule about paths outside. One whose pattern also matches paths
// in the workspace would speak of those, too.
func (e *emitter) outside(r compiler.Rule) {
	if !e.onlyOutside(r.Match) {
		return
	}
	allow := r.Effect == evaluator.Allow
	if !allow || e.all(evaluator.FileRead, evaluator.Allow) && deep(r.Match) {
		e.add(r, "Read", nativePath(r.Match, e.env))
	}
	if !allow || e.all(evaluator.FileChange, evaluator.Allow) && e.all(evaluator.FileRead, evaluator.Allow) && deep(r.Match) && e.speaks(evaluator.FileChange) {
		e.add(r, "Edit", nativePath(r.Match, e.env))
	}
}

// opens reports whether a rule for files may be sent: an allow that Claude would
// take for more isn't. A pattern covers what a folder holds that it matches; and
// an allow for a path outside also lifts what is said of the outside, and with
// Edit allows reading.
func (e *emitter) opens(r compiler.Rule) bool {
	if r.Effect != evaluator.Allow {
		return true
	}
	if !deep(r.Match) {
		return false
	}
	return e.inWorkspace(r.Match) || e.all(evaluator.OutsideWorkspace, evaluator.Allow) && e.all(evaluator.FileRead, evaluator.Allow)
}

// deep reports whether a pattern also matches what lies in the folders that it
// matches.
func deep(match string) bool {
	last := match[strings.LastIndexByte(match, '/')+1:]
	return last == "**" || !strings.HasSuffix(last, "*")
}

// all reports whether every rule for a kind has an effect.
func (e *emitter) all(kind evaluator.Kind, effect evaluator.Effect) bool {
	return !slices.ContainsFunc(e.rules, func(r compiler.Rule) bool { return about(r, kind) && r.Effect != effect })
}

func (e *emitter) speaks(kind evaluator.Kind) bool {
	return slices.ContainsFunc(e.rules, func(r compiler.Rule) bool { return about(r, kind) })
}

func about(r compiler.Rule, kind evaluator.Kind) bool {
	return r.Kind == kind || r.Kind == evaluator.AnyKind && kind != evaluator.OutsideWorkspace
}

// workspace is where the session runs, as patterns have it.
func (e *emitter) workspace() string {
	if e.env.Workspace == "" {
		return paths.UnknownWorkspace
	}
	return paths.Abs("/", e.env.Workspace)
}

// inWorkspace reports whether a path pattern matches nothing outside.
func (e *emitter) inWorkspace(match string) bool {
	match = paths.Home(e.env.Home, match)
	return !paths.Rooted(match) || strings.HasPrefix(match, e.workspace()+"/")
}

// onlyOutside reports whether a path pattern matches nothing in the workspace.
func (e *emitter) onlyOutside(match string) bool {
	match = paths.Home(e.env.Home, match)
	fixed := match[:strings.IndexAny(match+"*", "*?")]
	return !strings.HasPrefix(match, e.workspace()+"/") && !strings.HasPrefix(e.workspace()+"/", fixed)
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
		if (e.tool == "Read" || e.tool == "Edit") && nativePath(e.rule.Match, env) != nativePath(e.rule.Match, known) {
			out = append(out, "the workspace isn't given: "+e.text+" stands for that name anywhere in it")
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
