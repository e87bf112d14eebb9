package oracle

import (
	"math/rand/v2"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/adapters/opencode/live"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/strictjson"
)

// Words that rules and requests are made of: names of actions, what the pattern
// language treats specially, what other pattern languages do, and text that UTF-16
// counts otherwise than UTF-8.
var (
	actions = []string{"shell", "edit", "read", "external_directory", "webfetch", "subagent", "question", "srv_tool", "a/b", `a\b`, "Shell", "é", "😀"}
	actPats = append([]string{"*", "?", "e*", "sh*", "s?ell", "*ell", "shell *", "* *", "**", "[es]*", "shell|edit", ".*", "a/?", "??"}, actions...)
	common  = []string{"*", "", "git *", "git status", "git status *", "*.env", "*.env.*", "src/*", "src/**", "/tmp/*", "* ", " *", "* *", "*?", "npm run ?", "../*", "a*b*c"}
	pieces  = []string{"git ", "git", " status", "push", " ", "*", "**", "?", " *", ".", "/", `\`, "a", "b", "src/", ".env", "[ab]", "{a,b}", "(x)", "|", "^", "$", "+", "\n", "\t", "é", "e\u0301", "日本", "😀", "\u2028", "#", "-", "\"", "A", "\x7f", "ß"}
	effects = []string{live.ActionAllow, live.ActionAsk, live.ActionDeny}
)

type random struct{ *rand.Rand }

func (r random) of(list ...string) string { return list[r.IntN(len(list))] }

func (r random) text(most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(r.of(pieces...))
	}
	return b.String()
}

func (r random) pattern() string {
	if r.Float64() < 0.45 {
		return r.of(common...)
	}
	return r.text(5)
}

// like is a text that the pattern may well match.
func (r random) like(pattern string) string {
	if r.Float64() < 0.4 {
		pattern = strings.TrimSuffix(pattern, " *")
	}
	var b strings.Builder
	for _, c := range pattern {
		switch c {
		case '*':
			b.WriteString(r.of("", "x", "a/b", "\n", "😀", ".env", " "))
		case '?':
			b.WriteString(r.of("x", "/", "é", "😀", "", "日"))
		default:
			b.WriteRune(c)
		}
	}
	if r.Float64() < 0.15 {
		b.WriteString(r.of("\n", " ", "x", "/"))
	}
	return b.String()
}

// Fresh makes random rule lists, grants and requests.
func (n *Native) Fresh(from *rand.Rand, count int) (compiler.CaseFile, []jsontext.Value) {
	r := random{from}
	var rows []jsontext.Value
	for len(rows) < count {
		if c := r.native(); !homely(c.Rules) && c.Action != "" {
			rows = append(rows, c.encode())
		}
	}
	return compiler.CaseFile{}, rows
}

// encode writes a row with an effect that nobody said yet.
func (c row) encode() jsontext.Value {
	if c.Rules == nil {
		c.Rules = []live.NativeRule{}
	}
	if c.Saved == nil {
		c.Saved = []grant{}
	}
	b, err := strictjson.Encode(map[string]any{"rules": c.Rules, "saved": c.Saved, "action": c.Action, "resources": c.Resources, "effect": "ask"})
	if err != nil {
		panic(err) // text
	}
	return b
}

func (r random) native() row {
	var c row
	for range r.IntN(7) {
		c.Rules = append(c.Rules, live.NativeRule{Action: r.of(actPats...), Resource: r.pattern(), Effect: r.of(effects...)})
	}
	c.Action = r.of(actions...)
	near := common
	if len(c.Rules) > 0 && r.Float64() < 0.85 {
		c.Action = r.like(c.Rules[r.IntN(len(c.Rules))].Action)
		near = nil
		for _, rule := range c.Rules {
			near = append(near, rule.Resource)
		}
	}
	for range 1 + r.IntN(3) {
		c.Resources = append(c.Resources, r.like(r.of(near...)))
	}
	if r.Float64() < 0.2 {
		c.Saved = []grant{{c.Action, r.pattern()}}
	}
	return c
}

// together is how many fresh rows of the loop share their rules, and so a
// session.
const together = 6

// Fresh makes random rules about grep, and texts that grep is called with.
func (l *Loop) Fresh(from *rand.Rand, count int) (compiler.CaseFile, []jsontext.Value) {
	r := random{from}
	var rows []jsontext.Value
	for len(rows) < count {
		own := r.grepRules()
		seen := map[string]bool{}
		for range min(together, count-len(rows)) {
			text := r.like(own[r.IntN(len(own))].Resource)
			if text == "" || seen[text] { // grep wants a text; the third alike is a loop
				text += "z" + strings.Repeat("y", len(seen))
			}
			seen[text] = true
			c := row{Rules: append(append([]live.NativeRule{}, l.base...), own...), Action: "grep", Resources: []string{text}}
			rows = append(rows, c.encode())
		}
	}
	return compiler.CaseFile{}, rows
}

// grepRules are a session's own. A last rule for the tool that denies exactly
// "*" would hide it, so no rule does.
func (r random) grepRules() []live.NativeRule {
	var own []live.NativeRule
	for range 1 + r.IntN(6) {
		rule := live.NativeRule{Action: r.of("grep", "grep", "grep", "*", "gr*", "?rep", "grep *", "GREP", "glob", "g[r]ep"), Resource: r.pattern(), Effect: r.of(effects...)}
		if rule.Resource == "*" && rule.Effect == live.ActionDeny {
			rule.Effect = live.ActionAsk
		}
		own = append(own, rule)
	}
	return own
}
