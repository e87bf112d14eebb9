package rego

import (
	"context"
	"strings"
	"testing"

	"github.com/modegate/modegate/evaluator"
)

// rule is a guardrail's text whose condition has the lines.
func rule(lines string) string {
	return guard("a", "default decision := {\"effect\": \"allow\"}\n\ndecision := {\"effect\": \"deny\", \"reason\": \"r\"} if {\n\t"+lines+"\n}")
}

// TestMisspelt: a reference to what the input never has is refused, wherever it
// stands. Before, each of these was a guardrail that never speaks.
func TestMisspelt(t *testing.T) {
	for lines, want := range map[string]string{
		`input.verdict.efect == "ask"`:                                       `guards/a.rego:6:8: input has no "verdict": it has action, assumed, confinement, decider, differs, effect, enforcer, gaps, interaction, mode, native, onDenial, parts, policy, proof, provider, reason, rule, session, then and toolAbsent`,
		`input.action.comand == "ls"`:                                        `guards/a.rego:6:15: input.action has no "comand": it has agent, annotations, command, cwd, kind, path, query, request, server, text, to, tool and url`,
		`input.action.annotations.readonlyHint`:                              `has no "readonlyHint": it has destructiveHint, idempotentHint, openWorldHint, readOnlyHint and title`,
		`input["efect"] == "ask"`:                                            `guards/a.rego:6:8: input has no "efect"`,
		`not input.toolAbsnet`:                                               `guards/a.rego:6:12: input has no "toolAbsnet"`,
		`startswith(input.sesion.workspace, "/srv")`:                         `guards/a.rego:6:19: input has no "sesion"`,
		`x := input.action; x.comand == "ls"`:                                `x has no "comand"`,
		`some part in input.parts; part.efect == "ask"`:                      `part has no "efect": it has effect, request and rule`,
		`some i; input.parts[i].rule.source.lin == 1`:                        `input.parts[i].rule.source has no "lin": it has column, file, id and line`,
		`input.parts[_].efect == "ask"`:                                      `input.parts[_] has no "efect"`,
		`input.parts[0].efect == "ask"`:                                      `input.parts[0] has no "efect"`,
		`count([gap | some gap in input.gaps; gap.kin == "any"]) > 0`:        `gap has no "kin"`,
		`count({gap.kin | some gap in input.gaps}) > 0`:                      `gap has no "kin"`,
		`every part in input.parts { part.efect == "ask" }`:                  `guards/a.rego:6:35: part has no "efect"`,
		`every i, part in input.parts { input.parts[i].efect == part }`:      `input.parts[i] has no "efect"`,
		`every _ in input.parts { every g in input.gaps { g.kin == "any" }}`: `g has no "kin"`,
		`part := input.parts[0]; every part in [part] { part.efect == 1 }`:   `part has no "efect"`,
		"some x\n\tevery y in input.parts[x] { y }\n\tinput.gaps[x].kin":     `input.gaps[x] has no "kin"`,
		`input.parts.efect == "ask"`:                                         `input.parts has no "efect": its keys are numbers, so take one of what it has (some x in input.parts)`,
		`input.effect.name == "ask"`:                                         `input.effect has no "name": it is a text`,
		`input.toolAbsent.name == "ask"`:                                     `input.toolAbsent has no "name": it is true or false`,
		`input.rule.index.name == "ask"`:                                     `input.rule.index has no "name": it is a number`,
		`input.rule == null; input.rule.laier == "agent"`:                    `input.rule has no "laier": it has index, layer, native and source`,
		`input.efect == "ask" with input.mode as "auto"`:                     `input has no "efect"`,
		`input.trace[0].matched`:                                             `input has no "trace"`,   // Guard takes it out
		`input.visible == false`:                                             `input has no "visible"`, // only denials have it, and guardrails aren't asked about those
	} {
		_, err := LoadGuardrails(files(map[string]string{"a.rego": rule(lines)}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", lines, err, want)
		}
	}
	for name, texts := range map[string]map[string]string{
		"in a helper":         {"a.rego": rule("data.helpers.asked"), "h.rego": "package helpers\n\nasked if input.efect == \"ask\"\n"},
		"what a helper gives": {"a.rego": rule("some p in data.helpers.parts\n\tp.efect == \"ask\""), "h.rego": "package helpers\n\nparts := input.parts\n"},
		"under an import":     {"a.rego": strings.Replace(rule(`it.efect == "ask"`), "\n\n", "\n\nimport input.native as it\n\n", 1)},
	} {
		if _, err := LoadGuardrails(files(texts)); err == nil || !strings.Contains(err.Error(), `has no "efect"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for lines, want := range map[string]string{
		`some cell in input.cels`:                                                       `guards/a.rego:4:21: input has no "cels": it has actions, cells, env, omitted and policy`,
		`some cell in input.cells; cell.vardicts[0].effect == "ask"`:                    `cell has no "vardicts": it has digest, gaps, granted, interaction, mode, name, native, planFiles, provider and verdicts`,
		`some cell in input.cells; some i, _ in input.actions; cell.granted[i].parts`:   `cell.granted[i] has no "parts": it has confinement, decider, effect, enforcer, native, reason and rule`,
		`every cell in input.cells { every v in cell.verdicts { v.efect == "allow" }}`:  `v has no "efect"`,
		`some cell in input.cells; every g in cell.gaps { g.acknowleged }`:              `g has no "acknowleged"`,
		`input.cells[input.actions[0].knd]`:                                             `input.actions[0] has no "knd"`,
		`input.policy.id == "p"`:                                                        `input.policy has no "id": it has digest and name`,
		`cells := [c | some c in input.cells; c.mode == "auto"]; cells[0].provder == 1`: `cells[0] has no "provder"`,
	} {
		text := "package modegate.invariants.a\n\nviolation contains 1 if {\n\t" + lines + "\n}\n"
		if _, err := LoadInvariants(files(map[string]string{"a.rego": text})); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", lines, err, want)
		}
	}
}

// TestWellSpelt is Rego that isn't refused: what walks over the input with
// variables, what looks at fields that needn't be there and at null, what asks
// rules about another input.
func TestWellSpelt(t *testing.T) {
	for _, lines := range []string{
		`some x; input[x] == "ask"`,
		`some x in ["efect", "effect"]; input[x] == "ask"`,
		`x := "cels"; input[x] == "ask"`,
		`some k, v in input; k == v`,
		`some k; input.parts[k].effect == "ask"`,
		`object.get(input, "cels", "ask") == "ask"`,
		`object.get(input, ["action", "comand"], "ask") == "ask"`,
		`walk(input, [path, "ask"]); count(path) > 0`,
		`"efect" in object.keys(input)`,
		`input.action.request.params[_].anything == input.parts[0].request.what.ever`,
		`input.rule.native.anything`,
		`input.rule == null`,
		`not input.rule`,
		`is_null(input.rule)`,
		`some part in input.parts; part.rule in [null]`,
		`some part in input.parts; {"r": part.rule} == {"r": null}`,
		`r := [r | r := input.parts[_].rule; r != null][0]; r.layer == "agent"`,
		`input.action == {"kind": "question"}`,
		`some {"effect": e, "rule": null} in input.parts; e == "ask"`,
		`input.session == {}`,
		`object.union(input.action, {"x": 1}).x == 1`,
		`input.action.to; input.then.runs; input.onDenial; input.differs[0].version; input.policy`,
		`x := input.name with input as {"name": "ask"}; x == "ask"`,
		`input.action.nme == "ask" with input.action as {"nme": "ask"}`,
		`every part in input.parts { part.effect == "ask" }`,
		`every _, _ in input.parts { input.mode == "auto" }`,
		`x := input.parts; every x in x { x.effect == "ask" }`,
		`every k, v in input { k == v }`,
		`every x in 1 { x == 2 }`,
		"some x\n\tevery y in input.parts[x] { y == null }",
	} {
		g, err := LoadGuardrails(files(map[string]string{"a.rego": rule(lines)}))
		if err != nil {
			t.Errorf("%s: %v", lines, err)
			continue
		}
		if said := g.Ask(context.Background(), push(evaluator.Auto)); said[0].Err != nil {
			t.Errorf("%s: %v", lines, said[0].Err)
		}
	}
	for name, texts := range map[string]map[string]string{
		"asked about another input": {
			"a.rego": rule("some part in input.parts\n\tdata.helpers.seen with input as part.request"),
			"h.rego": "package helpers\n\nseen if words[\"ls\"]\n\nwords contains input.tool\n\nwords contains word if some word in split(input.command, \" \")\n",
		},
		"asked about another action": {
			"a.rego": rule(`data.helpers.seen(1) with input.action as {"nme": "ls"}`),
			"h.rego": "package helpers\n\nseen(n) if {\n\tn == 1\n\tinput.action.nme == \"ls\"\n}\n",
		},
		"a value for null": {
			"a.rego": rule("data.helpers.rule.why == \"none\""),
			"h.rego": "package helpers\n\nrule := {\"why\": \"none\"} if input.rule == null\n\nelse := input.rule\n",
		},
		"a helper for null": {
			"a.rego": rule("data.helpers.layer(input.rule) == \"none\""),
			"h.rego": "package helpers\n\nlayer(null) := \"none\"\n\nlayer(r) := r.layer if r != null\n",
		},
	} {
		if _, err := LoadGuardrails(files(texts)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
