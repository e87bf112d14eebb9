package policylint_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/compiler/lint/policylint"
	"github.com/modegate/modegate/policies"
)

// FuzzPolicy: whatever a policy says, its findings have a place and an entry in the
// catalogue.
func FuzzPolicy(f *testing.F) {
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := policies.Parse(policies.File{Name: "x.yaml", Data: data})
		if err != nil {
			return
		}
		for _, found := range policylint.Policy(p) {
			if lint.Describe(found.Rule).ID == "" || found.File == "" || found.Line == 0 || found.Message == "" || found.Instead == "" {
				t.Errorf("%+v", found)
			}
		}
	})
}
