package claude

import "strings"

// documentationHosts are fetched unasked in every mode (measured on 2.1.332,
// 2026-11-30).
var documentationHosts = set(`docs.python.org`)

// documentation reports whether Claude fetches from a host unasked.
func documentation(host, path string) bool {
	return documentationHosts[host] || documentationPaths[host] != "" && strings.HasPrefix(path, documentationPaths[host])
}

// documentationPaths are hosts of which only a part is fetched unasked.
var documentationPaths = map[string]string{}
