package claude

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
	"github.com/modegate/modegate/policies"
)

// hookEntry is one entry of the settings' hooks that may answer for a permission.
type hookEntry struct {
	event, matcher string
	name           string // for people
	at             evaluator.Source
}

// hooks reads the hooks that may answer for a permission. Others run without
// changing one.
func (r *settingsReader) hooks(f *settingsFile, n *policies.Node) []hookEntry {
	if n.Kind != policies.Mapping {
		r.Refuse(n.Source, "hooks must be an object of events"+dropped)
		return nil
	}
	var out []hookEntry
	for _, event := range n.Fields {
		if event.Name != "PreToolUse" && event.Name != "PermissionRequest" {
			continue
		}
		for _, entry := range r.List(event.Value, "hooks."+event.Name) {
			h := hookEntry{event: event.Name, name: "a " + event.Name + " hook", at: entry.Source}
			if m := entry.Get("matcher"); m != nil {
				h.matcher, _ = r.AnyText(m, "matcher")
			}
			out = append(out, h)
		}
	}
	if len(out) > 0 {
		f.losses = append(f.losses, lost(n.Source, "hooks: a policy has none", anything))
	}
	return out
}

// plugins reads a list of plugins. Any may bring hooks of its own (documented), and
// which isn't in the file.
func (f *settingsFile) plugins(field policies.Field) {
	on := len(field.Value.Items) > 0
	for _, p := range field.Value.AllFields() {
		on = on || p.Value.Kind != policies.Scalar || p.Value.Quoted || p.Value.Text != "false"
	}
	if on {
		f.hooks = append(f.hooks, hookEntry{event: "PreToolUse", name: "a plugin's hook", at: field.Source})
		f.losses = append(f.losses, lost(field.Source, field.Name+": a policy has no plugins", anything))
	}
}

// hookDoubts makes an alternative of each thing that the PreToolUse hooks may say
// together, unless the facts tell what hooks answer: which programs run, and what
// they print, isn't in the files.
func (r *settingsReader) hookDoubts(all []*settingsFile, out *compiler.FileSettings) error {
	if r.facts.Hooks != nil || slices.ContainsFunc(all, func(f *settingsFile) bool { return f.noHooks != nil }) {
		return nil
	}
	var before []hookEntry
	for _, f := range all {
		for _, h := range f.hooks {
			if h.event == "PreToolUse" {
				before = append(before, h)
				continue
			}
			result := HookResult{Matcher: h.matcher}
			out.Doubts = append(out.Doubts, compiler.Doubt{
				About: func(_ evaluator.Action, v evaluator.Verdict) bool {
					return v.Effect == evaluator.Ask && slices.ContainsFunc(toolsOf(v), result.concerns)
				},
				Reason: h.name + ", as at " + placeOf(h.at) + ", may answer in a person's place, and what it says isn't known",
			})
		}
	}
	if before == nil {
		return nil
	}
	for _, word := range []string{"allow", "ask", "deny"} {
		var results []HookResult
		for _, h := range before {
			said, err := strictjson.Encode(word)
			if err != nil {
				return err
			}
			results = append(results, HookResult{Event: h.event, Matcher: h.matcher, Output: HookOutput{Specific: map[string]jsontext.Value{"permissionDecision": said}}})
		}
		env, err := withHooks(out.Env, results)
		if err != nil {
			return err
		}
		out.Instead = append(out.Instead, compiler.Alternative{Env: env, Reason: before[0].name + ", as at " + placeOf(before[0].at) + ", may answer first, and what it says isn't known"})
	}
	return nil
}

// withHooks is an Env whose facts say what hooks answered.
func withHooks(env evaluator.Env, results []HookResult) (evaluator.Env, error) {
	_, raw, err := splitFacts(env.Facts)
	if err != nil {
		return env, err
	}
	if raw["hooks"], err = strictjson.Encode(results); err != nil {
		return env, err
	}
	env.Facts, err = strictjson.Encode(raw)
	return env, err
}
