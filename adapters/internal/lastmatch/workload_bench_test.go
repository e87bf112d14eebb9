package lastmatch

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/modegate/modegate/evaluator"
)

// request is what one decision is asked about.
type request struct{ action, resource string }

// workload is a rule list and requests, sorted by where a scan from the last
// rule to the first meets the deciding one.
type workload struct {
	rules []Rule
	early []request // the last tenth of the rules decides
	late  []request // only a catch-all at the start decides: a scan compares everything
	none  []request // no rule matches
	mixed []request // a quarter each of these three and of hits between, in turn
}

// perClass is how many different requests each class has.
const perClass = 240

var (
	programs = []string{"git", "npm", "go", "docker", "kubectl", "cargo", "make", "gh", "aws", "terraform", "pnpm", "python", "rm", "curl", "ls", "cat"}
	verbs    = []string{"push", "status", "run", "test", "build", "apply", "get", "delete", "log", "exec", "install", "diff", "config", "publish"}
	folders  = []string{"src", "internal", "docs", "web/app", "packages/core", "deploy", "scripts", "/etc", "/home/dev/.ssh", "/var/lib"}
	endings  = []string{".env", ".pem", ".key", ".go", ".ts", ".md", ".lock", ".tfstate", ".sql", ".json"}
	mcp      = []string{"github", "linear", "postgres", "sentry", "slack", "figma"}
)

// source makes names that repeat now and then, as names in real lists do.
type source struct {
	*rand.Rand
	names int
}

func (s source) of(list []string) string { return list[s.IntN(len(list))] }

func (s source) name() string {
	return fmt.Sprintf("%s-%d", []string{"api", "billing", "auth", "search", "mailer", "ledger"}[s.IntN(6)], s.IntN(s.names))
}

func (s source) command() string { return s.of(programs) + " " + s.of(verbs) }

func (s source) path() string { return s.of(folders) + "/" + s.name() }

// rule draws one rule as people write them: 30 % literal commands, 25 % commands
// with any arguments, 15 % folders, 10 % endings, 13 % patterns with several
// stars, some with `?`, 4 % rules on every action, 3 % MCP tools.
func (s source) rule() Rule {
	r := Rule{Effect: []evaluator.Effect{evaluator.Allow, evaluator.Ask, evaluator.Deny}[s.IntN(3)]}
	file := s.of([]string{"edit", "read", "edit", "read", "external_directory"})
	switch p := s.IntN(100); {
	case p < 30:
		r.Action, r.Resource = "shell", s.command()+" "+s.name()
	case p < 55:
		r.Action, r.Resource = "shell", s.command()+" "+s.name()+" *"
	case p < 70:
		r.Action, r.Resource = file, s.path()+"/*"
	case p < 80:
		r.Action, r.Resource = file, s.of([]string{"*/", "*"})+s.name()+s.of(endings)
	case p < 93:
		r.Action, r.Resource = s.general(file)
	case p < 97:
		r.Action, r.Resource = "*", s.of([]string{"*/" + s.name() + s.of(endings), s.path() + "/*", s.path()})
	default:
		r.Action, r.Resource = s.of([]string{"mcp_" + s.of(mcp) + "_*", "mcp_*"}), s.name()+"*"
	}
	return r
}

func (s source) general(file string) (action, resource string) {
	switch s.IntN(8) {
	case 0, 1:
		return "shell", s.command() + " * --" + s.name() + "*"
	case 2:
		return "shell", s.of(programs) + " * " + s.name() + " *"
	case 3:
		return "shell", "* | " + s.of(programs) + " " + s.name() + "*"
	case 4, 5:
		return file, s.path() + "/**/*" + s.of([]string{"_test", ".gen", ""}) + s.of(endings)
	case 6:
		return file, "*/" + s.name() + "/*"
	}
	version := "/v?/*"
	if s.names < 100 { // short lists have no `?`: Cedar, which they are compared with, has none
		version = "/v2/*"
	}
	return file, s.path() + version + s.of(endings)
}

// fill makes a text that the pattern matches.
func (s source) fill(pattern string) string {
	if s.IntN(3) == 0 {
		pattern = strings.TrimSuffix(pattern, " *")
	}
	for strings.Contains(pattern, "*") {
		pattern = strings.Replace(pattern, "*", s.of([]string{"origin main", "a/b/c", "--all", "x", "handlers/users"}), 1)
	}
	return strings.ReplaceAll(pattern, "?", "2")
}

// stray makes a request about things that no rule names, though half of them look
// like those that rules do.
func (s source) stray() request {
	name := s.of([]string{"gateway", "reports", "invoices", "worker"}) + "-" + s.of([]string{"canary", "eu", "v2", "old"})
	switch s.IntN(8) {
	case 0, 1:
		return request{"shell", s.of([]string{"rg -n TODO ", "sed -n 1,120p ", "ls -la ", "go test ./", "cat "}) + s.of(folders) + "/" + name}
	case 2:
		return request{"edit", "lib/" + name + "/handlers/users.go"}
	case 3:
		return request{"webfetch", "https://example.org/" + name}
	case 4:
		return request{"read", s.of(folders) + "/" + name + "/handlers/" + name + ".go"}
	case 5:
		return request{"external_directory", "/opt/" + name + "/*"}
	}
	return request{"shell", s.command() + " " + name + " --verbose origin"}
}

// concrete makes an action that the pattern matches.
func (s source) concrete(pattern string) string {
	if pattern == "*" {
		return s.of([]string{"shell", "edit", "read"})
	}
	return strings.Replace(pattern, "*", "github_create_issue", 1)
}

// catchAlls is how many rules, one for shell and one for edit, every list starts
// with. Requests for other actions may hit none.
const catchAlls = 2

// newWorkload draws n rules and the requests.
func newWorkload(n int) workload {
	s := source{Rand: rand.New(rand.NewPCG(1, uint64(n))), names: max(n/4, 10)}
	w := workload{rules: []Rule{{"shell", "*", evaluator.Ask}, {"edit", "*", evaluator.Ask}}}
	for len(w.rules) < n {
		w.rules = append(w.rules, s.rule())
	}
	index := NewIndex(w.rules)
	var middle []request
	for min(len(w.early), len(middle), len(w.late), len(w.none)) < perClass {
		q := s.stray()
		if s.IntN(2) == 0 {
			r := w.rules[s.IntN(n)]
			q = request{s.concrete(r.Action), s.fill(r.Resource)}
		}
		class := &middle
		switch at := index.Decide(q.action, q.resource); {
		case at < 0:
			class = &w.none
		case at < catchAlls:
			class = &w.late
		case at >= n-n/10:
			class = &w.early
		}
		if len(*class) < perClass {
			*class = append(*class, q)
		}
	}
	for i := range perClass {
		w.mixed = append(w.mixed, w.early[i], middle[i], w.late[i], w.none[i])
	}
	return w
}
