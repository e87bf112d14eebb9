package adapters_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain tries fewer random policies than rapid does by default, which takes
// seconds; -rapid.checks tries more.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "rapid.checks" })
	if !chosen {
		flag.Set("rapid.checks", "30")
	}
	os.Exit(m.Run())
}
