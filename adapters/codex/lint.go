package codex

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/modegate/modegate/adapters/codex/execpolicy"
	"github.com/modegate/modegate/adapters/internal/filetree"
	"github.com/modegate/modegate/compiler/lint"
	"github.com/modegate/modegate/evaluator"
)

// Lint finds what is wrong with the settings of a thread, with a file of rules, or
// with a config.toml.
func (dialect) Lint(in lint.Settings) ([]lint.Finding, error) {
	l := &linter{in: in}
	if isConfig(in.File) {
		return l.config()
	}
	start := bytes.TrimLeft(in.Text, " \t\r\n")
	if !bytes.HasPrefix(start, []byte("{")) {
		return append(l.fileName(), l.rules(string(in.Text), true)...), nil
	}
	root, err := filetree.JSON(in.File, in.Text, true)
	if err != nil {
		return nil, err
	}
	l.places = filetree.Places(root)
	s, err := readSettings(in.Text)
	if err != nil {
		return nil, err
	}
	return append(l.settings(s), l.rules(s.Rules, false)...), nil
}

type linter struct {
	in     lint.Settings
	places map[string]evaluator.Source // of a thread's settings, by pointer
}

// ref is where a rule stands: in a file of rules in its line, in a thread's
// settings, where all rules are one text, at the number of the rule.
func (l *linter) ref(r execpolicy.Rule, file bool) lint.Ref {
	if file {
		return lint.Ref{Source: evaluator.Source{Line: r.Line, Column: 1}}
	}
	return lint.Ref{Source: l.places["/rules"], Pointer: fmt.Sprintf("/rules/%d", r.Call)}
}

func (l *linter) find(id string, r execpolicy.Rule, file bool, why, instead string) lint.Finding {
	return lint.At(id, l.ref(r, file), fmt.Sprintf("the rule %s %s", show(r), why), instead)
}

// part is a part of a thread's settings.
func (l *linter) part(pointer string) lint.Ref {
	return lint.Ref{Source: l.places[pointer], Pointer: pointer}
}

// show writes a rule as people read it.
func show(r execpolicy.Rule) string {
	words := []string{r.First}
	for _, alternatives := range r.Rest {
		words = append(words, strings.Join(alternatives, "|"))
	}
	return fmt.Sprintf("%q %s", strings.Join(words, " "), r.Decision)
}

// fileName judges what a file of rules is called: Codex reads *.rules right in the
// rules folder.
func (l *linter) fileName() []lint.Finding {
	name := l.in.File
	if name == "" || strings.HasPrefix(name, "<") || strings.HasSuffix(name, ".rules") {
		return nil
	}
	return []lint.Finding{lint.New("ignored-file", evaluator.Source{Line: 1, Column: 1},
		fmt.Sprintf("Codex doesn't read %s: it reads the files of its rules folder that end in .rules", path.Base(name)),
		"call it "+strings.TrimSuffix(path.Base(name), path.Ext(name))+".rules")}
}

// rules judges the text of a file of rules.
func (l *linter) rules(text string, file bool) []lint.Finding {
	p, err := execpolicy.Parse(execpolicy.File{Name: "rules", Text: text})
	if err != nil {
		return []lint.Finding{l.broken(err, file)}
	}
	var out []lint.Finding
	said := map[string]bool{}
	for i, r := range p.Rules {
		found := l.words(r, file)
		if len(found) == 0 {
			found = append(l.grant(r, file), l.dead(p, i, file)...)
			found = append(found, l.pruned(r, file)...)
		}
		for _, f := range found { // alternatives of the first word are rules of their own
			key := fmt.Sprint(f.Rule, r.Call)
			if !said[key] {
				said[key] = true
				out = append(out, f)
			}
		}
	}
	return out
}

// brokenRules is what 0.171.0 does beside a file of rules that it can't parse
// (measured: TestLiveBrokenRules).
const brokenRules = "the app-server drops the rules of every file then, with a warning alone, and codex exec starts no thread"

// broken speaks of a file that Codex refuses, and with it all the others.
func (l *linter) broken(err error, file bool) lint.Finding {
	f := lint.At("invalid", l.part("/rules"), "", "")
	var e *execpolicy.Error
	if !errors.As(err, &e) {
		f.Message = err.Error()
		return f
	}
	f.Message = e.Message + ": " + brokenRules
	if e.Unread {
		f.Severity = lint.Warning
		f.Message = e.Message + ": Codex may read this, and what it means isn't known here"
	}
	if e.Fatal {
		f.Message = e.Message + ": Codex starts no thread beside such a file"
	}
	if file {
		f.Pointer, f.Source = "", evaluator.Source{Line: max(1, e.Line), Column: max(1, e.Column)}
	}
	return f
}

// words judges the words of a prefix, which are compared as they are.
func (l *linter) words(r execpolicy.Rule, file bool) []lint.Finding {
	one := func(id, why, instead string) []lint.Finding { return []lint.Finding{l.find(id, r, file, why, instead)} }
	name, _, isAssignment := strings.Cut(r.First, "=")
	switch {
	case r.First == "apply_patch":
		return one("inert-rule", "does nothing: rules aren't applied to patches", "hold patches back by the sandbox and the approval policy")
	case strings.ContainsAny(r.First, " \t"):
		return one("never-matches", "never matches: a program's name has no spaces, and each word of a command is a word of the pattern", "write "+wordList(strings.Fields(r.First)))
	case strings.HasPrefix(r.First, "~"), strings.HasPrefix(r.First, "$"):
		return one("never-matches", "never matches: a script with a program that is expanded isn't taken apart", "write the program's name")
	case isAssignment && name != "" && !strings.Contains(name, "/"):
		return one("never-matches", "never matches: a script with an assignment isn't taken apart", "leave the assignment out")
	}
	for _, alternatives := range append([][]string{{r.First}}, r.Rest...) {
		for _, w := range alternatives {
			switch {
			case w == "*" || w == "**":
				return one("never-matches", "never matches what it looks like: * is a word like any other, and a prefix holds for any further words", "leave the * out")
			case slices.Contains([]string{"&&", "||", "|", ";", "&", ">", ">>", "<"}, w):
				return one("never-matches", "never matches: a script is taken apart at its operators, and each command is compared by itself", "write a rule for each command")
			case strings.Contains(w, "*"):
				return one("literal-pattern", fmt.Sprintf("compares the word %q as it is: nothing is special in a prefix", w), "write the words that come before it")
			}
			if why := lint.Foreign(w, true); why != "" {
				return one("literal-pattern", "means something else than it looks: "+why, "write a list of alternatives, as in [\"a\", [\"b\", \"c\"]]")
			}
		}
	}
	return nil
}

func wordList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(quoted, ", ")
}

// grant finds allow rules that open everything. They run outside of the sandbox.
func (l *linter) grant(r execpolicy.Rule, file bool) []lint.Finding {
	if r.Decision != execpolicy.Allow {
		return nil
	}
	for _, words := range spellings(r) {
		if how := lint.Launcher(words, true); how != "" {
			return []lint.Finding{l.find("launcher", r, file, "allows everything, outside of the sandbox: "+how, lint.LauncherInstead)}
		}
	}
	return nil
}

// spellings are the prefixes that a rule's alternatives come to, so many of them
// as are worth looking at.
func spellings(r execpolicy.Rule) [][]string {
	out := [][]string{{r.First}}
	for _, alternatives := range r.Rest {
		var next [][]string
		for _, words := range out {
			for _, w := range alternatives {
				next = append(next, append(slices.Clone(words), w))
			}
		}
		if out = next; len(out) > 64 {
			out = out[:64]
		}
	}
	return out
}

// dead finds rules that a stricter one takes out of force: of all that match, the
// strictest decides.
func (l *linter) dead(p *execpolicy.Policy, i int, file bool) []lint.Finding {
	r := p.Rules[i]
	var by *execpolicy.Rule
	for _, words := range spellings(r) {
		m := execpolicy.Strictest(p.Match(words, execpolicy.Where{}))
		if m == nil || m.Rule.Decision <= r.Decision {
			return nil
		}
		by = m.Rule
	}
	for _, other := range p.Rules { // the other alternatives of the first word
		if other.Call == r.Call && other.First != r.First {
			if m := execpolicy.Strictest(p.Match(spellings(other)[0], execpolicy.Where{})); m == nil || m.Rule.Decision <= r.Decision {
				return nil
			}
		}
	}
	f := l.find(lint.DeadRule, r, file,
		fmt.Sprintf("never decides: the rule %s matches as well, and of all that match the strictest decides, whatever the order is", show(*by)),
		fmt.Sprintf("make %s narrower, or remove this rule", show(*by)))
	return []lint.Finding{f.With(l.ref(*by, file), "this rule decides instead")}
}

// pruned finds rules that Codex's first start takes out of default.rules.
func (l *linter) pruned(r execpolicy.Rule, file bool) []lint.Finding {
	broad := len(r.Rest) == 0 || len(r.Rest) == 1 && r.First == "npm"
	if path.Base(l.in.File) != "default.rules" || r.Decision != execpolicy.Allow || r.Justification != "" || !broad {
		return nil
	}
	return []lint.Finding{l.find("pruned-rule", r, file, "may be deleted: on its first start Codex takes broad allow rules without a justification out of default.rules", "add justification=\"…\", or keep it in another file")}
}

// settings judges values that only some others bring into play.
func (l *linter) settings(s *settings) []lint.Finding {
	var out []lint.Finding
	if s.Reviewer != byUser && (s.Approval.Word == untrusted || s.Approval.Word == never) {
		out = append(out, lint.At("inert-setting", l.part("/approvalsReviewer"),
			fmt.Sprintf("approvalsReviewer %s never acts: under approvalPolicy %s nothing is put before a reviewer", s.Reviewer, s.Approval.Word),
			"write approvalPolicy on-request, or approvalsReviewer user"))
	}
	if want := sandboxTypes[s.Sandbox]; want != s.SandboxPolicy.Type && s.SandboxPolicy.Type != externalBox {
		out = append(out, lint.At("inert-setting", l.part("/sandbox"),
			fmt.Sprintf("sandbox %s holds until the first turn alone: each turn sends sandboxPolicy %s", s.Sandbox, s.SandboxPolicy.Type),
			"give both the same meaning"))
	}
	for i, root := range s.SandboxPolicy.WritableRoots {
		if path.Clean(root) == "/" {
			out = append(out, lint.At("wide-grant", l.part(fmt.Sprintf("/sandboxPolicy/writableRoots/%d", i)),
				"the writable root / opens the whole disk to a sandbox that is called workspaceWrite", "name the folders that are to be written"))
		}
	}
	return out
}
