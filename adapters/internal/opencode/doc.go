// Package opencode owns what both generations of OpenCode share: how requests
// are judged by layers of rules, how a Verdict is told from that, how shell text
// becomes requests, and how a home shortcut in a configuration file is read.
// What the generations say differently (names of fields and actions, paths,
// defaults) stays in their own folders.
package opencode
