package cursor

import "testing"

// FuzzRead: settings, facts and requests of any form are refused or answered.
func FuzzRead(f *testing.F) {
	f.Add(`{"argv":["acp"],"modeAliases":["ask"],"callback":{"permission":"ask"}}`, `{"approvalMode":"allowlist","allow":["Shell(git:*)"],"deny":["Write(**)"]}`, `{"tool":"Shell","input":{"command":"git push && ls"}}`)
	f.Add(`{"argv":["--mode"],"modeAliases":[""],"callback":{"permission":"allow"}}`, `{"modes":[]}`, `{"tool":"Mcp","input":{"server":"a","tool":"b"}}`)
	f.Fuzz(func(t *testing.T, native, rawFacts, raw string) {
		n, err := decode([]byte(native))
		if err != nil {
			return
		}
		if again, err := n.encode(); err != nil {
			t.Fatal(err)
		} else if _, err := decode(again); err != nil {
			t.Errorf("%s doesn't come back: %v", again, err)
		}
		facts, _, err := readFacts([]byte(rawFacts))
		if err != nil {
			return
		}
		r, err := readRequest([]byte(raw))
		if err != nil {
			return
		}
		m := &meaning{native: n, launch: readArgv(n.Argv), facts: facts, allow: readTokens(facts.Allow, allowLayer), deny: readTokens(facts.Deny, denyLayer)}
		if chosen, ok := choose(n.ModeAliases, facts.Modes); ok {
			m.mode = chosen.ID
		}
		if a := m.engine(r); a.reason == "" {
			t.Errorf("%s: no reason", raw)
		}
	})
}

// FuzzMatch: what covers a whole line also speaks of each of its commands.
func FuzzMatch(f *testing.F) {
	f.Add("Shell(cd)", "cd x && cd y")
	f.Add("Shell(git:push*)", "git push $(x)")
	f.Fuzz(func(t *testing.T, text, line string) {
		if len(text) > 200 || len(line) > 500 {
			return
		}
		tokens := readTokens([]string{text}, allowLayer)
		r := request{shellTool, input{Command: line}}
		if _, ok := allowed(tokens, r, "/w"); ok && !tokens[0].matches(r, "/w") {
			t.Errorf("%s covers %q and doesn't match it", text, line)
		}
	})
}
