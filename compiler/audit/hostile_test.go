package audit_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/net/html"

	"github.com/modegate/modegate/compiler/audit"
	"github.com/modegate/modegate/compiler/diff"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/sarif/sariftest"
)

// hostile is a policy whose texts would break out of every form.
const hostile = `rules:
  - {id: evil, kind: web-search, match: "<script>alert(1)</script>|x*", effect: deny}
  - {id: paths, kind: file-change, match: "a|b\"` + "`" + `'><img src=x onerror=alert(1)>/**", effect: deny}
  - {id: url, kind: web-fetch, match: "javascript:alert(1)//[x](javascript:alert(2))*", effect: ask}
acknowledge:
  - {gap: opencode2.web-search.evil, reason: "<script>alert(2)</script> | ` + "`x`" + ` \\| </style></td> [x](javascript:alert(3))\n\n# heading @everyone"}
  - {gap: codex.file-change.paths, reason: "\u202e<b>turned</b> | \\"}
  - {invariant: opencode2.example, reason: "</script><svg onload=alert(4)> ![x](https://example.test/x.png)"}
`

func hostileReport(t *testing.T) *audit.Report {
	p := parse(t, hostile)
	o := options()
	o.Env.Workspace = "/w</title><script>alert(5)</script>"
	old, err := diff.OfPolicy(t.Context(), "old<script>.yaml", load(t, "builtin/t3code"), diff.Options{
		Dialects: o.Dialects, Modes: evaluator.Modes(), Interactions: evaluator.Interactions(), Env: audit.SessionOf(o.Env),
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Since = old
	r := build(t, p, o)
	if len(r.Changes.Changes) == 0 {
		t.Fatal("nothing changed")
	}
	return r
}

// mayHave are the elements and attributes of the page: none of them runs or loads
// anything.
var mayHave = map[string][]string{
	"html": {"lang"}, "head": nil, "meta": {"charset", "http-equiv", "content", "name"}, "title": nil, "style": nil, "body": nil,
	"a": {"class", "href", "title"}, "header": nil, "nav": {"aria-label"}, "main": nil, "footer": nil, "section": {"aria-labelledby"}, "article": {"id", "class"},
	"div": {"class", "role", "aria-label", "tabindex", "id"}, "h1": nil, "h2": {"id"}, "h3": nil, "p": nil, "pre": nil, "code": nil, "small": nil,
	"span": {"class"}, "ul": nil, "li": nil, "dl": nil, "dt": nil, "dd": nil,
	"table": nil, "caption": nil, "thead": nil, "tbody": nil, "tr": {"id"}, "th": {"scope"}, "td": {"colspan"},
}

// TestPageIsInert parses the page of a hostile policy as a browser does.
func TestPageIsInert(t *testing.T) {
	text := written(t, hostileReport(t), "html")
	for _, shown := range []string{"alert(1)", "alert(2)", "alert(3)", "alert(4)", "alert(5)"} {
		if !strings.Contains(text, shown) {
			t.Errorf("the page doesn't show %s: nothing was put to the test", shown)
		}
	}
	if strings.ContainsRune(text, '\u202e') {
		t.Error("a character that turns text around is in the page")
	}
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	ids, links := map[string]int{}, map[string]bool{}
	for n := range doc.Descendants() {
		if n.Type == html.CommentNode {
			t.Errorf("a comment: %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		attributes, ok := mayHave[n.Data]
		if !ok {
			t.Errorf("an element %s", n.Data)
		}
		for _, a := range n.Attr {
			if !slices.Contains(attributes, a.Key) {
				t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
			}
			switch a.Key {
			case "id":
				ids[a.Val]++
			case "aria-labelledby":
				links[a.Val] = true
			case "href":
				target, ok := strings.CutPrefix(a.Val, "#")
				if !ok {
					t.Errorf("a link to %q", a.Val)
				}
				links[target] = true
			}
		}
		if n.Data == "table" {
			checkTable(t, n)
		}
	}
	for id, n := range ids {
		if n > 1 || strings.ContainsAny(id, " <>\"'%") {
			t.Errorf("the id %q stands there %d times", id, n)
		}
	}
	for target := range links {
		if ids[target] == 0 {
			t.Errorf("a link to %q, which isn't there", target)
		}
	}
}

// checkTable: a table says what it is of, and its heads what they head.
func checkTable(t *testing.T, table *html.Node) {
	t.Helper()
	captions, rows := 0, 0
	for n := range table.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "caption":
			captions++
		case n.Data == "tr":
			rows++
		case n.Data == "th" && !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "scope" && (a.Val == "col" || a.Val == "row") }):
			t.Error("a head without a scope")
		}
	}
	if captions != 1 || rows < 2 {
		t.Errorf("a table with %d captions and %d rows", captions, rows)
	}
}

var unescapedPipe = regexp.MustCompile(`\|`)

// TestMarkdownTablesHold: every row of a table has as many cells as its head, and no
// text from the policy is markup.
func TestMarkdownTablesHold(t *testing.T) {
	text := written(t, hostileReport(t), "markdown")
	want, tables := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			want = 0
			continue
		}
		got := len(unescapedPipe.FindAllString(line, -1))
		if want == 0 {
			want = got
			tables++
		}
		if got != want {
			t.Errorf("%d pipes, and the head has %d: %s", got, want, line)
		}
	}
	if tables < 10 {
		t.Errorf("%d tables", tables)
	}
	for _, tag := range regexp.MustCompile(`<[^>]*>`).FindAllString(text, -1) {
		if !regexp.MustCompile(`^<(/?code|br|a id="[a-z0-9./_-]+"|/a)>$`).MatchString(tag) {
			t.Errorf("a tag %q", tag)
		}
	}
	for _, link := range regexp.MustCompile(`[^\\]\]\(([^)]*)\)`).FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(link[1], "#") {
			t.Errorf("a link to %q", link[1])
		}
	}
	for _, bad := range []string{"\n# heading", "@everyone", "https://example.test/x.png", "\u202e"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

// TestSARIF holds the findings to the standard's own schema.
func TestSARIF(t *testing.T) {
	schema := sariftest.Schema(t)
	for name, r := range map[string]*audit.Report{"t3code": build(t, load(t, "builtin/t3code"), options()), "hostile": hostileReport(t)} {
		text := written(t, r, "sarif")
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var log struct {
			Runs []struct {
				Tool struct {
					Driver struct{ Rules []struct{ ID string } }
				}
				Results []struct {
					RuleID       string
					RuleIndex    int
					Suppressions []struct{ Justification string }
					Fingerprints map[string]string `json:"partialFingerprints"`
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &log); err != nil {
			t.Fatal(err)
		}
		if len(log.Runs[0].Results) != len(r.Findings) {
			t.Fatalf("%s: %d results of %d findings", name, len(log.Runs[0].Results), len(r.Findings))
		}
		for i, one := range log.Runs[0].Results {
			f := r.Findings[i]
			if log.Runs[0].Tool.Driver.Rules[one.RuleIndex].ID != f.Kind || one.RuleID != f.Kind || one.Fingerprints["modegateFinding/v1"] != f.ID ||
				(len(one.Suppressions) > 0) != (f.Acknowledged != nil) {
				t.Errorf("%s: %+v", f.ID, one)
			}
		}
	}
}
