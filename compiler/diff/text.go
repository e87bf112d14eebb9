package diff

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/diag"
	"github.com/modegate/modegate/internal/markdown"
	"github.com/modegate/modegate/internal/strictjson"
)

// entry is a change for people, with every cell that has it.
type entry struct {
	direction      evaluator.Direction
	widens         bool
	witness        string
	old, new       string // the answers
	oldAt, newAt   string // the policy's lines
	oldWhy, newWhy string
	cells          []string
}

// entries joins changes that read alike, the wider ones first.
func (r *Report) entries() []entry {
	var out []entry
	for _, c := range r.Changes {
		e := entry{
			direction: c.Direction, widens: c.Widens, witness: actionText(c.Witness),
			old: c.Old.text(), new: c.New.text(), oldAt: c.Old.at(), newAt: c.New.at(), oldWhy: c.Old.Reason, newWhy: c.New.Reason,
		}
		cell := fmt.Sprintf("%s/%s/%s", c.Provider, c.Mode, c.Interaction)
		i := slices.IndexFunc(out, func(o entry) bool {
			o.cells = nil
			return fmt.Sprint(o) == fmt.Sprint(e)
		})
		if i < 0 {
			i = len(out)
			out = append(out, e)
		}
		out[i].cells = append(out[i].cells, cell)
	}
	rank := func(e entry) int {
		switch {
		case e.direction == evaluator.Wider:
			return 0
		case e.widens:
			return 1
		case e.direction == Changed:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(out, func(a, b entry) int { return rank(a) - rank(b) })
	return out
}

// actionText is an Action as it stands in JSON, which escapes what a terminal would
// obey.
func actionText(a evaluator.Action) string {
	text, err := strictjson.Encode(a)
	if err != nil {
		return string(a.Kind)
	}
	return string(text)
}

// text is what an answer comes to.
func (a Answer) text() string {
	s := a.Effect.String()
	if a.Effect == evaluator.Allow && a.Confinement != evaluator.Unconfined {
		s += fmt.Sprintf(" (%s)", a.Confinement)
	}
	s += fmt.Sprintf(", decided by %s, enforced by %s", a.Decider, a.Enforcer)
	if a.Native.Effect != a.Effect {
		s += fmt.Sprintf(", the provider alone: %s", a.Native.Effect)
	}
	if a.Then != nil {
		s += ", then runs " + a.Then.Runs
	}
	if a.OnDenial != "" {
		s += ", when the sandbox stops it: " + a.OnDenial
	}
	if a.ToolAbsent {
		s += ", the tool isn't offered"
	}
	if a.Visible != nil && !*a.Visible {
		s += ", no client sees it"
	}
	return s
}

// at says which of the policy's lines are behind an answer.
func (a Answer) at() string {
	var out []string
	if a.Rule != nil && a.Rule.Source != nil {
		out = append(out, "from "+place(*a.Rule.Source))
	}
	for _, v := range a.Values {
		out = append(out, "from "+place(v))
	}
	if a.Policy != nil {
		out = append(out, fmt.Sprintf("the policy says %s at %s", a.Policy.Effect, place(a.Policy.Rule)))
	}
	return strings.Join(out, ", ")
}

func place(at evaluator.Source) string {
	s := fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Column)
	if at.ID != "" {
		s += " (" + at.ID + ")"
	}
	return s
}

// compared says what was looked at.
func (r *Report) compared() string {
	s := fmt.Sprintf("compared %s: %d with the same native settings", cells(r.Cells), r.Same)
	if r.Same < r.Cells {
		s += fmt.Sprintf(", the others by %d probes", r.Probes)
	}
	return s
}

func cells(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

// counts is the report in numbers.
func (r *Report) counts() string {
	if len(r.Changes) == 0 {
		return "nothing changed in meaning"
	}
	n := map[evaluator.Direction]int{}
	for _, c := range r.Changes {
		n[c.Direction]++
	}
	return fmt.Sprintf("%d wider, %d narrower, %d changed", n[evaluator.Wider], n[evaluator.Narrower], n[Changed])
}

// Text writes the report for people.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	for _, e := range r.entries() {
		word := string(e.direction)
		if e.widens && e.direction == Changed {
			word += ", and counts as wider"
		}
		fmt.Fprintf(&b, "%s  %s\n", word, e.witness)
		e.side(&b, "old", e.old, e.oldAt, e.oldWhy)
		e.side(&b, "new", e.new, e.newAt, e.newWhy)
		for i, cell := range e.cells {
			name := ""
			if i == 0 {
				name = "in"
			}
			fmt.Fprintf(&b, "  %-5s%s\n", name, cell)
		}
		b.WriteByte('\n')
	}
	for _, c := range r.OnlyOld {
		fmt.Fprintf(&b, "not compared: %s is only in %s\n", c, r.Old.Name)
	}
	for _, c := range r.OnlyNew {
		fmt.Fprintf(&b, "not compared: %s is only in %s\n", c, r.New.Name)
	}
	fmt.Fprintf(&b, "%s (%s)\n", r.counts(), r.compared())
	_, err := io.WriteString(w, diag.Plain(b.String()))
	return err
}

func (entry) side(b *strings.Builder, name, text, at, why string) {
	fmt.Fprintf(b, "  %-5s%s\n", name, text)
	if at != "" {
		fmt.Fprintf(b, "       %s\n", at)
	}
	fmt.Fprintf(b, "       %s\n", oneLine(why))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Markdown writes the report as one table, for a pull request.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s → %s: %s\n\n", markdown.Text(r.Old.Name), markdown.Text(r.New.Name), r.counts())
	if len(r.Changes) > 0 {
		b.WriteString("| direction | witness | old | new | cells |\n|---|---|---|---|---|\n")
	}
	for _, e := range r.entries() {
		direction := string(e.direction)
		if e.widens {
			direction = "**" + direction + "**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", direction, markdown.Code(e.witness), answer(e.old, e.oldAt), answer(e.new, e.newAt), strings.Join(e.cells, "<br>"))
	}
	if len(r.Changes) > 0 {
		b.WriteByte('\n')
	}
	for _, c := range r.OnlyOld {
		fmt.Fprintf(&b, "- not compared: %s is only in %s\n", c, markdown.Text(r.Old.Name))
	}
	for _, c := range r.OnlyNew {
		fmt.Fprintf(&b, "- not compared: %s is only in %s\n", c, markdown.Text(r.New.Name))
	}
	fmt.Fprintf(&b, "%s.\n", strings.ToUpper(r.compared()[:1])+r.compared()[1:])
	_, err := io.WriteString(w, diag.Plain(b.String()))
	return err
}

func answer(text, at string) string {
	if at == "" {
		return markdown.Text(text)
	}
	return markdown.Text(text) + "<br>" + markdown.Text(at)
}
