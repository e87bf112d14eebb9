// cell.js is one cell: what it does, its native settings with their sources, its
// gaps, what was assumed, and what proves it.
import { matrix as askMatrix, policyText as askText, Problem, ruleset as askRuleset } from "./api.js";
import { copyButton, h } from "./dom.js";
import { badge, direction, enforcer } from "./effect.js";
import { at, interactionsOf, providersOf } from "./findings.js";
import { native } from "./native.js";
import { placeLink, source } from "./source.js";
import { link } from "./state.js";
import { actionText, deciderWords, interactionName, providerName, sampleName } from "./words.js";

export async function view({ path, params }) {
  const [provider, mode, interaction] = path;
  const [matrix, text] = await Promise.all([askMatrix(), askText()]);
  const cell = at(matrix, provider, mode, interaction);
  if (!cell) throw new Problem(404, { title: "No such cell", detail: `There is no cell ${path.join("/")}.` });
  const rules = await askRuleset(provider, mode, interaction);
  const label = matrix.modes.find((m) => m.mode === mode).label;
  const name = `${providerName(provider)} · ${label} · ${interactionName(interaction)}`;
  return {
    title: name,
    node: [
      h("p", { class: "back" }, h("a", { href: link([], { action: params.get("action") }), id: "back" }, "← Matrix")),
      h("h1", { tabindex: "-1" }, name),
      picker(matrix, cell, params.get("action")),
      does(matrix, cell, text),
      native(rules, text),
      gaps(cell, text),
      assumed(cell, rules.value),
      proofs(cell),
      identity(rules.value),
    ],
  };
}

// picker leads to the neighbours, so that cells can be flipped through.
function picker(matrix, cell, action) {
  const row = (title, key, words) => h("nav", { class: "pick", "aria-label": title }, h("span", { class: "muted" }, title),
    words.map(([value, label]) => h("a", {
      id: `to-${value}`, "aria-current": cell[key] === value && "page",
      href: link(["cell", ...["provider", "mode", "interaction"].map((k) => (k === key ? value : cell[k]))], { action }),
    }, label)));
  return h("div", { class: "picker" },
    row("Provider", "provider", providersOf(matrix).map((p) => [p, providerName(p)])),
    row("Mode", "mode", matrix.modes.map((m) => [m.mode, m.label])),
    row("Interaction", "interaction", interactionsOf(matrix).map((i) => [i, interactionName(i)])));
}

function does(matrix, cell, text) {
  const head = ["The agent wants to", "Answer", "Who decides", "Who enforces", "The policy says", "Why"];
  const try_ = (s) => link(["try"], { mode: cell.mode, interaction: cell.interaction, workspace: matrix.env.workspace, ...s.action });
  return h("section", { "aria-labelledby": "does" }, h("h2", { id: "does" }, "What it does"),
    h("table", { class: "rows does" },
      h("thead", null, h("tr", null, head.map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", null, matrix.samples.map((sample) => {
        const s = cell.samples.find((one) => one.id === sample.id);
        const label = (i) => ({ "data-label": head[i] });
        return h("tr", null,
          h("th", { scope: "row" }, sampleName(sample.id), " ", h("a", { class: "small", href: try_(sample), "aria-label": `try: ${sampleName(sample.id)}` }, "try"),
            h("code", { class: "sample" }, actionText(sample.action))),
          h("td", label(1), badge(s), s.toolAbsent ? h("div", { class: "small" }, "the tool isn’t offered") : null,
            s.native.effect !== s.effect ? h("div", { class: "small" }, "the provider itself: ", badge(s.native)) : null),
          h("td", label(2), deciderWords(s.decider)),
          h("td", label(3), enforcer(s.enforcer)),
          h("td", label(4), s.policy ? [badge({ effect: s.policy.effect }), " ", s.policy.direction ? direction(s.policy.direction) : null,
            h("div", { class: "small" }, placeLink(s.policy.source))] : h("span", { class: "muted" }, "nothing")),
          h("td", { ...label(5), class: "why" }, s.reason, s.source ? h("div", { class: "small" }, source(text, s.source)) : null));
      }))));
}

function gaps(cell, text) {
  const accepted = (id) => text.acknowledge.find((a) => a.gap === id);
  const head = ["Direction", "The policy says", "The provider does", "Why", "Acknowledged"];
  return h("section", { "aria-labelledby": "gaps" }, h("h2", { id: "gaps" }, `Gaps (${cell.gaps.length})`),
    cell.gaps.length === 0 ? h("p", { class: "muted" }, "None: as far as the settings were compared with the policy, they mean the same.") :
      h("table", { class: "rows" },
        h("thead", null, h("tr", null, head.map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", null, cell.gaps.map((g) => h("tr", null,
          h("td", { "data-label": head[0] }, direction(g.direction), h("div", { class: "small" }, g.kind)),
          h("td", { "data-label": head[1] }, g.want === "unknown" ? "—" : badge({ effect: g.want }), h("div", { class: "small" }, source(text, g.source))),
          h("td", { "data-label": head[2] }, badge({ effect: g.got })),
          h("td", { "data-label": head[3], class: "why" }, g.reason, h("div", { class: "small muted" }, h("code", null, g.id))),
          h("td", { "data-label": head[4], class: "why" }, g.acknowledged ? ["yes: ", accepted(g.id)?.reason ?? "", h("div", { class: "small" }, source(null, accepted(g.id)?.source))] :
            g.direction === "wider" ? h("strong", { class: "wider" }, "no") : h("span", { class: "muted" }, "not needed")))))));
}

function assumed(cell, set) {
  const all = [...new Set([...set.assumed, ...cell.samples.flatMap((s) => s.assumed)])];
  return h("section", null, h("h2", null, "Assumed"),
    all.length === 0 ? h("p", { class: "muted" }, "Nothing.") :
      [h("p", { class: "muted" }, "What isn’t known without a session, and was taken instead. Give it in the playground."), h("ul", null, all.map((a) => h("li", null, a)))]);
}

// proofs are told as they are kept: what isn't proven says so.
export function proofTable(list) {
  const head = ["Claim", "Status", "By", "Date"];
  return h("table", { class: "rows proof" },
    h("thead", null, h("tr", null, head.map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", null, list.map((p) => h("tr", null, h("th", { scope: "row" }, p.claim),
      h("td", { "data-label": head[1] }, h("span", { class: "status " + p.status }, p.status)),
      h("td", { "data-label": head[2] }, p.by || "—"), h("td", { "data-label": head[3] }, p.date || "—")))));
}

function proofs(cell) {
  return h("section", null, h("h2", null, "Proof"),
    h("p", { class: "muted small" }, "verified: the named program gave these answers; recorded: a recording of the real wire; documented: a text says so; unverified: nobody has checked."),
    cell.proof.length ? proofTable(cell.proof) : h("p", null, h("span", { class: "status unverified" }, "unverified"), " Nothing proves this."));
}

function identity(set) {
  const row = (name, value) => [h("dt", null, name), h("dd", null, h("code", null, value), " ", copyButton("Copy", value))];
  return h("section", null, h("h2", null, "Identity"),
    h("dl", { class: "identity" }, row("Rule set", set.digest), row(`Policy ${set.policy.name}`, set.policy.digest),
      set.agent ? [h("dt", null, "Agent"), h("dd", null, h("code", null, set.agent))] : null,
      row("Interface", `/v1/rulesets/${set.provider}/${set.mode}/${set.interaction}`)));
}
