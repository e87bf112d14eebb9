package grok

import (
	"fmt"
	"strings"
)

// launch is what the program's arguments say about permissions.
type launch struct {
	flag    string   // the value of --permission-mode, "" when it isn't given
	always  bool     // --always-approve stands where it works: after agent
	ignored []string // arguments that Grok takes and then doesn't apply over agent stdio
	denied  []string // rules of --deny, which isn't applied either
	unknown string   // why what Grok does with these arguments isn't known, "" when it is
}

// permissionModes are the values of --permission-mode (grok --help).
var permissionModes = map[string]bool{
	"default": true, "acceptEdits": true, "auto": true, "dontAsk": true, "bypassPermissions": true, "plan": true,
}

// neutral are arguments that don't touch permissions (grok --help), and whether
// a value follows.
var neutral = map[string]bool{
	"--no-leader": false, "--debug": false, "--reauth": false, "--oauth": false, "--verbatim": false,
	"--debug-file": true, "--leader-socket": true, "-m": true, "--model": true,
	"--reasoning-effort": true, "--effort": true,
	"--xai-api-base-url": true, "--cli-chat-proxy-base-url": true,
}

// readArgv reads what follows the program's name. Over agent stdio
//   - --permission-mode works before agent, with default, auto and
//     bypassPermissions; acceptEdits, dontAsk and plan only do what default does;
//   - --always-approve (--yolo) works after agent, and not before it;
//   - --allow and --deny are taken and not applied.
func readArgv(argv []string) launch {
	var l launch
	agent, stdio := false, false
	for i := 0; i < len(argv) && l.unknown == ""; i++ {
		name, value, joined := strings.Cut(argv[i], "=")
		next := func() string {
			if joined {
				return value
			}
			if i+1 >= len(argv) {
				l.unknown = fmt.Sprintf("%s has no value", name)
				return ""
			}
			i++
			return argv[i]
		}
		takes, known := neutral[name]
		switch {
		case stdio:
			l.unknown = fmt.Sprintf("what %s after stdio does wasn't measured", argv[i])
		case argv[i] == "agent" && !agent:
			agent = true
		case argv[i] == "stdio" && agent:
			stdio = true
		case !agent && name == "--permission-mode":
			l.setFlag(next())
		case name == "--always-approve" && !joined, name == "--yolo" && !joined:
			if agent {
				l.always = true
			} else {
				l.ignored = append(l.ignored, argv[i]+" before agent")
			}
		case !agent && (name == "--allow" || name == "--deny" || name == "--allowedTools" || name == "--disallowedTools"):
			rule := next()
			l.ignored = append(l.ignored, name+" "+rule)
			if strings.HasPrefix(name, "--d") {
				l.denied = append(l.denied, rule)
			}
		case known && takes:
			next()
		case known && !joined:
		default:
			l.unknown = fmt.Sprintf("what %s does to permissions over agent stdio wasn't measured", argv[i])
		}
	}
	if l.unknown == "" && !stdio {
		l.unknown = "the arguments don't start agent stdio"
	}
	return l
}

func (l *launch) setFlag(mode string) {
	switch {
	case l.unknown != "":
	case !permissionModes[mode]:
		l.unknown = fmt.Sprintf("--permission-mode has no value %q", mode)
	case l.flag != "":
		l.unknown = "--permission-mode is given twice"
	default:
		l.flag = mode
	}
	if mode == "acceptEdits" || mode == "dontAsk" || mode == "plan" {
		l.ignored = append(l.ignored, "--permission-mode "+mode+" (it does what default does)")
	}
}
