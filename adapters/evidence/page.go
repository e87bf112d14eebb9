package evidence

import (
	"fmt"
	"strings"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
)

// Page writes EVIDENCE.md: every claim of every dialect's versions, with what
// the last run of the real binary showed of it. Its numbers are the file's alone.
func (f File) Page(dialects []compiler.Dialect) string {
	var b strings.Builder
	b.WriteString(`# Evidence

What the real agents answered the last time they were asked, written by ` + "`make live`" + ` out of
[adapters/evidence/evidence.json](adapters/evidence/evidence.json); don't edit it. A *recorded* part takes a
random sample of the recorded cases again, a *fresh* part asks random cases that nobody recorded, a claim
without a part is what the live tests showed. A binary that wasn't there is *not run*, and proves nothing.

| provider | judged version | claim | part | binary | SHA-256 | date | cases | agreements | disagreements | status |
|---|---|---|---|---|---|---|--:|--:|--:|---|
`)
	for _, d := range dialects {
		for _, version := range d.Versions() {
			for _, c := range d.Claims(version) {
				f.claim(&b, d.Provider(), version, c)
			}
		}
	}
	return b.String()
}

// claim writes one claim's rows.
func (f File) claim(b *strings.Builder, p evaluator.Provider, version string, c compiler.Claim) {
	shown := f.Of(c.Key)
	if len(shown) == 0 {
		what := "no run can prove it"
		if c.Key != "" {
			what = "not run"
		}
		by := ""
		if c.By != "" && c.Status != evaluator.Unverified {
			by = fmt.Sprintf("; %s: %s", c.Status, c.By)
		}
		fmt.Fprintf(b, "| %s | %s | %s | | | | | | | | %s%s |\n", p, version, c.Claim, what, by)
		return
	}
	for _, e := range shown {
		part := strings.TrimPrefix(strings.TrimPrefix(e.Key, c.Key), "/")
		digest := strings.TrimPrefix(e.Binary, "sha256:")
		if digest != "" {
			digest = "`" + digest + "`"
		}
		status := string(e.Status)
		if e.Disagreements > 0 || e.Cases == 0 {
			status = string(evaluator.Unverified)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %d | %d | %d | %s |\n",
			p, version, c.Claim, part, e.By, digest, e.Date, e.Cases, e.Agreements, e.Disagreements, status)
	}
}
