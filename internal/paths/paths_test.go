package paths

import "testing"

func TestPaths(t *testing.T) {
	for _, c := range []struct{ what, got, want string }{
		{"relative", Abs("/w", "a/../b"), "/w/b"},
		{"out", Abs("/w/x", "../../b"), "/b"},
		{"absolute", Abs("/w", "/b/./c"), "/b/c"},
		{"unknown home", Abs("/w", "<home>/c"), "<home>/c"},
		{"inside", Rel("/w", "/w/a/b"), "a/b"},
		{"itself", Rel("/w", "/w"), ""},
		{"outside", Rel("/w/x", "/etc/hosts"), "../../etc/hosts"},
		{"from root", Rel("/", "/etc/hosts"), "etc/hosts"},
		{"sibling", Rel("/w/app", "/w/application"), "../application"},
		{"home", Home("/h", "~/a"), "/h/a"},
		{"no home", Home("", "~"), "<home>"},
		{"other user", Home("/h", "~u/a"), "~u/a"},
		{"link", Resolve("/w", "v/new", map[string]string{"v": "/out"}), "/out/new"},
		{"longest link", Resolve("/w", "v/n/x", map[string]string{"v": "/out", "v/n": "/n"}), "/n/x"},
		{"chain", Resolve("/w", "a", map[string]string{"a": "b", "b": "/c"}), "/c"},
		{"no link", Resolve("/w", "a", nil), "/w/a"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
	for _, c := range []struct {
		folder, p string
		want      bool
	}{
		{"/w", "/w", true}, {"/w", "/w/a", true}, {"/w", "/wa", false}, {"/", "/x", true}, {"<workspace>", "<workspace>/a", true},
	} {
		if got := Within(c.folder, c.p); got != c.want {
			t.Errorf("Within(%q, %q) = %v", c.folder, c.p, got)
		}
	}
	if loop := Resolve("/w", "a", map[string]string{"a": "b", "b": "a"}); loop == "" {
		t.Error("a loop of links has no place")
	}
}
