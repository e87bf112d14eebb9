package server_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/modegate/modegate/adapters"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/server"
)

// TestMain runs where the transcripts are, so that their places are short.
func TestMain(m *testing.M) {
	if dir := os.Getenv(serveFolder); dir != "" {
		os.Exit(serveForTests(dir))
	}
	// A fuzzing process begins where the one that started it had gone.
	if _, err := os.Stat(examplePolicy); err != nil {
		if err := os.Chdir("../testdata/http"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// The tokens of the tests, by scope.
var tokens = map[server.Scope]string{
	server.ReadScope: "token-read", server.AdapterScope: "token-adapter", server.ApproveScope: "token-approve", server.AdminScope: "token-admin",
}

const examplePolicy = "policy.yaml"

func access() *server.Access {
	a := &server.Access{Loopback: true}
	for scope, token := range tokens {
		a.Add(token, "the "+string(scope), scope)
	}
	return a
}

// config serves the policies, or the transcripts' one.
func config(policies ...string) server.Config {
	if len(policies) == 0 {
		policies = []string{examplePolicy}
	}
	return server.Config{
		Dialects: adapters.Table(),
		Proofs: func(compiler.Dialect, string) []evaluator.Proof {
			return []evaluator.Proof{{Claim: "rule semantics", Status: evaluator.Verified, By: "an example", Date: "2026-11-30"}}
		},
		Policies: policies,
		Access:   access(),
		Log:      slog.New(slog.DiscardHandler),
	}
}

func start(t testing.TB, cfg server.Config) *server.Server {
	t.Helper()
	s, err := server.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shared is a server that no test changes.
var shared = sync.OnceValues(func() (*server.Server, error) { return server.New(config()) })

func example(t testing.TB) *server.Server {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reply is an answer that the contract has been held against.
type reply struct {
	status int
	header http.Header
	body   string
}

// into decodes the answer's body.
func into[T any](t testing.TB, r reply) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), &v, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
	return v
}

// problem is what tests look at in problem details.
type problem struct {
	Type, Title, Detail, RequestID string
	Status                         int
	Errors                         []struct {
		Pointer, File, Message string
		Line, Column           int
	}
}

// request makes a request of the admin's. Headers are name and value in turn;
// a Host replaces the usual one, an empty value removes a header.
func request(method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:7420"
	r.Header.Set("Authorization", "Bearer "+tokens[server.AdminScope])
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			r.Host = headers[i+1]
		case headers[i+1] == "":
			r.Header.Del(headers[i])
		default:
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return r
}

func ask(t testing.TB, s *server.Server, method, path, body string, headers ...string) reply {
	t.Helper()
	return do(t, s, request(method, path, body, headers...))
}

// do sends a request and holds the answer against the contract.
func do(t testing.TB, s *server.Server, r *http.Request) reply {
	t.Helper()
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	out := reply{w.Code, w.Header(), w.Body.String()}
	checkContract(t, r, out)
	return out
}

// contract is the document that answers are held against.
var contract = sync.OnceValues(func() (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(server.OpenAPI())
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(context.Background())
})

// operation finds what the document says of a request, nil where it has no path.
func operation(doc *openapi3.T, method, path string) *openapi3.Operation {
	for template, item := range doc.Paths.Map() {
		pattern := "^" + regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(regexp.QuoteMeta(template), "[^/]+") + "$"
		if regexp.MustCompile(pattern).MatchString(path) {
			if op := item.GetOperation(method); op != nil {
				return op
			}
		}
	}
	return nil
}

func checkContract(t testing.TB, r *http.Request, got reply) {
	t.Helper()
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	response := doc.Components.Responses["Problem"].Value
	if op := operation(doc, r.Method, r.URL.Path); op != nil {
		if found := op.Responses.Status(got.status); found != nil {
			response = found.Value
		} else if got.status < 400 {
			t.Errorf("%s %s: the contract has no status %d", r.Method, r.URL.Path, got.status)
		}
	}
	for name, h := range response.Headers {
		value := got.header.Get(name)
		if h.Value.Required && value == "" {
			t.Errorf("%s %s %d: no header %s", r.Method, r.URL.Path, got.status, name)
		}
		if err := h.Value.Schema.Value.VisitJSON(value, openapi3.EnableJSONSchema2020()); value != "" && err != nil {
			t.Errorf("%s %s %d: header %s: %v", r.Method, r.URL.Path, got.status, name, err)
		}
	}
	if len(response.Content) == 0 {
		return
	}
	kind, _, err := mime.ParseMediaType(got.header.Get("Content-Type"))
	media := response.Content[kind]
	if err != nil || media == nil {
		t.Errorf("%s %s %d: Content-Type %q isn't in the contract", r.Method, r.URL.Path, got.status, got.header.Get("Content-Type"))
		return
	}
	if !strings.HasSuffix(kind, "json") {
		return
	}
	var value any
	if err := json.Unmarshal([]byte(got.body), &value); err != nil {
		t.Errorf("%s %s %d: %v in %s", r.Method, r.URL.Path, got.status, err, got.body)
		return
	}
	if err := media.Schema.Value.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
		t.Errorf("%s %s %d isn't what the contract says: %v\n%s", r.Method, r.URL.Path, got.status, err, got.body)
	}
}

// folder writes policy files to a new folder.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	return dir
}

// put replaces a file in one step.
func put(t testing.TB, path, text string) {
	t.Helper()
	next := path + ".next"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
}

// readExample is the transcripts' policy with a text replaced.
func readExample(t testing.TB, replacements ...string) string {
	t.Helper()
	data, err := os.ReadFile(examplePolicy)
	if err != nil {
		t.Fatal(err)
	}
	if len(replacements) > 0 && !bytes.Contains(data, []byte(replacements[0])) {
		t.Fatalf("the policy has no %q", replacements[0])
	}
	return strings.NewReplacer(replacements...).Replace(string(data))
}

// logged collects a log.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

var _ io.Writer = (*logged)(nil)

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
