package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/internal/scripted"
	"github.com/modegate/modegate/internal/strictjson"
)

// Oracle answers rows of Grok's case files from the real binary.
type Oracle struct {
	bin    string
	root   string // of the sessions' folders
	model  *scripted.Server
	once   sync.Once
	serial int
}

// OpenOracle makes an oracle of a binary.
func OpenOracle(bin string) (*Oracle, error) {
	root, err := os.MkdirTemp("", "modegate-grok-")
	if err != nil {
		return nil, err
	}
	return &Oracle{bin: bin, root: root, model: scripted.Start()}, nil
}

// Close stops the model and removes the folders. No session outlives Answer.
func (o *Oracle) Close() error {
	var err error
	o.once.Do(func() {
		o.model.Close()
		err = os.RemoveAll(o.root)
	})
	return err
}

// row is the inputs of a row.
type row struct {
	Argv  []string       `json:"argv"`
	Meta  map[string]any `json:"sessionMeta"`
	Facts jsontext.Value `json:"facts"`
	Tool  string         `json:"tool"`
	Input jsontext.Value `json:"input"`
}

// Answer asks the binary, rows that share their settings in one session.
func (o *Oracle) Answer(ctx context.Context, _ compiler.CaseFile, rows []jsontext.Value) ([]compiler.Answer, error) {
	out := make([]compiler.Answer, len(rows))
	groups, index := [][]int{}, map[string]int{}
	parsed := make([]row, len(rows))
	for i, raw := range rows {
		if err := json.Unmarshal(raw, &parsed[i]); err != nil {
			return nil, err
		}
		key, err := strictjson.Encode([]any{parsed[i].Argv, parsed[i].Meta, parsed[i].Facts})
		if err != nil {
			return nil, err
		}
		at, ok := index[string(key)]
		if !ok {
			at = len(groups)
			index[string(key)] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	for _, g := range groups {
		o.group(ctx, g, parsed, rows, out)
	}
	return out, ctx.Err()
}

// maxReviews is how many calls of a session its classifier may be asked about:
// after some refusals Grok asks a person instead.
const maxReviews = 2

// group runs the rows of one setting. A call without an answer is made once more,
// in a new session.
func (o *Oracle) group(ctx context.Context, g []int, parsed []row, rows []jsontext.Value, out []compiler.Answer) {
	var s *session
	end := func() {
		if s != nil {
			s.stop()
			s = nil
		}
	}
	defer end()
	reviews := 0
	for _, i := range g {
		for range 2 {
			if ctx.Err() != nil {
				return
			}
			if s == nil {
				var err error
				if s, err = o.open(parsed[i]); err != nil {
					out[i] = compiler.Answer{Failed: err.Error()}
					continue
				}
				reviews = 0
			}
			did := s.row(parsed[i])
			if did.word == failed || strings.HasPrefix(did.word, "none:") {
				out[i] = compiler.Answer{Failed: did.word + " " + did.text}
				end()
				continue
			}
			out[i] = compiler.Answered(rows[i], did.word, map[string]any{"outcome": did.word})
			if did.word == "review" {
				reviews++
			}
			if reviews >= maxReviews || parsed[i].Tool == "enter_plan_mode" {
				end()
			}
			break
		}
	}
}

// open starts a session with the row's settings.
func (o *Oracle) open(r row) (*session, error) {
	o.serial++
	p, err := newPlace(filepath.Join(o.root, fmt.Sprint("s", o.serial)))
	if err != nil {
		return nil, err
	}
	var f facts
	if r.Facts != nil {
		if err := strictjson.Decode([]byte(p.names(string(r.Facts))), &f); err != nil {
			return nil, fmt.Errorf("facts that can't be put into settings: %w", err)
		}
		if err := f.write(p); err != nil {
			return nil, err
		}
	}
	mode := ""
	if f.PlanMode {
		mode = "plan"
	}
	return open(o.bin, o.model, p, setup{r.Argv, r.Meta, mode})
}

// names puts the session's folders in place of their names in a case file.
func (p place) names(text string) string {
	return strings.NewReplacer("${PROJ}", p.project, "${OUT}", p.outside, "${HOME}", p.home).Replace(text)
}

func (s *session) row(r row) outcome {
	var in map[string]any
	if err := json.Unmarshal([]byte(s.place.names(string(r.Input))), &in); err != nil {
		return outcome{word: failed, text: err.Error()}
	}
	return s.do(r.Tool, in)
}
