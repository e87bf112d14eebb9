package policies

import (
	"embed"
	"io/fs"
)

//go:embed rego/*.rego
var regoFiles embed.FS

// InvariantsName is what the shipped invariants are called where a folder may
// stand.
const InvariantsName = builtinPrefix + "invariants"

// Invariants is the Rego of the shipped invariants, with its tests.
func Invariants() fs.FS {
	sub, err := fs.Sub(regoFiles, "rego")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return sub
}
