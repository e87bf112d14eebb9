package cmd

import (
	claude "github.com/modegate/modegate/adapters/claude/live"
	"github.com/modegate/modegate/adapters/codex/execpolicy"
	codex "github.com/modegate/modegate/adapters/codex/live"
	grok "github.com/modegate/modegate/adapters/grok/live"
	opencode "github.com/modegate/modegate/adapters/opencode/live/oracle"
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/livebin"
)

// oracle is a row of the table of real binaries that can be asked.
type oracle struct {
	provider evaluator.Provider
	claim    string             // the key of the claim that its answers prove
	agent    livebin.Agent      // the binary
	files    []string           // its case files in the repository
	judge    compiler.Conformer // nil: the provider's dialect
	open     func(bin string) (compiler.Oracle, error)
}

// oracles lists the real binaries that can be asked, in report order. Cursor
// has none: what is known of it was recorded by others.
func oracles() []oracle {
	claudeAt := func(a livebin.Agent, files ...string) oracle {
		return oracle{
			provider: evaluator.Claude, agent: a, claim: "claude/" + a.Version + "/decisions",
			files: append([]string{"testdata/claude/cases.json"}, files...),
			open:  func(bin string) (compiler.Oracle, error) { return claude.OpenOracle(bin, a.Version) },
		}
	}
	return []oracle{
		{
			provider: evaluator.Codex, agent: livebin.Codex, claim: "codex/" + livebin.Codex.Version + "/decisions",
			files: []string{"testdata/codex/cases.json"},
			open:  func(bin string) (compiler.Oracle, error) { return codex.OpenOracle(bin) },
		},
		claudeAt(livebin.Claude, "testdata/claude/measured.json", "testdata/claude/settings.json"),
		claudeAt(livebin.Claude197, "testdata/claude/settings.json"),
		{
			provider: evaluator.Codex, agent: livebin.Codex, claim: "codex/" + livebin.Codex.Version + "/execpolicy",
			judge: execpolicy.Conformer{}, // nothing is recorded of it
			open:  func(bin string) (compiler.Oracle, error) { return codex.OpenChecker(bin) },
		},
		{
			provider: evaluator.Grok, agent: livebin.Grok, claim: "grok/" + livebin.Grok.Version + "/decisions",
			files: []string{"testdata/grok/cases.json", "testdata/grok/matrix.json", "testdata/grok/commands.json", "testdata/grok/settings.json"},
			open:  func(bin string) (compiler.Oracle, error) { return grok.OpenOracle(bin) },
		},
		{
			provider: evaluator.OpenCode, agent: livebin.OpenCode, claim: "opencode.loop",
			files: []string{"testdata/opencode/loop.json"},
			open:  func(bin string) (compiler.Oracle, error) { return opencode.OpenLoop(bin) },
		},
		{
			provider: evaluator.OpenCode2, agent: livebin.OpenCode, claim: "opencode2.rules",
			files: []string{"testdata/opencode/eval.json", "testdata/opencode/home.json"},
			open:  func(bin string) (compiler.Oracle, error) { return opencode.OpenNative(bin) },
		},
	}
}
