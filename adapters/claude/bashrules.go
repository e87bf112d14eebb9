package claude

import (
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
// written like this, and so do deny and ask rules, which read -- before the program
// too.
const wrapperForms = `time|nohup|builtin|noglob|command(?:[ \t]+-p)?` +
	`|nice(?:[ \t]+-n[ \t]+-?\d+|[ \t]+-\d+)?` +
	`|stdbuf(?:[ \t]+-[ioe][LN0-9]+)+` +
	`|timeout(?:[ \t]+(?:--(?:foreground|preserve-status|verbose)|-v|-[ks][ \t]*[\w.+-]+|--(?:kill-after|signal)[= \t][\w.+-]+))*[ \t]+\d+(?:\.\d+)?[smhd]?`

var (
	wrapper      = regexp.MustCompile(`^(?:` + wrapperForms + `)[ \t]+(?:-- )?(\S)`)
	allowWrapper = regexp.MustCompile(`^(?:(?:command(?:[ \t]+-p)?|builtin)[ \t]+--|` + wrapperForms + `)[ \t]+(\S)`)
)

var assignment = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=([A-Za-z0-9_./:-]+)[ \t]+`)

// allowTexts are the texts of a command that an allow rule may match: as it is,
// and without harmless assignments and wrappers in front. Behind a bare xargs any
// rule with a * counts too (2.1.332 and 2.1.197, 2026-12-01).
func allowTexts(text string) (out, open []string) {
	defer func() {
		for _, t := range out {
			if added, ok := strings.CutPrefix(t, "xargs "); ok && !strings.HasPrefix(added, "-") {
				open = append(open, added)
			}
		}
	}()
	out = []string{text}
	for {
		m := assignment.FindStringSubmatch(text)
		if m == nil || !safeVariables[m[1]] {
			break
		}
		text = text[len(m[0]):]
		out = append(out, text)
	}
	for {
		m := allowWrapper.FindStringSubmatchIndex(text)
		if m == nil || text[m[2]] == '-' {
			return out, nil
		}
		text = text[m[2]:]
		out = append(out, text)
	}
}

// matchCommand compares a rule's content with one text of a command. A last
// " *" or ":*" is any further arguments or none, when it is the only *; otherwise
// a * is any text.
func matchCommand(content, text string) bool {
	if prefix, ok := strings.CutSuffix(content, ":*"); ok { // in which a * is nothing special
		return prefix != "" && (text == prefix || strings.HasPrefix(text, prefix+" "))
	}
	content = strings.TrimSpace(content)
	if prefix, ok := strings.CutSuffix(content, "*"); ok {
		if bare := strings.TrimRight(prefix, " \t"); bare != prefix { // however many blanks
			content = bare + " *"
		}
	}
	if prefix, ok := strings.CutSuffix(content, " *"); ok && !strings.Contains(prefix, "*") && text == prefix {
		return true
	}
	return star(content, text)
}
