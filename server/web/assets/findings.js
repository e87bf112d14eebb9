// findings.js compares cells: where providers part under one mode name, and where
// what has two names does the same. It speaks of the samples alone, and says so.
import { listed, providerName } from "./words.js";

// outcome is what two answers must share to count as one.
const outcome = (s) => s.effect + "/" + s.confinement;
const signature = (cell) => cell.samples.map((s) => outcome(s) + "/" + s.enforcer).join(" ");

const order = ["allow", "review", "ask", "deny", "unknown"];
const verbs = {
  allow: ["allows", "allow"], review: ["has its reviewer decide", "have their reviewers decide"], ask: ["asks", "ask"],
  deny: ["denies", "deny"], unknown: ["can't be predicted", "can't be predicted"],
};

// at finds one cell.
export const at = (matrix, provider, mode, interaction) =>
  matrix.cells.find((c) => c.provider === provider && c.mode === mode && c.interaction === interaction);

export const providersOf = (matrix) => [...new Set(matrix.cells.map((c) => c.provider))];
export const interactionsOf = (matrix) => [...new Set(matrix.cells.map((c) => c.interaction))];
export const sampleOf = (cell, id) => cell.samples.find((s) => s.id === id);

// partings groups the providers by what they do with one sample in one mode.
export function partings(matrix, mode, interaction, id) {
  const groups = new Map();
  for (const provider of providersOf(matrix)) {
    const sample = sampleOf(at(matrix, provider, mode, interaction), id);
    const key = outcome(sample);
    if (!groups.has(key)) groups.set(key, { sample, who: [] });
    groups.get(key).who.push({ provider, sample });
  }
  return [...groups.values()].sort((a, b) => order.indexOf(a.sample.effect) - order.indexOf(b.sample.effect) ||
    outcome(a.sample).localeCompare(outcome(b.sample)));
}

// phrase says one group: "Grok and OpenCode 2 ask".
export function phrase({ sample, who }) {
  const verb = (verbs[sample.effect] ?? [sample.effect, sample.effect])[who.length > 1 ? 1 : 0];
  const boxed = sample.effect === "allow" && sample.confinement !== "none" ? " in a sandbox" : "";
  return listed(who.map((w) => providerName(w.provider))) + " " + verb + boxed;
}

// alike finds what has two names and does the same.
export function alike(matrix) {
  const out = [];
  const label = (mode) => matrix.modes.find((m) => m.mode === mode).label;
  for (const provider of providersOf(matrix)) {
    for (const interaction of interactionsOf(matrix)) {
      const groups = Map.groupBy(matrix.modes, (m) => signature(at(matrix, provider, m.mode, interaction)));
      for (const modes of groups.values()) {
        if (modes.length > 1) out.push({ provider, interaction, same: modes.length, text: `${listed(modes.map((m) => m.label))} act alike` });
      }
    }
    const unmoved = matrix.modes.filter((m) => {
      const [first, ...rest] = interactionsOf(matrix).map((i) => signature(at(matrix, provider, m.mode, i)));
      return rest.every((s) => s === first);
    });
    if (unmoved.length > 0) {
      const all = unmoved.length === matrix.modes.length;
      out.push({ provider, interaction: "plan", text: "plan makes no difference" + (all ? "" : ` in ${listed(unmoved.map((m) => label(m.mode)))}`) });
    }
  }
  return merge(out);
}

// merge says everything of a provider together, and once what holds in every
// interaction mode.
function merge(found) {
  const texts = [...Map.groupBy(found, (f) => f.provider + f.text).values()].map((g) => ({
    provider: g[0].provider, text: g[0].text + (g.length === 1 && g[0].same ? (g[0].interaction === "plan" ? " in plan" : " by default") : ""),
  }));
  return [...Map.groupBy(texts, (t) => t.provider)].map(([provider, g]) => ({ provider, text: g.map((t) => t.text).join("; ") }));
}

// weak finds where an answer to any sample is held by too little, by provider.
export function weak(matrix, is) {
  return [...Map.groupBy(matrix.cells.filter((c) => c.samples.some(is)), (c) => c.provider)].map(([provider, cells]) => ({
    provider, interactions: [...new Set(cells.map((c) => c.interaction))],
    modes: matrix.modes.filter((m) => cells.some((c) => c.mode === m.mode)).map((m) => m.label),
  }));
}

// gapsOf are the gaps that concern an Action of this kind.
export const gapsOf = (cell, action) =>
  cell.gaps.filter((g) => g.kind === action.kind || g.kind === "any" || (g.kind === "outside-workspace" && action.path));
