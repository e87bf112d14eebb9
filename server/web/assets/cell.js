// cell.js is one cell: what it does, its native settings with their sources, its
// gaps, what was assumed, and what proves it.
import { matrix as askMatrix, policyText as askText, Problem, ruleset as askRuleset } from "./api.js";
import { copyButton, h } from "./dom.js";
import { badge, direction, enforcer } from "./effect.js";
import { at, interactionsOf, providersOf } from "./findings.js";
import { native } from "./native.js";
import { placeLink, source } from "./source.js";
import { link } from "./state.js";
import { table } from "./table.js";
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
  const tried = (s) => link(["try"], { mode: cell.mode, interaction: cell.interaction, workspace: matrix.env.workspace, ...s.action });
  const rows = matrix.samples.map((sample) => {
    const s = cell.samples.find((one) => one.id === sample.id);
    return [
      [sampleName(sample.id), " ", h("a", { class: "small", href: tried(sample), "aria-label": `try: ${sampleName(sample.id)}` }, "try"),
        h("code", { class: "sample" }, actionText(sample.action))],
      [badge(s), s.toolAbsent ? h("div", { class: "small" }, "the tool isn't offered") : null,
        s.native.effect !== s.effect ? h("div", { class: "small" }, "the provider itself: ", badge(s.native)) : null],
      deciderWords(s.decider),
      enforcer(s.enforcer),
      s.policy ? [badge({ effect: s.policy.effect }), " ", s.policy.direction ? direction(s.policy.direction) : null,
        h("div", { class: "small" }, placeLink(s.policy.source))] : h("span", { class: "muted" }, "nothing"),
      [s.reason, s.source ? h("div", { class: "small" }, source(text, s.source)) : null],
    ];
  });
  return h("section", { "aria-labelledby": "does" }, h("h2", { id: "does" }, "What it does"),
    table(["The agent wants to", "Answer", "Who decides", "Who enforces", "The policy says", "Why"], rows, { name: "does", named: true }));
}

function gaps(cell, text) {
  const accepted = (id) => text.acknowledge.find((a) => a.gap === id);
  const rows = cell.gaps.map((g) => [
    [direction(g.direction), h("div", { class: "small" }, g.kind)],
    [g.want === "unknown" ? "—" : badge({ effect: g.want }), h("div", { class: "small" }, source(text, g.source))],
    badge({ effect: g.got }),
    [g.reason, h("div", { class: "small muted" }, h("code", null, g.id))],
    g.acknowledged ? ["yes: ", accepted(g.id)?.reason ?? "", accepted(g.id) ? h("div", { class: "small" }, placeLink(accepted(g.id).source)) : null] :
      g.direction === "wider" ? h("strong", { class: "wider" }, "no") : h("span", { class: "muted" }, "not needed"),
  ]);
  return h("section", { "aria-labelledby": "gaps" }, h("h2", { id: "gaps" }, `Gaps (${cell.gaps.length})`),
    rows.length ? table(["Direction", "The policy says", "The provider does", "Why", "Acknowledged"], rows) :
      h("p", { class: "muted" }, "None: as far as the settings were compared with the policy, they mean the same."));
}

function assumed(cell, set) {
  const all = [...new Set([...set.assumed, ...cell.samples.flatMap((s) => s.assumed)])];
  return h("section", null, h("h2", null, "Assumed"),
    all.length === 0 ? h("p", { class: "muted" }, "Nothing.") :
      [h("p", { class: "muted" }, "What isn't known without a session, and was taken instead. Give it in the playground."), h("ul", null, all.map((a) => h("li", null, a)))]);
}

// proofTable tells proofs as they are kept: what isn't proven says so.
export const proofTable = (list) => table(["Claim", "Status", "By", "Date"],
  list.map((p) => [p.claim, h("span", { class: "status " + p.status }, p.status), p.by || "—", p.date || "—"]), { name: "proof", named: true });

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
