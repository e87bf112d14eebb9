package claude

import (
	"fmt"

	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/policies"
)

// permissionKeys are the members of permissions that hold no rules.
var permissionKeys = []string{
	"defaultMode", "additionalDirectories", "disableBypassPermissionsMode", "disableAutoMode", "denyInsteadOfPrompting",
	"blockReadsOutsideWorkingDirectories", "blockWritesOutsideWorkingDirectories",
}

// bearingKeys are keys of a settings file that bear on permissions.
var bearingKeys = []string{"permissions", "hooks", "disableAllHooks", "allowManagedPermissionRulesOnly", "disableAutoMode", "sandbox", "policyHelper", "policyHelpers"}

// elsewhere are keys that people write at the top of a settings file, and where
// Claude reads what is meant.
var elsewhere = map[string]string{
	"allow": "permissions.allow", "ask": "permissions.ask", "deny": "permissions.deny",
	"allowedTools": "permissions.allow", "disallowedTools": "permissions.deny", "permissionMode": "permissions.defaultMode",
}

// ignoredKeys finds keys of a settings file that were to bear on permissions and
// that Claude passes over: nobody is told, and the rest of the file stays in force
// (measured on 2.1.332 and 2.1.197).
func ignoredKeys(root *policies.Node) []lint.Finding {
	var out []lint.Finding
	for _, f := range root.AllFields() {
		meant := elsewhere[f.Name]
		switch {
		case known(f.Name):
			continue
		case meant != "":
		case lint.Near(f.Name, permissionKeys...) != "" && lint.Near(f.Name, bearingKeys...) == "":
			meant = "permissions." + lint.Near(f.Name, permissionKeys...)
		default:
			meant = lint.Near(f.Name, bearingKeys...)
		}
		if meant == "" {
			continue
		}
		at := lint.Ref{Source: f.Source, Pointer: filetree.Pointer("", f.Name)}
		out = append(out, lint.At("ignored-key", at,
			fmt.Sprintf("Claude doesn't read %q here, and says nothing: what stands there is never in force", f.Name), "write "+meant))
	}
	return out
}

// known reports whether Claude reads a key at the top of a settings file.
func known(name string) bool {
	if idleKeys[name] {
		return true
	}
	for _, k := range append([]string{"model", "agent", "env", "enabledPlugins", "appendPlugins", "prependPlugins"}, bearingKeys...) {
		if k == name {
			return true
		}
	}
	return false
}
