// matrix.js is the first view: for one sample Action, what all 48 cells do.
import { matrix as ask } from "./api.js";
import { h } from "./dom.js";
import { against, badge, effectClass, enforcer, outcomeWords, shape, shortConfinement } from "./effect.js";
import { alike, at, gapsOf, interactionsOf, partings, phrase, providersOf, sampleOf, weak } from "./findings.js";
import { arrows } from "./keys.js";
import { link, replace } from "./state.js";
import { actionText, effectMeans, interactionMeans, interactionName, listed, plural, providerName, sampleName } from "./words.js";

export async function view({ params }) {
  const matrix = await ask();
  const chosen = matrix.samples.find((s) => s.id === params.get("action")) ?? matrix.samples[0];
  return {
    title: "Matrix",
    node: [h("div", { class: "first" },
      h("div", { class: "asks" },
        h("h1", { tabindex: "-1" }, "What happens when an agent wants to ", sampleName(chosen.id)),
        h("span", { class: "muted small" }, "sample: ", h("code", null, actionText(chosen.action) || "any"), " in ", h("code", null, matrix.env.workspace))),
      chips(matrix, chosen),
      legend(),
      h("div", { class: "tables" }, interactionsOf(matrix).map((i) => table(matrix, i, chosen)))),
      parting(matrix, chosen),
      worth(matrix),
    ],
  };
}

function chips(matrix, chosen) {
  return h("fieldset", { class: "chips" }, h("legend", { class: "hidden" }, "The agent wants to"),
    matrix.samples.map((s) => h("label", { title: actionText(s.action) },
      h("input", {
        type: "radio", name: "action", id: "action-" + s.id, value: s.id, checked: s === chosen,
        onchange: () => replace(link([], { action: s.id === matrix.samples[0].id ? "" : s.id })),
      }), h("span", null, sampleName(s.id)))));
}

function legend() {
  return h("ul", { class: "legend", "aria-label": "Legend" },
    Object.entries(effectMeans).map(([effect, means]) => h("li", null, badge({ effect }), means)),
    h("li", null, badge({ effect: "allow", confinement: "workspace-write" }, false), "runs, inside an OS sandbox"),
    h("li", null, h("span", { class: "wider here" }, "▲ policy: ask"), "wider than the policy, which says ask"),
    h("li", null, h("span", { class: "wider" }, "▲ not in all cases"), "other actions of this kind go further"),
    h("li", null, "▽ stricter than the policy"),
    h("li", null, enforcer("instruction"), "the model is only told"));
}

function table(matrix, interaction, chosen) {
  const name = interactionName(interaction);
  const grid = h("table", { class: "matrix", role: "grid", "data-interaction": interaction, "aria-label": `${name}: ${sampleName(chosen.id)}` },
    h("caption", null, name, " ", h("span", null, "— " + interactionMeans(interaction))),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, h("th", { class: "who", role: "columnheader", scope: "col" }, h("span", { class: "hidden" }, "Provider")),
      matrix.modes.map((m) => {
        const n = partings(matrix, m.mode, interaction, chosen.id).length;
        return h("th", { role: "columnheader", scope: "col" }, m.label,
          h("span", { class: n > 1 ? "parted many" : "parted" }, n > 1 ? `${n} answers` : "one answer"));
      }))),
    h("tbody", { role: "rowgroup" }, providersOf(matrix).map((p) => row(matrix, p, interaction, chosen))));
  arrows(grid, "a.square");
  return grid;
}

function row(matrix, provider, interaction, chosen) {
  const proof = at(matrix, provider, matrix.modes[0].mode, interaction).proof;
  return h("tr", { role: "row" },
    h("th", { role: "rowheader", scope: "row" }, providerName(provider),
      h("span", { class: "proofs", title: proof.map((p) => `${p.claim}: ${p.status}`).join("\n") }, [...new Set(proof.map((p) => p.status))].join(", "))),
    matrix.modes.map((m) => h("td", { role: "gridcell" }, square(at(matrix, provider, m.mode, interaction), m.label, chosen))));
}

function square(cell, label, chosen) {
  const s = sampleOf(cell, chosen.id);
  const elsewhere = s.policy?.direction === "wider" ? [] : gapsOf(cell, chosen.action).filter((g) => g.direction === "wider");
  const words = `${providerName(cell.provider)}, ${label}, ${interactionName(cell.interaction)}: ${outcomeWords(s)}` +
    (elsewhere.length ? `; wider in some cases: ${elsewhere.map((g) => g.reason).join("; ")}` : "");
  return h("a", {
    class: "square " + effectClass(s), id: ["square", cell.provider, cell.mode, cell.interaction].join("-"),
    href: link(["cell", cell.provider, cell.mode, cell.interaction], { action: chosen.id }), "aria-label": words, title: s.reason,
  },
    h("span", { class: "word" }, shape(s), s.effect),
    shortConfinement(s) ? h("span", null, shortConfinement(s)) : null,
    enforcer(s.enforcer),
    s.toolAbsent ? h("span", null, "tool not offered") : null,
    against(s) ?? (elsewhere.length ? h("span", { class: "wider against", title: elsewhere.map((g) => g.reason).join("\n") }, "▲ not in all cases") : null));
}

function parting(matrix, chosen) {
  return h("section", null, h("h2", null, "Under one mode name"),
    h("p", { class: "muted" }, `What each mode means for “${sampleName(chosen.id)}”, provider by provider.`),
    h("ul", { class: "findings" }, interactionsOf(matrix).flatMap((i) => matrix.modes.map((m) => {
      const groups = partings(matrix, m.mode, i, chosen.id);
      const text = groups.length === 1 ? `all ${groups[0].who.length} providers do the same: ${groups[0].sample.effect}` : groups.map(phrase).join("; ");
      return h("li", null, h("strong", null, m.label + (i === "default" ? "" : `, ${i}`)), ": " + text + ".");
    }))));
}

function worth(matrix) {
  const wider = matrix.cells.flatMap((c) => c.gaps).filter((g) => g.direction === "wider");
  const ids = new Set(wider.map((g) => g.id));
  const unknown = matrix.cells.flatMap((c) => c.samples).filter((s) => s.effect === "unknown").length;
  const lines = [
    ...weak(matrix, (s) => s.enforcer === "nobody" && s.policy?.direction === "wider").map((f) =>
      [providerName(f.provider), `: where the policy says otherwise, actions run and nobody enforces anything, in ${listed(f.modes)}.`]),
    ...weak(matrix, (s) => s.enforcer === "instruction").map((f) =>
      [providerName(f.provider), `: in ${listed(f.interactions)}, only an instruction to the model holds some actions back, in ${listed(f.modes)}.`]),
    ...alike(matrix).map((f) => [providerName(f.provider), `: ${f.text}.`]),
    ["Gaps", `: the settings are wider than the policy in ${plural(ids.size, "way")} (${plural(wider.length, "place")} in the matrix), ${wider.every((g) => g.acknowledged) ? "all acknowledged by the policy" : "not all acknowledged"}.`],
    unknown ? ["Unknown", `: ${plural(unknown, "answer")} can't be predicted.`] : null,
  ].filter(Boolean);
  return h("section", null, h("h2", null, "Worth a look"),
    h("p", { class: "muted" }, `Compared over all ${matrix.samples.length} sample actions.`),
    h("ul", { class: "findings" }, lines.map(([who, text]) => h("li", null, h("strong", null, who), text))),
    h("p", null, "All of it, with an action that shows each finding and what proves it: ", h("a", { href: "/v1/audit?format=html" }, "the audit of this policy"), "."));
}
