package live

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// seen is what one turn showed.
type seen struct {
	asks    []string // methods of the requests, "retry " before one that follows a denial
	reviews int      // by the reviewer
	items   []string // types of completed items
	told    string   // what the model heard, and the output
}

func (s *seen) ask(m wire) {
	ask := m.Method
	if strings.Contains(string(m.Params), "retry without sandbox") {
		ask = retry + ask
	}
	s.asks = append(s.asks, ask)
}

const retry = "retry "

func (s *seen) item(params json.RawMessage) error {
	var p struct {
		Item struct {
			Type   string `json:"type"`
			Output string `json:"aggregatedOutput"`
		} `json:"item"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.items = append(s.items, p.Item.Type)
	s.told += p.Item.Output
	return nil
}

var marks = regexp.MustCompile(`@@MARK (\d) (\S*)@@`)

// unplaced is the word of a call that ran where nothing marks: in or out of the
// sandbox can't be told.
const unplaced = "runs"

// word is what the turn came to in a case file's words. full says that there is
// no sandbox.
func (s seen) word(full bool) string {
	run := ""
	if m := marks.FindStringSubmatch(s.told); m != nil {
		run = "runs-unsandboxed"
		if m[1] == "1" || m[2] == "codex" {
			run = "runs-sandboxed"
		}
	}
	if run == "" && slices.Contains(s.items, "fileChange") {
		run = "runs-sandboxed"
		if full {
			run = "runs-unsandboxed"
		}
	}
	if run == "" && slices.Contains(s.items, "commandExecution") && !strings.HasPrefix(s.told, "exec_command failed") {
		run = unplaced
	}
	switch {
	case len(s.asks) > 0 && !strings.HasPrefix(s.asks[0], retry):
		return "asks-user"
	case s.reviews > 0 && len(s.asks) == 0:
		return "auto-reviewer"
	case len(s.asks) > 0:
		return "runs-sandboxed"
	case run == "":
		return "rejected"
	}
	return run
}
