// Package markdown owns the quoting of texts from users in GitHub's Markdown, in
// tables too: whatever they hold, they read as they stand.
package markdown

import "strings"

// text quotes what Markdown and HTML would read. A pipe ends a table's cell even
// behind a backslash that is itself quoted, so that both have entities.
var text = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;", `\`, "&#92;", "@", "&#64;",
	"`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "~", `\~`, "#", `\#`, "!", `\!`, "://", "&#58;//",
	"\r", " ", "\n", " ",
)

// code quotes the same inside of an HTML element, where nothing may stay special.
var code = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;", `\`, "&#92;", "@", "&#64;",
	"`", "&#96;", "*", "&#42;", "_", "&#95;", "[", "&#91;", "]", "&#93;", "~", "&#126;", "#", "&#35;", "!", "&#33;", "://", "&#58;//",
	"\r", " ", "\n", " ",
)

// Text quotes a text for a line, or a table's cell.
func Text(s string) string { return text.Replace(s) }

// Code quotes a text as code for a line, or a table's cell.
func Code(s string) string { return "<code>" + code.Replace(s) + "</code>" }
