// Command modegate compiles runtime modes into coding agents' own permission
// settings, says what those settings do, and proves it on the real agents.
package main

import (
	"os"

	"github.com/modegate/modegate/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
