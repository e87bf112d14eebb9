package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Launchers are programs that run whatever they are told to: who allows one of
// them with any arguments allows everything.

// shells run the text of -c, a file, or what is piped into them.
var shells = set("sh bash zsh dash ksh fish ash busybox pwsh")

// interpreters run code that stands in their arguments, or a file.
var interpreters = map[string]string{
	"python": "-c", "python2": "-c", "python3": "-c", "node": "-e", "deno": "eval", "bun": "-e", "perl": "-e", "ruby": "-e",
	"php": "-r", "lua": "-e", "osascript": "-e", "Rscript": "-e", "tclsh": "", "expect": "-c",
}

// runners run the program that stands in their arguments, behind options of their
// own and, for some, words that aren't a program.
var runners = set(`env xargs nohup nice ionice time timeout stdbuf setsid watch strace ltrace command exec builtin eval sudo doas su
	runuser chroot unshare nsenter parallel flock taskset script caffeinate entr firejail systemd-run ssh`)

// fetchers fetch a package and run its program, by the words that do so.
var fetchers = []string{
	"npx", "bunx", "uvx", "pnpx", "npm exec", "npm x", "pnpm dlx", "pnpm exec", "yarn dlx", "yarn exec", "bun x", "pipx run", "uv run", "uv tool run", "deno run",
}

// Launcher says how a command pattern lets any program run, "" when it doesn't.
// words are those before the wildcard; open says that any further words may
// follow.
func Launcher(words []string, open bool) string {
	if len(words) == 0 {
		return ""
	}
	name := path.Base(words[0])
	switch {
	case shells[name]:
		return shellLauncher(name, words[1:], open)
	case name == "find" && open:
		return "find runs any program with -exec, and removes files with -delete"
	case (name == "awk" || name == "gawk" || name == "mawk") && open && len(words) == 1:
		return name + " runs any program with system()"
	case open && fetches(words):
		return fmt.Sprintf("%s fetches any package and runs its program", strings.Join(words, " "))
	case runners[name]:
		return runnerLauncher(name, words[1:], open)
	}
	if flag, ok := interpreters[name]; ok && open && interprets(words[1:], flag) {
		return fmt.Sprintf("%s runs any code that stands in its arguments", name)
	}
	return ""
}

func shellLauncher(name string, args []string, open bool) string {
	switch {
	case len(args) == 0 && !open:
		return name + " runs whatever is piped into it"
	case !open:
		return ""
	case len(args) == 0, strings.HasPrefix(args[0], "-"):
		return name + " runs any command text"
	}
	return "" // a script by its name
}

// valued are the options of runners whose value is the next word.
var valued = map[string]string{
	"sudo": "-u -g -C -h -p -r -t -D -R -T -U", "doas": "-u -C", "su": "-s -g", "runuser": "-u -g", "env": "-u -C",
	"nice": "-n", "ionice": "-c -n", "timeout": "-s -k", "xargs": "-I -n -P -L -d -E -s -a", "exec": "-a", "watch": "-n",
	"strace": "-o -e -E", "ltrace": "-o -e", "stdbuf": "-i -o -e", "flock": "-w -E", "ssh": "-i -l -p -o -F -J", "parallel": "-j -a",
}

// firstElse are the runners whose first word isn't a program: a file, a folder, a host,
// a set of processors.
var firstElse = set("flock chroot ssh taskset")

// runnerLauncher looks behind a runner's options for a program.
func runnerLauncher(name string, args []string, open bool) string {
	skip := firstElse[name]
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case strings.HasPrefix(w, "-"):
			if slices.Contains(strings.Fields(valued[name]), w) {
				i++
			}
		case strings.Contains(w, "="), strings.Trim(w, "0123456789.smhd") == "": // an assignment, a time
		case skip:
			skip = false
		default:
			return Launcher(args[i:], open) // a program by its name, perhaps a launcher itself
		}
	}
	if !open {
		return ""
	}
	return name + " runs any program that stands in its arguments"
}

func fetches(words []string) bool {
	text := strings.Join(words, " ")
	for _, f := range fetchers {
		if text == f || strings.HasPrefix(text, f+" -") {
			return true
		}
	}
	return false
}

// interprets reports whether code may follow an interpreter's arguments.
func interprets(args []string, flag string) bool {
	for _, w := range args {
		switch {
		case w == "-m" || !strings.HasPrefix(w, "-") && w != flag:
			return false // a module or a file by its name
		case w == flag:
			return true
		}
	}
	return true
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// LauncherInstead is the advice about a launcher.
const LauncherInstead = "allow the programs that it is to run, each by its own name"
