// Package livetest drives a real OpenCode in tests: a server that is isolated
// in a temporary folder, a scripted model behind it, and turns that are run and
// looked at.
//
// It owns how a test gets an agent loop; what a test concludes is the test's.
package livetest

import "encoding/json"

// The scripted model's names. OpenCode 1.18.33 offers apply_patch instead of
// edit and write to models whose id holds "gpt-" (gpt-4 and gpt-oss excepted).
const (
	Provider   = "fake"
	Model      = "scripted"
	PatchModel = "gpt-5-scripted"
)

// Config writes an opencode.json that points OpenCode at a scripted model and
// switches off what would leave the machine. extra adds or replaces top-level
// keys.
//
// Such a file has 1.x keys, so native rule keys in it would be ignored: give a
// directory that needs those an opencode.json of its own.
func Config(modelURL string, extra map[string]any) ([]byte, error) {
	model := func(id string) map[string]any {
		return map[string]any{"name": id, "tool_call": true, "limit": map[string]int{"context": 4_000_000, "output": 8000}}
	}
	c := map[string]any{
		"provider": map[string]any{Provider: map[string]any{
			"npm":     "@ai-sdk/openai-compatible", // bundled in the binary
			"name":    "Fake",
			"options": map[string]string{"baseURL": modelURL, "apiKey": "none"},
			"models":  map[string]any{Model: model(Model), PatchModel: model(PatchModel)},
		}},
		"model":             Provider + "/" + Model,
		"small_model":       Provider + "/" + Model,
		"enabled_providers": []string{Provider},
		"share":             "disabled",
		"autoupdate":        false,
		"snapshot":          false,
		"lsp":               false,
		"formatter":         false,
	}
	for k, v := range extra {
		c[k] = v
	}
	return json.MarshalIndent(c, "", "  ")
}
