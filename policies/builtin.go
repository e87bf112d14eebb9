package policies

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// builtinPrefix begins the names of built-in policies where a path may stand.
const builtinPrefix = "builtin/"

//go:embed builtin/*.yaml
var builtins embed.FS

// Builtin returns the built-in policy of that name, as in "t3code". Its file is
// called like it, without a folder.
func Builtin(name string) (File, error) {
	if !slices.Contains(BuiltinNames(), name) {
		return File{}, fmt.Errorf("there is no built-in policy %q: use %s", name, strings.Join(BuiltinNames(), ", "))
	}
	data, err := builtins.ReadFile(builtinPrefix + name + ".yaml")
	return File{Name: name + ".yaml", Data: data}, err
}

// builtinSuite returns the test file of a built-in policy, false when it has none.
func builtinSuite(name string) (File, bool) {
	f := File{Name: name + suiteSuffix + ".yaml"}
	data, err := builtins.ReadFile(builtinPrefix + f.Name)
	f.Data = data
	return f, err == nil
}

// BuiltinNames lists the built-in policies in order of name.
func BuiltinNames() []string {
	entries, err := builtins.ReadDir(strings.TrimSuffix(builtinPrefix, "/"))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if base := strings.TrimSuffix(e.Name(), ".yaml"); !strings.HasSuffix(base, suiteSuffix) {
			names = append(names, base)
		}
	}
	return names
}
