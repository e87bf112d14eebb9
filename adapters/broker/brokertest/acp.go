package brokertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modegate/modegate/adapters/broker"
)

// Option is one option of an ACP permission request.
type Option struct{ ID, Kind string }

// Permission is an ACP permission request for a command.
func Permission(t testing.TB, tr broker.Translator, command string, options ...Option) broker.Request {
	t.Helper()
	var list []string
	for _, o := range options {
		list = append(list, fmt.Sprintf(`{"optionId":%q,"name":"n","kind":%q}`, o.ID, o.Kind))
	}
	r, err := tr.Request([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"execute","rawInput":{"command":%q}},"options":[%s]}}`, command, strings.Join(list, ","))))
	if err != nil {
		t.Fatal(err)
	}
	Holds(t, tr, r)
	return r
}

// Say is what a decision comes to in short: the chosen option's id, "cancelled"
// or "not offered", and "keeps" where the session keeps grants.
func Say(tr broker.Translator, r broker.Request, d broker.Decision) string {
	ops, err := tr.Operations(r, broker.Answer{Decision: d})
	if err != nil {
		return "not offered"
	}
	out := strings.NewReplacer(`{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"`, "", `{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"`, "", `"}}}`, "").Replace(string(ops[0].Arguments))
	for _, op := range ops[1:] {
		if op.Call == broker.KeepGrants {
			out += " keeps " + string(op.Arguments)
		}
	}
	return out
}

// ACPReplies holds the table of permission replies, which ACP's agents share,
// typed by hand: accept, acceptForSession, acceptAlways, decline, cancel.
func ACPReplies(t *testing.T, tr broker.Translator) {
	const none, gone = "not offered", "cancelled"
	once, always := Option{"a1", "allow_once"}, Option{"a2", "allow_always"}
	no, never := Option{"r1", "reject_once"}, Option{"r2", "reject_always"}
	keeps := ` keeps [{"action":"execute","resource":"go test"}]`
	for _, c := range []struct {
		name    string
		options []Option
		want    [5]string
	}{
		{"all four", []Option{always, once, no, never}, [5]string{"a1", "a1" + keeps, none, "r1", gone}},
		{"OP-01", []Option{once, no}, [5]string{"a1", "a1" + keeps, none, "r1", gone}},
		{"OP-02", []Option{{"opt-7", "allow_once"}, {"opt-9", "reject_once"}}, [5]string{"opt-7", "opt-7" + keeps, none, "opt-9", gone}},
		{"OP-03", []Option{{"a", "allow_once"}, {"b", "reject_always"}, {"c", "reject_once"}}, [5]string{"a", "a" + keeps, none, "c", gone}},
		{"OP-06", []Option{always, never}, [5]string{none, none, none, "r2", gone}},
		{"no refusal", []Option{once}, [5]string{"a1", "a1" + keeps, none, none, gone}},
		{"other agents' ids", []Option{{"proceed_always", "allow_always"}, {"proceed_once", "allow_once"}, {"cancel", "reject_once"}}, [5]string{"proceed_once", "proceed_once" + keeps, none, "cancel", gone}},
		{"ids that lie", []Option{{"allow-once", "allow_always"}, {"reject-once", "allow_once"}}, [5]string{"reject-once", "reject-once" + keeps, none, none, gone}},
		{"no options", nil, [5]string{none, none, none, none, gone}},
		{"an empty id", []Option{{"", "allow_once"}, no}, [5]string{none, none, none, "r1", gone}},
	} {
		r := Permission(t, tr, "go test", c.options...)
		for i, d := range Decisions() {
			if got := Say(tr, r, d); got != c.want[i] {
				t.Errorf("%s, %s: %q, want %q", c.name, d, got, c.want[i])
			}
		}
		if _, ok := r.Offers(broker.Accept); !ok && !strings.Contains(r.Detail, "no option of kind allow_once") {
			t.Errorf("%s: the missing kind isn't reported: %s", c.name, r.Detail)
		}
	}
	// GR-17: a grant is for one text. Where the text would be a pattern there is none.
	for _, command := range []string{"rm *", "ls a?", `dir a\b`} {
		if got := Say(tr, Permission(t, tr, command, once), broker.AcceptForSession); got != none {
			t.Errorf("%s: %s", command, got)
		}
	}
}
