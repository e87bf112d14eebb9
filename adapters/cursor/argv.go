package cursor

import (
	"fmt"
	"strings"
)

// launch is what the program's arguments say about permissions.
type launch struct {
	force   bool     // --force: everything runs but what is denied
	review  bool     // --auto-review: Cursor's classifier decides
	ignored []string // arguments that acp takes and doesn't apply
	unknown string   // why what Cursor does with these arguments isn't known
}

// readArgv reads what follows the program's name (documented; --mode before acp
// was recorded to be ignored: session/set_mode is what counts).
func readArgv(argv []string) launch {
	var l launch
	acp := false
	for i := 0; i < len(argv) && l.unknown == ""; i++ {
		name, value, joined := strings.Cut(argv[i], "=")
		next := func() string {
			if joined || i+1 >= len(argv) {
				return value
			}
			i++
			return argv[i]
		}
		switch {
		case acp:
			l.unknown = fmt.Sprintf("what %s after acp does isn't documented", argv[i])
		case argv[i] == "acp":
			acp = true
		case argv[i] == "--force" || argv[i] == "-f" || argv[i] == "--yolo":
			l.force = true
		case argv[i] == "--auto-review":
			l.review = true
		case name == "--mode":
			l.ignored = append(l.ignored, "--mode "+next())
		case argv[i] == "--plan":
			l.ignored = append(l.ignored, "--plan")
		case name == "-e" || name == "--endpoint" || name == "--model":
			next()
		default:
			l.unknown = fmt.Sprintf("what %s does to permissions over acp isn't documented", argv[i])
		}
	}
	if l.unknown == "" && !acp {
		l.unknown = "the arguments don't start acp"
	}
	return l
}
