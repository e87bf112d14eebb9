package policylint

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// otherTools finds rules about reading or changing files that a command which the
// policy allows walks around: such a rule speaks of the agent's own tools.
func (v *view) otherTools() []lint.Finding {
	var out []lint.Finding
	for _, r := range v.rules {
		if r.Kind != evaluator.FileRead && r.Kind != evaluator.FileChange || r.Match == compiler.PlanFiles ||
			r.Match == compiler.Everything || r.Effect == evaluator.Allow {
			continue
		}
		if by := v.around(r); by != nil {
			verb, instead := "reads", "deny that command, too, or leave it to be asked about"
			if r.Kind == evaluator.FileChange {
				verb = "changes"
			}
			f := lint.New("other-tool", r.Source,
				fmt.Sprintf("rule %s says %s for the agent's own tools, and a command that %s allows %s the same files", r.ID, r.Effect, named(by.Rule, r.Source), verb), instead)
			f.Related = []lint.Related{see(by.Rule, by.ID+" allows the command")}
			out = append(out, f)
		}
	}
	return out
}

// around is a rule by which a command reaches what r holds back.
func (v *view) around(r *ruleView) *compiler.Rule {
	for _, f := range r.fates {
		if f.kind != decides || f.intent.Cell.Interaction != evaluator.Default {
			continue
		}
		for i := range f.intent.Rules {
			c := &f.intent.Rules[i]
			if command := reaching(c, r, f.intent.Cell.Mode); command != "" {
				w := f.intent.Want(evaluator.Action{Kind: evaluator.Command, Command: command}, nowhere)
				if w.Rule == c && w.Effect == evaluator.Allow {
					return c
				}
			}
		}
	}
	return nil
}

// reaching is a command that c allows and that reads or changes what r speaks of,
// "" when there is none. What a mode allows as a whole isn't news in full access.
func reaching(c *compiler.Rule, r *ruleView, mode evaluator.Mode) string {
	if c.Kind != evaluator.Command || c.Effect != evaluator.Allow {
		return ""
	}
	touches, program := lint.Reads, "cat"
	if r.Kind == evaluator.FileChange {
		touches, program = lint.Writes, "tee"
	}
	prefix, open := strings.CutSuffix(c.Match, " *")
	if c.Match == compiler.Everything {
		prefix, open = program, mode != evaluator.FullAccess
	}
	if name, _, _ := strings.Cut(prefix, " "); !open || !touches(name) {
		return ""
	}
	return prefix + " " + pathSamples(r.Rule)[0]
}
