package policies_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/policies"
)

func TestCheckMatch(t *testing.T) {
	for _, tt := range []struct {
		kind  evaluator.Kind
		match string
		fine  bool
	}{
		{evaluator.Command, "git push --force *", true},
		{evaluator.Command, "make", true},
		{evaluator.Command, "make ?", true},
		{evaluator.Command, "make **", false},
		{evaluator.Command, "make *x", false},
		{evaluator.Command, "make *  ", false},
		{evaluator.Command, "a\tb", false},
		{evaluator.Command, "a\nb", false},
		{evaluator.Command, "a $(b)", false},
		{evaluator.FileRead, "a b", true},
		{evaluator.FileRead, "a|b;c", true},
		{evaluator.FileRead, "...", true},
		{evaluator.FileRead, "a/..", false},
		{evaluator.FileRead, "~", false},
		{evaluator.FileRead, "~/", false},
		{evaluator.FileRead, "~/.", false},
		{evaluator.FileRead, "~/**", true},
		{evaluator.FileRead, "a/~/b", true},
		{evaluator.FileRead, "/", false},
		{evaluator.FileRead, "/**", true},
		{evaluator.FileRead, "//a", false},
		{evaluator.FileRead, "***", false},
		{evaluator.FileRead, "@plan-files/x", false},
		{evaluator.FileRead, "a/@plan-files", true},
		{evaluator.OutsideWorkspace, "**", false},
		{evaluator.OutsideWorkspace, "*", true},
		{evaluator.OutsideWorkspace, "/**", true},
		{evaluator.AnyKind, "**", false},
		{evaluator.MCPTool, "a/b", true},
		{evaluator.MCPTool, "a*", true},
		{evaluator.WebSearch, "two  spaces", true},
		{evaluator.WebSearch, "\u202ea", false},
		{evaluator.Question, "", false},
	} {
		if err := policies.CheckMatch(tt.kind, tt.match); (err == nil) != tt.fine {
			t.Errorf("CheckMatch(%s, %q) = %v", tt.kind, tt.match, err)
		}
	}
}

// The schema knows the pattern language as well as the parser does.
func TestSchemaPatterns(t *testing.T) {
	schema := compileSchema(t, policies.Schema())
	pieces := []string{"*", "**", "?", "/", "~", ".", "..", "@", "@plan-files", " ", "a", "C:", "\\", "{", "]", "|", "'", "\t", "\u200b", "日"}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(evaluator.RuleKinds()).Draw(t, "kind")
		match := ""
		for _, piece := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 5).Draw(t, "match") {
			match += piece
		}
		ours := policies.CheckMatch(kind, match)
		theirs := schema.Validate(map[string]any{
			"apiVersion": policies.APIVersion,
			"rules":      []any{map[string]any{"kind": string(kind), "match": match, "effect": "ask"}},
		})
		if (ours == nil) != (theirs == nil) {
			t.Fatalf("%s %q: the parser says %v, the schema %v", kind, match, ours, theirs)
		}
	})
}
