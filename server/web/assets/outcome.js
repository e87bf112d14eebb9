// outcome.js says in words what becomes of a request, by whom and why.

const who = {
  "modegate:mode": "the session's mode", "modegate:grant": "what was allowed for this session", "modegate:expiry": "the time limit",
  "modegate:restart": "the service's restart", "modegate:turn-end": "the end of its turn", "modegate:unload": "the end of its session",
  "modegate:guardrail": "a guardrail", "modegate:retention": "the service's retention", "modegate:reload": "a new policy",
  "provider:another-client": "another client, at the provider", "provider:adapter": "the provider's adapter",
};
export const byWords = (by) => who[by] ?? by;

const done = { accept: "allowed", acceptForSession: "allowed for this session", acceptAlways: "allowed for good", decline: "refused", cancel: "refused" };

// answered is the answer and by whom it was given.
function answered(r) {
  const by = r.decidedBy ? ` by ${byWords(r.decidedBy)}` : "";
  if (r.shape === "question") return (r.decision === "cancel" ? "dismissed" : "answered") + by;
  return (done[r.decision] ?? "answered") + by + (r.decision === "cancel" ? ", and the run ended" : "");
}

const first = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const ends = { expired: "Expired", cancelled: "Closed without an answer", failed: "Failed" };

// outcome is a request's state as a sentence, "" while it waits.
export function outcome(r) {
  return [state(r, r.reason ? `: ${r.reason}` : ""), late(r)].filter(Boolean).join(" ");
}

function state(r, why) {
  switch (r.state) {
    case "pending": return "";
    case "responding": return `Responding: ${answered(r)}. On its way to the agent, not there yet.`;
    case "resolved": return `${first(answered(r))}${why}.`;
  }
  if (r.state === "cancelled" && r.decision === "cancel") return `${first(answered(r))}${why}.`;
  const given = r.decision || r.respondedAt ? `, after ${answered(r)}` : r.decidedBy ? ` by ${byWords(r.decidedBy)}` : "";
  return `${ends[r.state] ?? r.state}${given}${why}.`;
}

const reports = { delivered: "delivered", failed: "not delivered", settled: "settled by another client" };

function late(r) {
  if (!r.late) return "";
  return `Reported afterwards by ${byWords(r.late.by)}: ${reports[r.late.status] ?? r.late.status}${r.late.reason ? `, ${r.late.reason}` : ""}.`;
}

// moment is a time of day, or a date and a time when it isn't today.
export function moment(text, now = Date.now()) {
  const at = new Date(text);
  const day = at.toDateString() === new Date(now).toDateString() ? {} : { year: "numeric", month: "short", day: "numeric" };
  return at.toLocaleString("en", { ...day, hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
}

// span is a length of time in its largest unit, or two of them.
export function span(milliseconds) {
  const s = Math.max(0, Math.round(milliseconds / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}
