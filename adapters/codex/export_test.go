package codex

// SplitScripts are the scripts of TestSplitScript.
func SplitScripts() []string {
	var out []string
	for _, c := range splitScripts {
		out = append(out, c.script)
	}
	return out
}

// Units are the argvs that the rules are asked about for a script.
func Units(shell, script string) [][]string {
	var out [][]string
	for _, u := range splitScript(unit{shell, "-lc", script}).Units {
		out = append(out, u)
	}
	return out
}

// Intercepted reports whether a script is a patch.
func Intercepted(script string) bool {
	_, err := patchPaths(script)
	_, _, ok := interceptPatch(script)
	return ok || err == nil
}
