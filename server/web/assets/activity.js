// activity.js is one thing that happened in a session. What a provider or an
// agent wrote (a title, a plan in Markdown) is shown as the text that it is.
import { h } from "./dom.js";
import { box, exact } from "./exact.js";
import { byWords, moment, outcome } from "./outcome.js";

export function activity(e, matrix) {
  const label = matrix?.modes.find((m) => m.mode === e.mode)?.label ?? e.mode;
  const what = words(e, label);
  return h("li", { "data-type": e.type, "data-seq": e.seq },
    h("time", { datetime: e.at, title: e.at }, moment(e.at)),
    h("div", null, h("p", null, h("strong", null, what), e.by ? ` · ${byWords(e.by)}` : ""),
      e.request ? h("p", null, h("code", { class: "exact" }, exact(e.request.title))) : null,
      detail(e) ? h("p", { class: "muted exact" }, exact(detail(e))) : null,
      e.plan ? box(e.plan.markdown, "the plan") : null,
      h("details", { ontoggle: (t) => { const d = t.target; if (d.open && d.children.length === 1) d.append(...box(JSON.stringify(e, null, 2), "the whole record").filter(Boolean)); } },
        h("summary", null, `Record ${e.seq}`))));
}

const applies = { "in-session": "at once", restart: "by starting the live session anew", "next-turn": "with the next turn" };

function words(e, label) {
  switch (e.type) {
    case "session.updated": return e.state === "unloaded" ? "Unloaded" : `Loaded: ${label}, ${e.interaction}`;
    case "session.runtime-mode-set": return `Mode set: ${label}, ${e.interaction}`;
    case "ruleset.changed": return e.revision ? `Rules changed, revision ${e.revision}` : "Rules can't be compiled";
    case "turn.started": return `Turn started: ${label}, ${e.interaction}`;
    case "turn.ended": return `Turn ended: ${e.status}`;
    case "approval.requested": return "Approval asked for";
    case "user-input.requested": return "Question asked";
    case "approval.response-requested": case "user-input.response-requested": return e.stale ? "Answered" : "Answered, on its way";
    case "approval.resolved": case "user-input.resolved": return `Over: ${e.request.state}`;
    case "approval.late-resolution": case "user-input.late-resolution": return "Reported after its end";
    case "plan.proposed": return "Plan proposed, not executed";
  }
  return e.type;
}

function detail(e) {
  const when = e.applies ? `It reaches the provider ${applies[e.applies] ?? e.applies}.` : "";
  const parts = e.request && /resol|response/.test(e.type) ? [outcome(e.request)] : [e.reason && e.reason + ".", when];
  return parts.filter(Boolean).join(" ");
}
