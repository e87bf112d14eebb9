package policies_test

import (
	"errors"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/policies"
)

// Whatever the bytes are, Parse returns a policy or a list of problems with
// places in the file; and what it accepts, the schema accepts, profiles aside.
func FuzzParse(f *testing.F) {
	for _, folder := range []string{"good", "bad"} {
		for _, seed := range testFiles(f, folder) {
			f.Add(seed.Data)
		}
	}
	builtin, err := policies.Builtin("t3code")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(builtin.Data)
	schema := compileSchema(f, policies.Schema())
	f.Fuzz(func(t *testing.T, data []byte) {
		in := file("fuzz.yaml", string(data))
		p, err := policies.Parse(in)
		if err != nil {
			var problems diag.List
			if !errors.As(err, &problems) || len(problems) == 0 || p != nil {
				t.Fatalf("got policy %v and error %v, want no policy and a diag.List", p, err)
			}
			checkProblems(t, in, problems)
			return
		}
		checkPolicy(t, p)
		var v any
		if err := yaml.Unmarshal(data, &v); err != nil {
			t.Fatalf("the policy doesn't decode: %v", err)
		}
		v = plain(v)
		if m, ok := v.(map[string]any); ok {
			delete(m, "providers") // the dialects say what a profile may hold
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("the schema refuses what Parse accepts: %v", err)
		}
	})
}

// checkPolicy checks what every parsed policy has.
func checkPolicy(t *testing.T, p *policies.Policy) {
	t.Helper()
	lists := [][]policies.Rule{p.Rules}
	for _, m := range p.Modes {
		lists = append(lists, m.Rules)
	}
	for _, rules := range p.Interactions {
		lists = append(lists, rules)
	}
	for _, rules := range lists {
		seen := map[string]bool{}
		for _, r := range rules {
			if r.ID == "" || r.ID != r.Source.ID || seen[r.ID] || r.Kind == "" || r.Match == "" || r.Effect == 0 || r.Source.Line == 0 {
				t.Errorf("an incomplete rule, or a second one with its id: %+v", r)
			}
			seen[r.ID] = true
		}
	}
	if p.Name == "" || p.Digest == "" || len(p.Files) == 0 {
		t.Errorf("an incomplete policy: %+v", p)
	}
}
