package claude

import (
	"path"
	"regexp"
	"strings"
)

// safeVariables are set in front of a command without changing what an allow
// rule matches (measured on 2.1.332, 2026-11-30: these, of the 59 tried).
var safeVariables = set(`ANTHROPIC_API_KEY BLOCKSIZE BLOCK_SIZE CGO_ENABLED CHARSET CI CLICOLOR COLORTERM COLUMNS
	FORCE_COLOR GCC_COLORS GO111MODULE GOARCH GOEXPERIMENT GOOS GREP_COLOR GREP_COLORS LANG LANGUAGE LC_ALL LC_TIME
	LINES LSCOLORS LS_COLORS NODE_ENV NO_COLOR PYTEST_DEBUG PYTEST_DISABLE_PLUGIN_AUTOLOAD PYTHONDONTWRITEBYTECODE
	PYTHONUNBUFFERED RUST_BACKTRACE RUST_LOG TERM TIME_STYLE TZ`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Programs that run another one; allow rules look behind them when they are
// written like this.
var wrapper = regexp.MustCompile(`^(?:time|nohup|builtin|command(?: -p)?` +
	`|nice(?: -n -?\d+| -\d+)?` +
	`|stdbuf(?: -[ioe][LN0-9]+)+` +
	`|timeout(?: --?(?:foreground|preserve-status|verbose|v)| -[ks] ?\w+| --(?:kill-after|signal)=\w+)* \d+(?:\.\d+)?[smhd]?` +
	`)[ \t]+(?:-- )?(\S)`)

var assignment = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=([A-Za-z0-9_./:-]*)[ \t]+`)

// allowTexts are the texts of a command that an allow rule may match: as it is,
// and without harmless assignments and wrappers in front.
func allowTexts(text string) []string {
	out := []string{text}
	for {
		m := assignment.FindStringSubmatch(text)
		if m == nil || !safeVariables[m[1]] {
			break
		}
		text = text[len(m[0]):]
		out = append(out, text)
	}
	for {
		m := wrapper.FindStringSubmatchIndex(text)
		if m == nil || text[m[2]] == '-' {
			return out
		}
		text = text[m[2]:]
		out = append(out, text)
	}
}

// matchCommand compares a rule's content with one text of a command. A last
// " *" or ":*" is any further arguments or none, when it is the only *; otherwise
// a * is any text.
func matchCommand(content, text string) bool {
	if prefix, ok := strings.CutSuffix(content, ":*"); ok && !strings.Contains(prefix, "*") {
		return prefix != "" && (text == prefix || strings.HasPrefix(text, prefix+" "))
	}
	content = strings.TrimSpace(content)
	if prefix, ok := strings.CutSuffix(content, " *"); ok && !strings.Contains(prefix, "*") && text == prefix {
		return true
	}
	return star(content, text)
}

// runners start the program that follows them. Deny and ask rules look behind
// each, and behind every assignment.
var runners = set(`sudo doas env exec nohup time timeout command builtin nice stdbuf setsid watch ionice xargs
	strace script flock noglob nocorrect`)

// takesValue are the options of a runner whose value is the next word.
var takesValue = map[string]string{
	"nice": "-n", "timeout": "-s -k", "env": "-u -C", "ionice": "-c -n -p", "sudo": "-u -g -p -C -h -r -t -D",
	"exec": "-a", "watch": "-n", "doas": "-u -C",
}

// denyTexts are the texts of a command that a deny or ask rule may match; open
// are those that only a rule with a * matches, because xargs adds to them.
func denyTexts(p *part, version string) (texts, open []string) {
	words := p.words
	if len(words) > 0 && words[0].split || version == V197 && p.hidden {
		return nil, nil
	}
	texts = append(texts, p.text)
	into := &texts
	for len(words) > 0 && !words[0].split && words[0].named() {
		line := make([]string, len(words))
		for i, w := range words {
			line[i] = w.text
		}
		*into = append(*into, strings.Join(line, " "))
		if full := withoutUnknown(words); full != "" {
			*into = append(*into, full)
		}
		if version != V197 {
			line[0] = path.Base(line[0])
			*into = append(*into, strings.Join(line, " "))
		}
		if !runners[line[0]] {
			break
		}
		if line[0] == "xargs" {
			into = &open
		}
		words = behindRunner(line[0], words[1:])
	}
	return texts, open
}

// withoutUnknown is a command without the variables in it that may be empty, ""
// when it has none.
func withoutUnknown(words []word) string {
	var kept []string
	for _, w := range words {
		if !variable.MatchString(w.raw) || w.text != w.raw {
			kept = append(kept, w.text)
		}
	}
	if len(kept) == len(words) {
		return ""
	}
	return strings.Join(kept, " ")
}

var variable = regexp.MustCompile(`^\$\w+$`)

// behindRunner skips the options of a runner. An option of xargs hides the
// program from the rules.
func behindRunner(name string, words []word) []word {
	for len(words) > 0 {
		w := words[0].text
		switch {
		case name == "xargs" && strings.HasPrefix(w, "-"):
			return nil
		case strings.HasPrefix(w, "-"):
			words = words[1:]
			if strings.Contains(" "+takesValue[name]+" ", " "+w+" ") && len(words) > 0 {
				words = words[1:]
			}
		case name == "timeout" && duration.MatchString(w), name == "flock":
			words = words[1:]
			name = ""
		case strings.Contains(w, "=") && (name == "env" || name == "sudo"):
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}

var duration = regexp.MustCompile(`^\d+(\.\d+)?[smhd]?$`)
