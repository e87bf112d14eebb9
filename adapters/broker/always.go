package broker

import "github.com/modegate/modegate/evaluator"

// AcceptAlways is for one kind of request alone: an MCP server's, over Codex,
// that itself offers to keep the choice beyond the session. Whoever keeps it is
// Codex or the server, never we. For every other request an "always" of the
// provider's is never sent.
const AcceptAlways Decision = "acceptAlways"

// MCPElicitation is the kind of a request that an MCP server makes of a person.
// No Action and no rule has it.
const MCPElicitation evaluator.Kind = "mcp-elicitation"
