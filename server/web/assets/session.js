// session.js is one session: what it runs under, what to beware of, and all that
// happened in it, as it happens.
import { activities, changeSession, matrix as askMatrix, may, me, Problem, sessionRuleset, sessions as askSessions } from "./api.js";
import { activity } from "./activity.js";
import { h, say } from "./dom.js";
import { exact } from "./exact.js";
import { live, watch } from "./live.js";
import { problem } from "./problem.js";
import { link } from "./state.js";
import { warnings } from "./warnings.js";
import { interactionName, plural, providerName } from "./words.js";

export async function view({ path }) {
  const id = path[0];
  const who = await me();
  const matrix = may(who, "read") ? await askMatrix() : null;
  const [loaded, first] = await Promise.all([find(id), activities(id, 0)]);
  const facts = h("div"), history = h("ol", { class: "history", id: "history" }), more = h("div");
  let session = loaded, last = 0;

  const append = (list) => {
    for (const e of list) {
      if (e.seq <= last) continue; // told twice
      last = e.seq;
      history.append(activity(e, matrix));
    }
  };
  let complete = false; // all that happened is shown: what happens now is put after it
  const rest = (page) => {
    complete = !page.more;
    more.replaceChildren(...(page.more ? [h("button", {
    type: "button", id: "more", onclick: async () => {
      try {
        const next = await activities(id, last);
        append(next.activities);
        rest(next);
      } catch (error) {
        more.append(problem(error));
      }
    },
  }, "Show what came later")] : []));
  };
  append(first.activities);
  rest(first);

  const cautions = h("div");
  let judged = "";
  const draw = async () => {
    session = live.sessions.get(id) ?? session;
    facts.replaceChildren(summary(session, matrix));
    const key = session && [session.ruleset, session.mode, session.interaction, session.state].join();
    if (key === judged) return;
    judged = key;
    const found = await caution(session, matrix);
    if (key === judged) cautions.replaceChildren(...[found].filter(Boolean));
  };
  await draw();
  const change = may(who, "adapter") && session?.state === "loaded" ? modeForm(session, matrix) : null;
  const unwatch = watch((what) => {
    if (what.event?.session === id && complete) append([what.event]);
    if (what.event?.session === id && what.event.state === "unloaded" && session) session = { ...session, state: "unloaded", turn: undefined };
    if (what.status === "live" && complete) activities(id, last).then((page) => append(page.activities), () => {}); // what was missed
    if (what.sessions || what.event?.session === id) draw();
  });
  return {
    title: `Session ${id}`, leave: unwatch,
    node: [
      h("p", { class: "back" }, h("a", { href: link(["sessions"]) }, "← Sessions")),
      h("h1", { tabindex: "-1" }, "Session ", h("span", { class: "exact" }, exact(id))),
      facts, cautions, change,
      h("section", { "aria-labelledby": "happened" }, h("h2", { id: "happened" }, "What happened"), history, more),
    ].filter(Boolean),
  };
}

// find is the session as a list has it, null when its history alone is known.
async function find(id) {
  if (live.sessions.has(id)) return live.sessions.get(id);
  for (const state of ["loaded", "unloaded"]) {
    for (let after = ""; ;) {
      const { value } = await askSessions({ state, after });
      const found = value.sessions.find((s) => s.id === id);
      if (found) return found;
      if (!value.more) break;
      after = value.sessions.at(-1).id;
    }
  }
  return null;
}

function summary(s, matrix) {
  if (!s) return h("p", { class: "muted" }, "It is unloaded; its history is kept.");
  const label = matrix?.modes.find((m) => m.mode === s.mode)?.label ?? s.mode;
  const rows = [
    ["state", s.state === "unloaded" ? "unloaded" : s.turn ? ["a turn runs: ", h("code", { class: "exact" }, exact(s.turn))] : "loaded, no turn runs"],
    ["provider", providerName(s.provider)],
    ["mode", [matrix ? h("a", { href: link(["cell", s.provider, s.mode, s.interaction]) }, label) : label, ` · ${interactionName(s.interaction)}`]],
    ["workspace", h("code", { class: "exact" }, exact(s.workspace))],
    s.parent ? ["started by", h("a", { href: link(["sessions", s.parent]) }, exact(s.parent))] : null,
    ["rules", [h("code", null, s.ruleset), ` · ${plural(s.revision, "revision")}`]],
    ["a mode change", s.modeChange === "in-session" ? "reaches the provider at once" : "starts the live session anew while a turn runs"],
  ].filter(Boolean);
  return h("dl", { class: "identity", id: "facts" }, rows.map(([term, value]) => [h("dt", null, term), h("dd", null, value)]));
}

// caution is what to beware of: of the mode, and of this session's own rules.
async function caution(s, matrix) {
  if (!s || !matrix) return null;
  const list = warnings(matrix, s).map((w) => w.long);
  if (s.state === "loaded") {
    try {
      const { gaps, assumed } = await sessionRuleset(s.id);
      const own = gaps.filter((g) => g.direction === "wider" && !g.acknowledged);
      list.push(...own.map((g) => `Not acknowledged: ${g.reason}`), ...assumed.map((a) => `Assumed: ${a}`));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status === 422) list.push(`Its rules can't be compiled: ${error.message}`);
    }
  }
  return h("section", { id: "warnings", "aria-labelledby": "beware" }, h("h2", { id: "beware" }, `Warnings (${list.length})`),
    list.length ? h("ul", null, list.map((text) => h("li", null, exact(text)))) : h("p", { class: "muted" }, "None."));
}

function modeForm(s, matrix) {
  const said = h("div", { role: "status" });
  const modes = matrix?.modes.map((m) => [m.mode, m.label]) ?? ["approval-required", "auto-accept-edits", "auto", "full-access"].map((m) => [m, m]);
  const select = (name, title, options, current) => h("label", null, h("span", null, title),
    h("select", { name, id: "set-" + name }, options.map(([value, text]) => h("option", { value, selected: value === current }, text))));
  return h("form", {
    class: "mode", id: "mode", onsubmit: async (e) => {
      e.preventDefault();
      const to = { mode: e.target.elements.mode.value, interaction: e.target.elements.interaction.value };
      try {
        const now = await changeSession(s.id, to);
        const words = now.turn ? now.modeChange === "in-session" ? "It reaches the provider at once." : "The live session is started anew." : "It holds from the next turn on.";
        said.replaceChildren(h("p", null, `The mode is set. ${words}`));
      } catch (error) {
        said.replaceChildren(problem(error));
      }
      say(said.textContent);
    },
  }, h("h2", null, "Change the mode"), h("div", { class: "filters" },
    select("mode", "Mode", modes, s.mode), select("interaction", "Interaction", ["default", "plan"].map((i) => [i, interactionName(i)]), s.interaction),
    h("button", { class: "main", id: "set" }, "Set the mode")), said);
}
