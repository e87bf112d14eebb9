package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/strictjson"
)

// Oracle answers rows of Claude's case files from the real binary.
type Oracle struct {
	bin     string
	version string
	root    string // of the sessions' folders
	once    sync.Once
	serial  int
	mu      sync.Mutex
}

// OpenOracle makes an oracle of a binary of a version.
func OpenOracle(bin, version string) (*Oracle, error) {
	root, err := os.MkdirTemp("", "modegate-claude-")
	if err != nil {
		return nil, err
	}
	// The binary sees folders by their real names.
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	return &Oracle{bin: bin, version: version, root: root}, nil
}

// Close removes the folders. No session outlives Answer.
func (o *Oracle) Close() error {
	var err error
	o.once.Do(func() { err = os.RemoveAll(o.root) })
	return err
}

// row is the inputs of a recorded call.
type row struct {
	setup
	RulesSource string         `json:"rules_source"`
	Managed     jsontext.Value `json:"managed_settings"`
	HookResult  jsontext.Value `json:"hook_result"`
	Tool        string         `json:"tool"`
	Input       jsontext.Value `json:"input"`
}

var (
	loops  = regexp.MustCompile(`"command"\s*:\s*"for `)
	unread = regexp.MustCompile(`"Read["(]`)
)

// denies reports whether a list holds a rule.
func denies(list jsontext.Value, rule string) bool {
	var rules []string
	return json.Unmarshal(list, &rules) == nil && slices.Contains(rules, rule)
}

var absolute = regexp.MustCompile(`"file_path"\s*:\s*"/`)

// skipped names what a row needs that isn't here.
func (r row) skipped(version string) string {
	switch {
	case r.Managed != nil:
		return "managed settings, which are the machine's"
	case r.RulesSource != "" && !strings.HasPrefix(r.RulesSource, "--settings inline"):
		return "rules from " + r.RulesSource
	case (r.Tool == "Write" || r.Tool == "Edit") && absolute.Match(r.Input):
		return "changes of files outside of a case's folders"
	case version == "2.1.332" && r.Tool == "Bash" && loops.Match(r.Input):
		return "a loop, for which a session asks until it has run a condition"
	case denies(r.Rules["deny"], "*"):
		return "a session without any tool, which the scripted model takes for a helper's"
	case version == "2.1.197" && (r.Tool == "Write" || r.Tool == "Edit") && unread.Match(r.Rules["deny"]):
		return "a change of a file that may not be read before, as the tool wants it"
	case r.Hooks == nil && r.HookResult != nil:
		return "hooks of which only the answer is recorded"
	}
	if version == "2.1.197" {
		for _, a := range r.Args {
			if a == "--permission-prompts" {
				return "--permission-prompts, which 2.1.197 doesn't have"
			}
		}
	}
	return ""
}

// workers is how many sessions run at the same time.
const workers = 2

// Answer asks the binary, rows that share their setup in one session.
func (o *Oracle) Answer(ctx context.Context, f compiler.CaseFile, rows []jsontext.Value) ([]compiler.Answer, error) {
	var layout map[string][]string
	var mcp map[string]map[string]map[string]any
	for name, into := range map[string]any{"layout": &layout, "mcp": &mcp} {
		if raw, ok := f.Header[name]; ok {
			if err := json.Unmarshal(raw, into); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	out := make([]compiler.Answer, len(rows))
	groups, err := o.group(rows, out)
	if err != nil {
		return nil, err
	}
	queue := make(chan []asked)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for g := range queue {
				o.answerGroup(ctx, g, rows, layout, mcp, out)
			}
		})
	}
	for _, g := range groups {
		queue <- g
	}
	close(queue)
	wg.Wait()
	return out, ctx.Err()
}

// asked is a row that can be asked, and where its answer goes.
type asked struct {
	at  int
	row row
}

func (o *Oracle) group(rows []jsontext.Value, out []compiler.Answer) ([][]asked, error) {
	var groups [][]asked
	index := map[string]int{}
	for i, raw := range rows {
		var r row
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, err
		}
		if why := r.skipped(o.version); why != "" {
			out[i] = compiler.Answer{Skipped: why}
			continue
		}
		key, err := strictjson.Encode(r.setup)
		if err != nil {
			return nil, err
		}
		at, ok := index[string(key)]
		if !ok {
			at = len(groups)
			index[string(key)] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], asked{i, r})
	}
	return groups, nil
}

// answerGroup runs one setup's rows. A call that got no answer is made once
// more, in a new session.
func (o *Oracle) answerGroup(ctx context.Context, g []asked, rows []jsontext.Value, layout map[string][]string, mcp map[string]map[string]map[string]any, out []compiler.Answer) {
	var s *session
	end := func() {
		if s != nil {
			s.close()
			s = nil
		}
	}
	defer end()
	for _, a := range g {
		for try := range 2 {
			if ctx.Err() != nil {
				return
			}
			var err error
			if s == nil {
				s, err = open(ctx, o.bin, o.folder(), a.row.setup, layout, mcp)
			}
			var d did
			var input map[string]any
			if err == nil {
				if err = json.Unmarshal([]byte(s.place.names.Replace(string(a.row.Input))), &input); err == nil {
					d, err = s.do(ctx, a.row.Tool, input)
				}
			}
			word := d.word()
			if err == nil && word != "" {
				out[a.at] = compiler.Answered(rows[a.at], word, map[string]any{"outcome": word}, "outcome_2_1_197")
				if spent(a.row.Tool, input, d) {
					end()
				}
				break
			}
			out[a.at] = compiler.Answer{Failed: fmt.Sprintf("no decision on try %d: %v %.200s", try+1, err, d.text)}
			end()
		}
	}
}

// folder is a new folder for a session.
func (o *Oracle) folder() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.serial++
	return filepath.Join(o.root, fmt.Sprint("s", o.serial))
}
