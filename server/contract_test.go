package server_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/modegate/modegate/server"
)

func TestTheContractIsOpenAPI31(t *testing.T) {
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	if !doc.IsOpenAPI31OrLater() {
		t.Errorf("it is %s", doc.OpenAPI)
	}
	got := ask(t, example(t), "GET", "/openapi.json", "", "Authorization", "")
	if got.status != 200 || got.body != string(server.OpenAPI()) {
		t.Errorf("/openapi.json answers %d with other text", got.status)
	}
}

// The table of routes, what Gin routes and the contract's paths are the same,
// scopes included.
func TestRoutesAreInTheContract(t *testing.T) {
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	var listed, routed, described [][2]string
	template := regexp.MustCompile(`[:*]([a-z]+)`)
	for _, r := range server.Routes() {
		listed = append(listed, [2]string{r.Method, r.Path})
		path := template.ReplaceAllString(r.Path, "{$1}")
		item := doc.Paths.Value(path)
		if item == nil || item.GetOperation(r.Method) == nil {
			t.Errorf("%s %s isn't in the contract", r.Method, path)
			continue
		}
		described = append(described, [2]string{r.Method, path})
		op := item.GetOperation(r.Method)
		var scopes []string
		if raw, ok := op.Extensions["x-scopes"]; ok {
			text, err := json.Marshal(raw)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &scopes); err != nil {
				t.Fatal(err)
			}
		}
		var want []string
		for _, s := range r.Scopes {
			want = append(want, string(s))
		}
		if !slices.Equal(scopes, want) {
			t.Errorf("%s %s: the contract says scopes %v, the table %v", r.Method, path, scopes, want)
		}
		if open := op.Security != nil && len(*op.Security) == 0; open != r.Public {
			t.Errorf("%s %s: the contract says public %v, the table %v", r.Method, path, open, r.Public)
		}
	}
	routed = example(t).Engine()
	byText := func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) }
	slices.SortFunc(listed, byText)
	slices.SortFunc(routed, byText)
	if !slices.Equal(listed, routed) {
		t.Errorf("listed %v, routed %v", listed, routed)
	}
	n := 0
	for _, item := range doc.Paths.Map() {
		n += len(item.Operations())
	}
	if n != len(described) {
		t.Errorf("the contract has %d operations, the table %d", n, len(described))
	}
}
