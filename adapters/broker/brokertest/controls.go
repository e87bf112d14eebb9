package brokertest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/modegate/modegate/adapters/broker"
)

// needed are the controls that a request needs.
func needed(r broker.Request) broker.Controls {
	out := broker.Controls{SessionGrant: broker.NoGrants, Questions: r.Shape == broker.Questioned}
	for _, o := range r.Offered {
		if r.Shape == broker.Approval {
			out.Decisions = append(out.Decisions, o.Decision)
		}
		if o.Decision == broker.AcceptForSession {
			out.SessionGrant = broker.ProviderGrants
			if len(o.Grants) > 0 {
				out.SessionGrant = broker.ServiceGrants
			}
		}
	}
	for _, q := range r.Questions {
		out.MultiSelect = out.MultiSelect || q.Multiple
		out.CustomAnswers = out.CustomAnswers || q.Custom
	}
	return out
}

// Controls holds what a Translator says of its controls against the requests
// that its provider is known to make: they need all of it, and nothing else.
func Controls(t testing.TB, tr broker.Translator, natives ...[]byte) {
	t.Helper()
	all := broker.Controls{SessionGrant: broker.NoGrants}
	for _, native := range natives {
		r, err := tr.Request(native)
		if err != nil {
			t.Fatalf("%v: %s", err, native)
		}
		one := needed(r)
		all.Decisions = append(all.Decisions, one.Decisions...)
		all.Questions = all.Questions || one.Questions
		all.MultiSelect = all.MultiSelect || one.MultiSelect
		all.CustomAnswers = all.CustomAnswers || one.CustomAnswers
		if one.SessionGrant != broker.NoGrants {
			if all.SessionGrant != broker.NoGrants && all.SessionGrant != one.SessionGrant {
				t.Errorf("grants are kept by %s and by %s", all.SessionGrant, one.SessionGrant)
			}
			all.SessionGrant = one.SessionGrant
		}
	}
	order := Decisions()
	slices.SortFunc(all.Decisions, func(a, b broker.Decision) int { return slices.Index(order, a) - slices.Index(order, b) })
	all.Decisions = slices.Compact(all.Decisions)
	said, ok := tr.(broker.Controlled)
	if !ok {
		t.Fatal("the Translator doesn't say its controls")
	}
	if d := cmp.Diff(all, said.Controls()); d != "" {
		t.Errorf("the controls that known requests need, and those that are said: %s", d)
	}
}

// within checks that a request needs no more than the Translator says.
func within(t testing.TB, tr broker.Translator, r broker.Request) {
	t.Helper()
	c, ok := tr.(broker.Controlled)
	if !ok {
		return
	}
	said, need := c.Controls(), needed(r)
	for _, d := range need.Decisions {
		if !slices.Contains(said.Decisions, d) {
			t.Errorf("the request offers %s, which isn't among the controls", d)
		}
	}
	if need.SessionGrant != broker.NoGrants && need.SessionGrant != said.SessionGrant ||
		need.Questions && !said.Questions || need.MultiSelect && !said.MultiSelect || need.CustomAnswers && !said.CustomAnswers {
		t.Errorf("the request needs %+v, the controls are %+v", need, said)
	}
}
