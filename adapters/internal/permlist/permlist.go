// Package permlist owns the reading of permission rules that stand in lists by
// their effect, as Claude, Cursor and Grok have them in their settings files:
// texts such as Tool(pattern) under allow, ask and deny.
package permlist

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/policies"
)

// Entry is one rule with where it stands.
type Entry struct {
	lint.Ref
	List string // allow, ask or deny
	Text string
}

// Quote writes an entry as people read it.
func (e Entry) Quote() string { return fmt.Sprintf("%s %q", e.List, e.Text) }

// Find makes a finding about the entry. why goes on where the entry's name stops.
func (e Entry) Find(rule, why, instead string) []lint.Finding {
	return []lint.Finding{lint.At(rule, e.Ref, fmt.Sprintf("the rule %s %s", e.Quote(), why), instead)}
}

// Read takes the rules out of the permissions of a settings file, or of an object
// that is the permissions itself. lists are the effects that there are, others the
// further members that are known. What isn't a rule is a finding.
func Read(root *policies.Node, lists, others []string) ([]Entry, []lint.Finding) {
	var found []lint.Finding
	add := func(at lint.Ref, rule, message, instead string) {
		found = append(found, lint.At(rule, at, message, instead))
	}
	if root.Kind != policies.Mapping {
		add(lint.Ref{Source: root.Source}, "invalid", "the settings must be an object", "")
		return nil, found
	}
	permissions, pointer := root.Get("permissions"), "/permissions"
	if permissions == nil {
		permissions, pointer = root, ""
		if !slices.ContainsFunc(root.Fields, func(f policies.Field) bool { return slices.Contains(lists, f.Name) }) {
			add(lint.Ref{Source: root.Source}, "no-permissions", "the file has no permissions: there is nothing to judge", "write permissions, unless another file has them")
			return nil, found
		}
	}
	if permissions.Kind != policies.Mapping {
		add(lint.Ref{Source: permissions.Source, Pointer: pointer}, "invalid", "permissions must be an object", "")
		return nil, found
	}
	var out []Entry
	for _, f := range permissions.Fields {
		at := lint.Ref{Source: f.Source, Pointer: pointer + "/" + f.Name}
		switch {
		case !slices.Contains(lists, f.Name):
			if !slices.Contains(others, f.Name) && pointer != "" {
				instead := "write it under " + strings.Join(lists, ", ")
				if meant := lint.Near(f.Name, slices.Concat(lists, others)...); meant != "" {
					instead = "write " + meant
				}
				add(at, "inert-rule", fmt.Sprintf("%q is no part of the permissions: what stands there is never applied", f.Name), instead)
			}
		case f.Value.Kind != policies.Sequence:
			add(at, "invalid", f.Name+" must be a list of rules", "")
		default:
			for i, item := range f.Value.Items {
				ref := lint.Ref{Source: item.Source, Pointer: fmt.Sprintf("%s/%d", at.Pointer, i)}
				if item.Kind != policies.Scalar || !item.Quoted {
					add(ref, "invalid", "a rule is a text, such as Tool(pattern)", "")
					continue
				}
				out = append(out, Entry{ref, f.Name, item.Text})
			}
		}
	}
	return out, found
}
