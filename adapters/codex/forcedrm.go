package codex

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/modegate/modegate/internal/bash"
)

// maxWrappers is how many wrappers Codex looks through; more count as a hit
// (source; not measured).
const maxWrappers = 8

// removing says whether an argv removes files by force, as far as Codex can see.
type removing uint8

const (
	notByForce   removing = iota
	maybeByForce          // it depends on how Codex's parser reads a script
	byForce
)

// forcedRemoval answers Codex's one built-in question about commands on Unix:
// does this argv remove files by force. It looks through sudo, env, trap and
// nested shells, and at every literal command of a script wherever it stands;
// xargs, nohup, timeout, command, exec, eval and find -exec hide it. Measured
// with more than a hundred commands on 0.171.0, 2026-11-30.
//
// In a script that Codex's parser can't read there is nothing to be seen, and that
// parser isn't ours: where the two may part, the answer is maybeByForce.
func forcedRemoval(argv unit) removing { return removal(argv, 0) }

func removal(argv unit, depth int) removing {
	if depth > maxWrappers {
		return byForce
	}
	if len(argv) == 0 {
		return notByForce
	}
	behind := notByForce // what stands behind a wrapper
	switch path.Base(argv[0]) {
	case "rm":
		if hasForce(argv[1:]) {
			return byForce
		}
	case "sudo":
		behind = removal(argv[1:], depth+1)
	case "env":
		behind = removal(envCommand(argv[1:]), depth+1)
	case "trap":
		rest := argv[1:]
		if len(rest) > 0 && rest[0] == "--" {
			rest = rest[1:]
		}
		if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			behind = removal(unit{"sh", "-c", rest[0]}, depth+1)
		}
	}
	return max(behind, scriptRemoval(argv, depth))
}

// scriptRemoval looks into the script of an argv that is exactly a shell, -c or
// -lc, and the script.
func scriptRemoval(argv unit, depth int) removing {
	if len(argv) != 3 || !isShell(argv[0]) || argv[1] != "-c" && argv[1] != "-lc" {
		return notByForce
	}
	s := splitScript(argv)
	commands := s.Units
	if !s.Plain {
		script, err := bash.Parse(argv[2])
		switch odd := err != nil || doubtfulScript(script); {
		case odd && strings.Contains(argv[2], "rm"):
			return maybeByForce
		case err != nil:
			return notByForce
		}
		commands = literalCommands(script)
	}
	out := notByForce
	for _, words := range commands {
		out = max(out, removal(words, depth+1))
	}
	return out
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
// without those words that aren't. time and coproc are programs to Codex's parser,
// and what stands behind a redirection belongs to it.
func literalCommands(s *bash.Script) []unit {
	hidden := map[syntax.Command]bool{}
	var out []unit
	syntax.Walk(s.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CoprocClause:
			return false
		case *syntax.TimeClause:
			hidden[firstCommand(n.Stmt)] = true
		case *syntax.Stmt:
			if c, ok := n.Cmd.(*syntax.CallExpr); ok && !hidden[c] {
				if words := literalWords(s, c, n.Redirs); words != nil {
					out = append(out, words)
				}
			}
		}
		return true
	})
	return out
}

// firstCommand is the command that stands right behind time.
func firstCommand(s *syntax.Stmt) syntax.Command {
	for s != nil {
		switch c := s.Cmd.(type) {
		case *syntax.BinaryCmd:
			s = c.X
		case *syntax.Block:
			if len(c.Stmts) == 0 {
				return c
			}
			s = c.Stmts[0]
		default:
			return c
		}
	}
	return nil
}

func literalWords(s *bash.Script, c *syntax.CallExpr, redirs []*syntax.Redirect) unit {
	var words unit
	for _, w := range c.Args {
		if unblank(s.Source(w)) == "" {
			continue
		}
		swallowed := slices.ContainsFunc(redirs, func(r *syntax.Redirect) bool {
			return r.Op != syntax.WordHdoc && r.Pos().After(c.Args[0].Pos()) && w.Pos().After(r.Pos())
		})
		if swallowed {
			break
		}
		text, ok := plainWord(s, w)
		if !ok && words == nil {
			return nil
		}
		if ok {
			words = append(words, text)
		}
	}
	return words
}
