// verdict.js shows one provider's answer: the effect, who decides and enforces,
// the deciding rule with its policy line, and the trace.
import { h } from "./dom.js";
import { badge, direction, effectClass, enforcer } from "./effect.js";
import { proofTable } from "./cell.js";
import { problem } from "./problem.js";
import { source } from "./source.js";
import { link } from "./state.js";
import { deciderWords, listed, plural, providerName } from "./words.js";

const runsWords = { sandboxed: "in the sandbox", unsandboxed: "without a sandbox", "sandboxed-then-unsandboxed": "in the sandbox, then without" };

// summary counts the answers: "1 allows, 4 ask, 1 denies".
export function summary(verdicts) {
  const counts = ["allow", "review", "ask", "deny", "unknown"].map((e) => [e, verdicts.filter((v) => v.effect === e).length]).filter(([, n]) => n > 0);
  const verbs = { allow: ["allows", "allow"], review: ["has it reviewed", "have it reviewed"], ask: ["asks", "ask"], deny: ["denies", "deny"], unknown: ["is unknown", "are unknown"] };
  return listed(counts.map(([e, n]) => `${n} ${verbs[e][n === 1 ? 0 : 1]}`)) || "no answers";
}

export function card(v, text, pasted) {
  if (v.refused) return h("article", { class: "card" }, h("header", null, h("h3", null, providerName(v.provider.name))), problem(v.refused));
  const name = providerName(v.provider.name);
  const facts = [
    ["decides", deciderWords(v.decider)], ["enforces", enforcer(v.enforcer)],
    v.native.effect !== v.effect ? ["provider itself", badge(v.native)] : null,
    ["rule", v.rule ? [h("code", null, JSON.stringify(v.rule.native)), h("div", { class: "muted" }, `${v.rule.layer}, rule ${v.rule.index}`)] : "none: the provider's default"],
    v.rule?.source ? ["policy line", source(text, v.rule.source)] : null,
    v.then ? ["once approved", "runs " + (runsWords[v.then.runs] ?? v.then.runs)] : null,
    v.onDenial ? ["when stopped", "the sandbox says no: " + v.onDenial] : null,
    v.toolAbsent ? ["tool", "isn't offered to the model"] : null,
    v.visible === false ? ["seen", "no client sees this outcome"] : null,
  ].filter(Boolean);
  const trace = traceOf(v, text);
  const out = h("article", { class: `card ${effectClass(v)}${pasted ? " pasted" : ""}`, "aria-label": name, "data-provider": v.provider.name },
    h("header", null, h("h3", null, pasted ? `${name}: the pasted settings` : v.mode ? h("a", { href: link(["cell", v.provider.name, v.mode, v.interaction]) }, name) : name),
      h("span", { class: "muted small" }, v.provider.version)),
    h("p", null, badge(v)), h("p", null, v.reason),
    h("dl", { class: "facts" }, facts.map(([term, value]) => [h("dt", null, term), h("dd", null, value)])),
    more(plural(v.gaps.length, "gap") + " of this kind", v.gaps.map((g) => [direction(g.direction), ": ", g.reason])),
    more("Answers differently in another version", (v.differs ?? []).map((d) => [h("code", null, d.version), " ", badge({ effect: d.effect }), " ", d.reason])),
    more(`Assumed (${v.assumed.length})`, v.assumed),
    v.parts.length > 1 ? more(`Parts (${v.parts.length})`, v.parts.map((p) => [badge({ effect: p.effect }), " ", h("code", null, JSON.stringify(p.request))])) : null,
    h("details", null, h("summary", null, "Trace", trace.count ? ` (${plural(trace.count, "step")})` : ""), trace.node),
    h("details", null, h("summary", null, "Proof: ", listed([...new Set(v.proof.map((p) => p.status))]) || "unverified"), v.proof.length ? proofTable(v.proof) : null));
  // A trace needs room: a card whose trace is open takes the whole row.
  out.querySelectorAll("details").forEach((d) => d.addEventListener("toggle", () => out.classList.toggle("open", out.querySelector("details[open] table") !== null)));
  return out;
}

function more(title, list) {
  return list.length === 0 ? null : h("details", null, h("summary", null, title), h("ul", null, list.map((one) => h("li", null, one))));
}

// traceOf shows the rules that matched; those that didn't are a click away.
function traceOf(v, text) {
  const steps = v.trace ?? [];
  if (steps.length === 0) {
    return { count: 0, node: h("p", { class: "muted" }, "No list of rules was walked: the provider's mode decides, for the reason above.") };
  }
  const passed = steps.filter((s) => !s.matched).length;
  const table = h("table", { class: "trace" + (passed < steps.length ? " short" : "") },
    h("thead", null, h("tr", null, ["For", "Rule", "Text", "What came of it"].map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", null, steps.map((s) => h("tr", { class: s.decided ? "decided" : s.matched ? "matched" : "passed" },
      h("td", null, s.resource ? h("code", null, s.resource) : ""),
      h("td", { class: "turn" }, `${s.layer} ${s.index}`),
      h("td", null, h("code", null, JSON.stringify(s.native)), s.source ? h("div", null, source(text, s.source)) : null),
      h("td", null, s.decided ? [h("strong", null, "decides"), ": "] : s.matched && !s.reason.startsWith("matches") ? "matches: " : null, s.reason)))));
  const all = passed > 0 && passed < steps.length ? h("label", { class: "choice" },
    h("input", { type: "checkbox", onchange: (e) => table.classList.toggle("short", !e.target.checked) }), ` show the ${passed} that don't match, too`) : null;
  return { count: steps.length, node: [all, table] };
}
