// sessions.js lists the sessions of agents, and shows one of them with its
// warnings and its history.
import { matrix as askMatrix, may, me, sessions as askSessions } from "./api.js";
import { h } from "./dom.js";
import { exact } from "./exact.js";
import { live, watch } from "./live.js";
import { moment } from "./outcome.js";
import { view as one } from "./session.js";
import { link, replace } from "./state.js";
import { table } from "./table.js";
import { warnings } from "./warnings.js";
import { providerName } from "./words.js";

export async function view(at) {
  if (at.path[0]) return one(at);
  const matrix = may(await me(), "read") ? await askMatrix() : null;
  const filter = { state: at.params.get("state") ?? "", provider: at.params.get("provider") ?? "", mode: at.params.get("mode") ?? "" };
  const gone = filter.state === "unloaded";
  const rows = h("div", { id: "sessions" });
  let shown = gone ? (await askSessions(filter)).value : null;
  const draw = () => {
    const list = shown?.sessions ?? [...live.sessions.values()].filter((s) => (!filter.provider || s.provider === filter.provider) && (!filter.mode || s.mode === filter.mode));
    const focused = rows.contains(document.activeElement) && document.activeElement.id;
    rows.replaceChildren(...[
      list.length ? table(["Session", "Provider", "Mode", "State", "Waiting", "Warnings", gone ? "Unloaded" : "Changed"], list.map((s) => row(s, matrix)), { named: true, name: "sessions" })
        : h("p", { class: "muted" }, gone ? "No history of an unloaded session is kept." : live.status === "connecting" ? "Asking…" : "No session is loaded."),
      shown?.more ? h("p", { class: "muted" }, "Older ones are kept, too: narrow the list to see them.") : null,
    ].filter(Boolean));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  };
  draw();
  const unwatch = gone ? () => {} : watch((what) => { if (what.sessions || what.status || what.request) draw(); });
  return { title: "Sessions", node: [h("h1", { tabindex: "-1" }, "Sessions"), filters(filter, matrix), rows], leave: unwatch };
}

const label = (matrix, mode) => matrix?.modes.find((m) => m.mode === mode)?.label ?? mode;

function row(s, matrix) {
  const waiting = [...live.requests.values()].filter((r) => r.session === s.id && r.state === "pending").length;
  const warned = warnings(matrix, s);
  return [
    h("a", { href: link(["sessions", s.id]), id: "session-" + s.id }, exact(s.id)), providerName(s.provider), label(matrix, s.mode) + (s.interaction === "plan" ? ", plan" : ""),
    s.state === "unloaded" ? "unloaded" : s.turn ? "a turn runs" : "idle",
    waiting ? h("a", { href: link(["inbox"]) }, String(waiting)) : "0",
    warned.length ? h("span", { class: "wider" }, warned.map((w) => w.short).join("; ")) : "none",
    h("time", { datetime: s.updatedAt, title: s.updatedAt }, moment(s.updatedAt)),
  ];
}

function filters(filter, matrix) {
  const select = (name, title, options) => h("label", null, h("span", null, title),
    h("select", { id: "filter-" + name, onchange: (e) => replace(link(["sessions"], { ...filter, [name]: e.target.value })) },
      options.map(([value, text]) => h("option", { value, selected: filter[name] === value }, text))));
  const modes = matrix?.modes.map((m) => [m.mode, m.label]) ?? ["approval-required", "auto-accept-edits", "auto", "full-access"].map((m) => [m, m]);
  return h("div", { class: "filters" },
    select("state", "State", [["", "loaded"], ["unloaded", "unloaded, history kept"]]),
    select("provider", "Provider", [["", "all"], ...["codex", "claude", "cursor", "grok", "opencode", "opencode2"].map((p) => [p, providerName(p)])]),
    select("mode", "Mode", [["", "all"], ...modes]));
}
