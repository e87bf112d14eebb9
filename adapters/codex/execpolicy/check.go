package execpolicy

import "github.com/modegate/modegate/internal/strictjson"

// Check answers as `codex execpolicy check` does, in its bytes: every match and
// the strictest decision, which is left out when nothing matches. Network rules
// never show.
func (p *Policy) Check(argv []string, w Where) ([]byte, error) {
	type prefixMatch struct {
		Prefix        []string `json:"matchedPrefix"`
		Decision      Decision `json:"decision"`
		Program       string   `json:"resolvedProgram,omitempty"`
		Justification string   `json:"justification,omitempty"`
	}
	type ruleMatch struct {
		Prefix prefixMatch `json:"prefixRuleMatch"`
	}
	out := struct {
		Matches  []ruleMatch `json:"matchedRules"`
		Decision string      `json:"decision,omitempty"`
	}{Matches: []ruleMatch{}}
	matches := p.Match(argv, w)
	for _, m := range matches {
		out.Matches = append(out.Matches, ruleMatch{prefixMatch{m.Prefix, m.Rule.Decision, m.Program, m.Rule.Justification}})
	}
	if best := Strictest(matches); best != nil {
		out.Decision = best.Rule.Decision.String()
	}
	return strictjson.Encode(out)
}
