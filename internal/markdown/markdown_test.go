package markdown_test

import (
	"strings"
	"testing"

	"github.com/modegate/modegate/internal/markdown"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plan_changes_nothing": `plan\_changes\_nothing`,
		`a|b\|c`:               "a&#124;b&#92;&#124;c",
		"<script>&amp;":        "&lt;script&gt;&amp;amp;",
		"`x` *y* ~~z~~":        "\\`x\\` \\*y\\* \\~\\~z\\~\\~",
		"[x](y) ![z](w)":       `\[x\](y) \!\[z\](w)`,
		"# head\r\n@all":       `\# head  &#64;all`,
		"https://a.test/":      "https&#58;//a.test/",
	} {
		if got := markdown.Text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzCode: nothing of a text is left that Markdown or HTML would read.
func FuzzCode(f *testing.F) {
	f.Add("a|b`c\\</code>\n[x](y)*_~#!@")
	f.Fuzz(func(t *testing.T, s string) {
		inner := strings.TrimSuffix(strings.TrimPrefix(markdown.Code(s), "<code>"), "</code>")
		if strings.ContainsAny(inner, "|`\\<>\r\n[]*_~@!") {
			t.Errorf("%q becomes %q", s, inner)
		}
	})
}
