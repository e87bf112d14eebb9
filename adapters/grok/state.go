package grok

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/evaluator"
)

// policy is what Grok does with a call that nothing else has decided: its
// prompt policy, which comes from the user's Claude settings alone.
type policy string

const (
	promptPolicy policy = "default"           // asks
	editsPolicy  policy = "acceptEdits"       // edits run, the rest asks
	denyPolicy   policy = "dontAsk"           // nothing asks: what would ask is refused
	bypassPolicy policy = "bypassPermissions" // all runs but what is guarded
	autoPolicy   policy = "auto"              // as auto, and no switch takes it back
)

// state is what Grok's engine is set to: the sum of arguments, _meta and the
// user's settings.
type state struct {
	always bool   // always-approve
	auto   bool   // auto, its classifier
	policy policy // what is left
	plan   bool   // in Grok's own plan mode
	origin map[string]origin
}

// origin says where a setting came from.
type origin struct {
	text string // as people read it
	user bool   // the user's own settings, which the session can't be held to
	from string // JSON Pointer into the native settings, "" for the user's
}

// readState puts the layers together:
//   - always-approve: _meta.yoloMode; else --permission-mode, which turns it off
//     unless it is bypassPermissions, whatever --always-approve says; else
//     --always-approve; else the user's config.toml;
//   - auto: _meta.autoMode; else --permission-mode, which together with
//     --always-approve turns it off; else config.toml;
//   - the prompt policy: Claude's defaultMode, of the project when the folder is
//     trusted, else of the user. No argument and no _meta takes it back.
func readState(l launch, meta SessionMeta, f facts) state {
	s := state{policy: promptPolicy, plan: f.PlanMode, origin: map[string]origin{}}
	flag := origin{"--permission-mode " + l.flag, false, argvPointer}
	config := origin{fmt.Sprintf("permission_mode %q of the user's ~/.grok/config.toml", f.PermissionMode), true, ""}
	switch {
	case meta.YoloMode != nil:
		s.always, s.origin["always"] = *meta.YoloMode, origin{fmt.Sprintf("_meta.yoloMode %v", *meta.YoloMode), false, metaPointer}
	case l.flag != "":
		s.always, s.origin["always"] = l.flag == "bypassPermissions", flag
	case l.always:
		s.always, s.origin["always"] = true, origin{"--always-approve", false, argvPointer}
	default:
		s.always, s.origin["always"] = f.PermissionMode == "always-approve", config
	}
	switch {
	case meta.AutoMode != nil:
		s.auto, s.origin["auto"] = *meta.AutoMode, origin{fmt.Sprintf("_meta.autoMode %v", *meta.AutoMode), false, metaPointer}
	case l.flag != "":
		s.auto, s.origin["auto"] = l.flag == "auto" && !l.always, flag
	case f.PermissionMode == "auto":
		s.auto, s.origin["auto"] = true, config
	default:
		s.auto, s.origin["auto"] = false, config
	}
	if s.always && f.AlwaysLocked {
		s.always = false
	}
	for _, c := range []struct{ mode, where string }{
		{f.projectClaudeMode(), "the project's .claude/settings.json"},
		{f.ClaudeMode, "the user's ~/.claude/settings.json"},
	} {
		if c.mode == "" {
			continue
		}
		switch p := policy(c.mode); p {
		case editsPolicy, denyPolicy, bypassPolicy, autoPolicy:
			s.policy = p
			s.origin["policy"] = origin{fmt.Sprintf("defaultMode %q of %s", c.mode, c.where), true, ""}
		}
		break
	}
	if s.policy == autoPolicy && !s.auto {
		s.auto, s.origin["auto"] = true, s.origin["policy"]
	}
	return s
}

// name is the state in Grok's words.
func (s state) name() string {
	var parts []string
	switch {
	case s.always:
		parts = append(parts, "always-approve")
	case s.auto:
		parts = append(parts, "auto")
	}
	if !s.always && (s.policy != promptPolicy || !s.auto) {
		parts = append(parts, string(s.policy))
	}
	if s.plan {
		parts = append(parts, "plan")
	}
	return strings.Join(parts, " with ")
}

// answer is what Grok's engine does with one request, and why.
type answer struct {
	effect evaluator.Effect
	reason string
	rule   *rule  // the file rule that decided, if one did
	by     origin // the setting that decided, if one did
	mode   bool   // the mode decided
	shape  shape  // an extension request rather than a permission request
	absent bool   // the tool isn't offered to the model
	assume string
}

// shape tells Grok's own extension requests from permission requests.
type shape uint8

const (
	permission shape = iota
	question         // _x.ai/ask_user_question
	planExit         // _x.ai/exit_plan_mode
)

// fallThrough decides what neither rules nor the read-only list decided.
func (s state) fallThrough(r rating, edit bool, what string) answer {
	ask := answer{effect: evaluator.Ask, mode: true, reason: "Grok asks: " + what}
	if s.policy == denyPolicy {
		ask = answer{effect: evaluator.Deny, mode: true, by: s.origin["policy"], reason: "Grok refuses without asking: " + what}
	}
	switch {
	case r == guarded:
		return ask
	case s.policy == bypassPolicy:
		return answer{effect: evaluator.Allow, mode: true, by: s.origin["policy"], reason: "Grok runs it unasked in bypassPermissions"}
	case edit && s.policy == editsPolicy:
		return answer{effect: evaluator.Allow, mode: true, by: s.origin["policy"], reason: "Grok writes files unasked in acceptEdits"}
	case s.auto && r == dangerous:
		return ask
	case s.auto && (edit || r == project):
		return answer{effect: evaluator.Allow, mode: true, by: s.origin["auto"], reason: "Grok runs it in auto without its classifier"}
	case s.auto:
		return answer{effect: evaluator.Review, mode: true, by: s.origin["auto"], reason: "Grok hands it to its classifier in auto, and after three refusals in a row asks instead: " + what}
	}
	return ask
}
