package filetree

import (
	"slices"

	"github.com/modegate/modegate/policies"
)

// Merge lays one object over another: names that are there keep their place, objects
// are merged, anything else is replaced. It changes neither.
func Merge(under, over *policies.Node) *policies.Node {
	if under == nil || under.Kind != policies.Mapping || over.Kind != policies.Mapping {
		return over
	}
	out := *under
	out.Fields = slices.Clone(under.Fields)
	for _, f := range over.Fields {
		i := slices.IndexFunc(out.Fields, func(old policies.Field) bool { return old.Name == f.Name })
		if i < 0 {
			out.Fields = append(out.Fields, f)
			continue
		}
		if merged := Merge(out.Fields[i].Value, f.Value); merged != f.Value {
			out.Fields[i].Value = merged
		} else {
			out.Fields[i] = f
		}
	}
	return &out
}
