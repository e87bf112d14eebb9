package livebin

// An Agent is a real agent binary that live tests know how to drive.
type Agent struct {
	Name    string // the word in messages
	Version string // the version whose behaviour is recorded in testdata
	Env     string // environment variable that names the binary
	// Paths are the binary's places below .live/node_modules, slash separated,
	// best first. The packages are the npm packages of Version; the baseline
	// build comes first because it runs on every x64 processor.
	Paths []string
}

// The agents, with the npm package each binary comes from.
var (
	// OpenCode is opencode-ai@1.18.33.
	OpenCode = Agent{
		Name: "opencode", Version: "1.18.33", Env: "MODEGATE_OPENCODE",
		Paths: []string{
			"opencode-linux-x64-baseline/bin/opencode",
			"opencode-linux-x64/bin/opencode",
		},
	}
	// Codex is @openai/codex@0.171.0; its binary comes from the package that npm
	// installs beside it as @openai/codex-linux-x64.
	Codex = Agent{
		Name: "codex", Version: "0.171.0", Env: "MODEGATE_CODEX",
		Paths: []string{"@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"},
	}
	// Claude is Claude Code 2.1.332, out of @anthropic-ai/claude-agent-sdk-linux-x64@0.3.332.
	Claude = Agent{
		Name: "claude", Version: "2.1.332", Env: "MODEGATE_CLAUDE",
		Paths: []string{"@anthropic-ai/claude-agent-sdk-linux-x64/claude"},
	}
	// Claude197 is @anthropic-ai/claude-code@2.1.197, the older measured version:
	// its auto mode asks a classifier that can be scripted.
	Claude197 = Agent{
		Name: "claude", Version: "2.1.197", Env: "MODEGATE_CLAUDE_2_1_197",
		Paths: []string{"@anthropic-ai/claude-code-linux-x64/claude"},
	}
	// Grok is @xai-official/grok@1.0.41.
	Grok = Agent{
		Name: "grok", Version: "1.0.41", Env: "MODEGATE_GROK",
		Paths: []string{"@xai-official/grok/bin/grok-native"},
	}
)
