package cursor

import "strings"

// The session modes of cursor-agent: plan blocks edits and not the shell; ask is
// read-only questions and answers (documented).
const (
	agentMode = "agent"
	planMode  = "plan"
	askMode   = "ask"
)

// choose returns the advertised mode that the aliases name: first by id or name,
// then by any part of what is said of a mode; each time in the order of the
// aliases. false: none is named, and the session keeps its mode.
func choose(aliases []string, modes []mode) (mode, bool) {
	exact := func(m mode, alias string) bool { return plain(m.ID) == alias || plain(m.Name) == alias }
	within := func(m mode, alias string) bool {
		return strings.Contains(plain(m.ID+" "+m.Name+" "+m.Description), alias)
	}
	for _, match := range []func(mode, string) bool{exact, within} {
		for _, alias := range aliases {
			if alias = plain(alias); alias == "" {
				continue
			}
			for _, m := range modes {
				if match(m, alias) {
					return m, true
				}
			}
		}
	}
	return mode{}, false
}

// plain lowers a text and makes every run of other characters one space.
func plain(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, " ")
}
