package codex

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/internal/bash"
)

// tri is an answer that may be unknown.
type tri uint8

const (
	no tri = iota
	yes
	unclear
)

// maxWrappers is how many wrappers Codex looks through; more count as a hit
// (source; not measured).
const maxWrappers = 8

// forcedRemoval answers Codex's one built-in question about commands on Unix:
// does this argv remove files by force. It looks through sudo, env, trap and
// nested shells, and at every literal command of a script wherever it stands;
// xargs, nohup, timeout, command, exec, eval and find -exec hide it. Measured
// with 65 commands on 0.171.0, 2026-11-30.
//
// It is unclear only for a script that our parser refuses while it speaks of rm:
// Codex has another parser.
func forcedRemoval(argv unit) tri { return removal(argv, 0) }

func removal(argv unit, depth int) tri {
	if depth > maxWrappers {
		return yes
	}
	if len(argv) == 0 {
		return no
	}
	switch path.Base(argv[0]) {
	case "rm":
		if hasForce(argv[1:]) {
			return yes
		}
	case "sudo":
		if r := removal(argv[1:], depth+1); r != no {
			return r
		}
	case "env":
		if r := removal(envCommand(argv[1:]), depth+1); r != no {
			return r
		}
	case "trap":
		rest := argv[1:]
		if len(rest) > 0 && rest[0] == "--" {
			rest = rest[1:]
		}
		if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			if r := removal(unit{"sh", "-c", rest[0]}, depth+1); r != no {
				return r
			}
		}
	}
	return scriptRemoval(argv, depth)
}

// scriptRemoval looks into the script of an argv that is exactly a shell, -c or
// -lc, and the script.
func scriptRemoval(argv unit, depth int) tri {
	if len(argv) != 3 || !isShell(argv[0]) || argv[1] != "-c" && argv[1] != "-lc" {
		return no
	}
	s, err := bash.Parse(argv[2])
	if err != nil {
		if strings.Contains(argv[2], "rm") {
			return unclear
		}
		return no
	}
	out := no
	for _, words := range literalCommands(s) {
		switch removal(words, depth+1) {
		case yes:
			return yes
		case unclear:
			out = unclear
		}
	}
	return out
}

func isShell(program string) bool {
	name := path.Base(program)
	switch strings.TrimSuffix(name, path.Ext(name)) {
	case "bash", "sh", "zsh":
		return true
	}
	return false
}

func hasForce(args []string) bool {
	for _, a := range args {
		switch {
		case a == "--":
			return false
		case a == "--force":
			return true
		case strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "f"):
			return true
		}
	}
	return false
}

// envCommand skips what env takes before the command, as far as Codex knows it:
// -i, assignments and --. Other options hide the command.
func envCommand(args unit) unit {
	for i, a := range args {
		if a == "--" {
			return args[i+1:]
		}
		name, _, assigns := strings.Cut(a, "=")
		if a != "-i" && a != "--ignore-environment" && !(assigns && name != "" && !strings.HasPrefix(name, "-")) {
			return args[i:]
		}
	}
	return nil
}

// literalCommands lists the words of every command whose program is literal,
// without those words that aren't.
func literalCommands(s *bash.Script) []unit {
	timed := map[syntax.Command]bool{}
	var out []unit
	syntax.Walk(s.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.TimeClause:
			timed[firstCommand(n.Stmt)] = true
		case *syntax.CallExpr:
			if words := literalWords(s, n); words != nil && !timed[n] {
				out = append(out, words)
			}
		}
		return true
	})
	return out
}

// firstCommand is the command that stands right behind time.
func firstCommand(s *syntax.Stmt) syntax.Command {
	for s != nil {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok {
			return s.Cmd
		}
		s = b.X
	}
	return nil
}

func literalWords(s *bash.Script, c *syntax.CallExpr) unit {
	var words unit
	for i, w := range c.Args {
		text, ok := plainWord(s, w)
		if !ok && i == 0 {
			return nil
		}
		if ok {
			words = append(words, text)
		}
	}
	return words
}
