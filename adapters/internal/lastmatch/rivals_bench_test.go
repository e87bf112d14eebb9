package lastmatch

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cedar-policy/cedar-go"
	"github.com/gobwas/glob"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
)

// decider answers as Index.Decide does.
type decider func(q request) int

func ours(rules []Rule) decider {
	x := NewIndex(rules)
	return func(q request) int { return x.Decide(q.action, q.resource) }
}

// scan is the plain rival: every rule from the last to the first, both patterns
// compiled once by gobwas/glob.
func scan(rules []Rule) decider {
	type compiled struct{ action, resource []*glob.Pattern }
	list := make([]compiled, len(rules))
	for i, r := range rules {
		list[i] = compiled{globs(r.Action), globs(r.Resource)}
	}
	matches := func(patterns []*glob.Pattern, text string) bool {
		for _, p := range patterns {
			if p.Match(text) {
				return true
			}
		}
		return false
	}
	return func(q request) int {
		for i := len(list) - 1; i >= 0; i-- {
			if matches(list[i].action, q.action) && matches(list[i].resource, q.resource) {
				return i
			}
		}
		return -1
	}
}

// globs are the pattern as gobwas/glob has it: everything but the two wildcards
// quoted, no separators, and a second glob for the optional tail.
func globs(pattern string) []*glob.Pattern {
	out := []*glob.Pattern{glob.MustCompile(quote(pattern))}
	if short, ok := strings.CutSuffix(pattern, " *"); ok {
		out = append(out, glob.MustCompile(quote(short)))
	}
	return out
}

func quote(pattern string) string {
	var b strings.Builder
	for _, r := range pattern {
		if r == '*' || r == '?' {
			b.WriteRune(r)
		} else {
			b.WriteString(glob.QuoteMeta(string(r)))
		}
	}
	return b.String()
}

// opaData keeps the rules in OPA's data document and compares them in one
// comprehension, the way a policy over data is usually written. The patterns are
// sorted by shape beforehand, so only those with several wildcards are globs.
func opaData(rules []Rule) decider {
	const module = `package modegate
hit contains rule.at if { some rule in data.rules; same(rule.action, input.action); same(rule.resource, input.resource) }
same(p, _) if p.any
same(p, x) if p.is == x
same(p, x) if startswith(x, p.starts)
same(p, x) if endswith(x, p.ends)
same(p, x) if glob.match(p.like, null, x)
decision := max(hit)`
	list := make([]any, len(rules))
	for i, r := range rules {
		list[i] = map[string]any{"at": i, "action": shapes(r.Action), "resource": shapes(r.Resource)}
	}
	return prepare(module, map[string]any{"rules": list})
}

// opaIndex writes every rule as rules of Rego, in the words that OPA's rule index
// knows: ==, startswith, endswith. The index then leaves few rules to evaluate.
func opaIndex(rules []Rule) decider {
	return prepare("package modegate\n"+regoRules(rules, func(i int, body string) string {
		return fmt.Sprintf("hit contains %d if { %s }\n", i, body)
	})+"decision := max(hit)\n", nil)
}

// opaElse is the reverse scan in Rego: a chain of else, which stops at the first
// hit and is indexed too.
func opaElse(rules []Rule) decider {
	backwards := make([]string, 0, len(rules))
	regoRules(rules, func(i int, body string) string {
		backwards = append(backwards, fmt.Sprintf("%d if { %s }", i, body))
		return ""
	})
	var b strings.Builder
	b.WriteString("package modegate\ndecision := ")
	for i := len(backwards) - 1; i >= 0; i-- {
		b.WriteString(backwards[i])
		if i > 0 {
			b.WriteString(" else := ")
		}
	}
	return prepare(b.String(), nil)
}

// regoRules joins one text for every way in which a rule can match.
func regoRules(rules []Rule, write func(i int, body string) string) string {
	compare := func(shape map[string]any, text string) []string {
		if _, ok := shape["any"]; ok {
			return []string{"true"}
		}
		var out []string
		for _, form := range []struct{ shape, rego string }{
			{"is", "%[1]s == %[2]q"}, {"starts", "startswith(%[1]s, %[2]q)"},
			{"ends", "endswith(%[1]s, %[2]q)"}, {"like", "glob.match(%[2]q, null, %[1]s)"},
		} {
			if p, ok := shape[form.shape]; ok {
				out = append(out, fmt.Sprintf(form.rego, text, p))
			}
		}
		return out
	}
	var b strings.Builder
	for i, r := range rules {
		for _, action := range compare(shapes(r.Action), "input.action") {
			for _, resource := range compare(shapes(r.Resource), "input.resource") {
				b.WriteString(write(i, action+"; "+resource))
			}
		}
	}
	return b.String()
}

// shapes says how a pattern is compared most cheaply in Rego. A pattern with an
// optional tail has two shapes.
func shapes(pattern string) map[string]any {
	out := map[string]any{}
	first, last := strings.IndexAny(pattern, "*?"), strings.LastIndexAny(pattern, "*?")
	switch {
	case pattern == "*":
		out["any"] = true
	case first < 0:
		out["is"] = pattern
	case first == last && pattern[first] == '*' && first == len(pattern)-1:
		out["starts"] = pattern[:first]
		if short, ok := strings.CutSuffix(pattern, " *"); ok {
			out["is"] = short
		}
	case first == last && pattern[first] == '*' && first == 0:
		out["ends"] = pattern[1:]
	default:
		out["like"] = quote(pattern)
		if short, ok := strings.CutSuffix(pattern, " *"); ok {
			out["like"] = "{" + quote(pattern) + "," + quote(short) + "}"
		}
	}
	return out
}

// prepare compiles a module once. Requests are handed over parsed and answers
// taken unconverted, which spares OPA its conversions.
func prepare(module string, data map[string]any) decider {
	options := []func(*rego.Rego){
		rego.Query("data.modegate.decision"),
		rego.Module("rules.rego", module),
		rego.GenerateJSON(func(t *ast.Term, _ *rego.EvalContext) (any, error) { return t.Value, nil }),
	}
	if data != nil {
		options = append(options, rego.Data(data))
	}
	ctx := context.Background()
	query, err := rego.New(options...).PrepareForEval(ctx)
	if err != nil {
		panic(err)
	}
	return func(q request) int {
		input := ast.NewObject(
			ast.Item(ast.StringTerm("action"), ast.StringTerm(q.action)),
			ast.Item(ast.StringTerm("resource"), ast.StringTerm(q.resource)),
		)
		rs, err := query.Eval(ctx, rego.EvalParsedInput(input))
		if err != nil {
			panic(err)
		}
		if len(rs) == 0 {
			return -1
		}
		at, ok := rs[0].Expressions[0].Value.(ast.Number).Int()
		if !ok {
			panic("no number")
		}
		return at
	}
}

// cedarSet writes every rule as a permit of Cedar, which has no order: Cedar
// names all that match, and the one that stands last in the text decides. Cedar
// has no `?`, so the rules must have none.
func cedarSet(rules []Rule) decider {
	like := func(attribute, pattern string) string {
		is := fmt.Sprintf("%s like %q", attribute, pattern)
		if short, ok := strings.CutSuffix(pattern, " *"); ok {
			is = fmt.Sprintf("(%s || %s like %q)", is, attribute, short)
		}
		return is
	}
	var b strings.Builder
	at := map[int]int{} // by offset in the text
	for i, r := range rules {
		scope, when := "action", like("context.resource", r.Resource)
		if strings.Contains(r.Action, "*") {
			when = like("context.action", r.Action) + " && " + when
		} else {
			scope = fmt.Sprintf("action == Action::%q", r.Action)
		}
		at[b.Len()] = i
		fmt.Fprintf(&b, "permit (principal, %s, resource) when { %s };\n", scope, when)
	}
	set, err := cedar.NewPolicySetFromBytes("rules.cedar", []byte(b.String()))
	if err != nil {
		panic(err)
	}
	agent, place := cedar.NewEntityUID("Agent", "a"), cedar.NewEntityUID("Session", "s")
	return func(q request) int {
		_, why := cedar.Authorize(set, nil, cedar.Request{
			Principal: agent, Action: cedar.NewEntityUID("Action", cedar.String(q.action)), Resource: place,
			Context: cedar.NewRecord(cedar.RecordMap{"action": cedar.String(q.action), "resource": cedar.String(q.resource)}),
		})
		last := math.MinInt
		for _, reason := range why.Reasons {
			last = max(last, reason.Position.Offset)
		}
		if i, ok := at[last]; ok {
			return i
		}
		return -1
	}
}

func TestRivalsAnswerAlike(t *testing.T) {
	for _, n := range []int{20, 100} {
		w := newWorkload(n)
		rivals := map[string]decider{"gobwas": scan(w.rules), "opa data": opaData(w.rules), "opa index": opaIndex(w.rules)}
		if n == 20 {
			rivals["opa else"], rivals["cedar"] = opaElse(w.rules), cedarSet(w.rules)
		}
		for _, q := range w.mixed[:80] {
			_, want := Walk(w.rules, q.action, q.resource)
			for name, decide := range rivals {
				if got := decide(q); got != want {
					t.Fatalf("%d rules, %q: %s says %d, want %d", n, q, name, got, want)
				}
			}
		}
	}
}
