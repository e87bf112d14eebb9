// Package live owns the wire of OpenCode 1.18.33: it starts `opencode serve`
// on loopback and speaks to it.
//
// A [Client] knows requests, answers and events, and nothing of what they mean
// for a policy. A [Driver] runs prompts in one session on top of it: it applies
// rules, reports what the agent asks and delivers what is decided; the meaning of
// both comes from the dialect, through the broker's interfaces. There are two surfaces in that version. The first, at the root
// (/session, /permission, /event, ...), drives the 1.x agent loop. The second,
// "native" here (/api/...), has OpenCode 2's rule form and an endpoint that
// evaluates a request against an agent's rules; it isn't OpenCode 2's wire.
//
// A route that doesn't exist is answered by 1.18.33 with status 200 and the
// HTML of its web application. So every answer is checked for its content type
// too, and HTML is an error ([ErrNotJSON]) whatever its status says.
//
// Facts in this package were measured on opencode-linux-x64-baseline 1.18.33
// unless a comment names another source; field names are those of the server's
// own GET /doc.
package live
