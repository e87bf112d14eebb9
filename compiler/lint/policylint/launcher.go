package policylint

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// launchers finds the rules of a policy that allow everything by a launcher.
func (v *view) launchers() []lint.Finding {
	var out []lint.Finding
	for _, r := range v.rules {
		if r.Kind != evaluator.Command || r.Effect != evaluator.Allow || r.Match == compiler.Everything {
			continue
		}
		words := strings.Fields(r.Match)
		last := len(words) - 1
		open := words[last] == "*"
		if open {
			words = words[:last]
		}
		if how := lint.Launcher(words, open); how != "" && v.opens(r) {
			out = append(out, lint.New("launcher", r.Source, fmt.Sprintf("rule %s allows everything: %s", r.ID, how), lint.LauncherInstead))
		}
	}
	return out
}
