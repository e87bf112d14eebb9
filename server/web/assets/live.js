// live.js follows the service: what waits for somebody, and the sessions. It
// reads the lists, then every event after them; what it shows is current only
// while it says "live".
import { noticed, oneRequest, openRequests, Problem, sessions as askSessions } from "./api.js";

const beat = 10; // seconds between two signs of life that the service is asked for
const silence = 2.5 * beat * 1000; // without one, the connection doesn't count any more
const mostSettled = 200;

const over = (r) => r.state !== "pending" && r.state !== "responding";
const ranks = { pending: 0, responding: 1 };
const rank = (r) => ranks[r.state] ?? 2;

// live is what is known. Requests stay in the order in which they came.
export const live = {
  status: "off", // off, connecting, live, reconnecting
  asOf: 0, // when the service was last heard
  skew: 0, // the service's clock less ours
  policy: "", // in force, as far as is known
  full: false, // more requests wait than are listed
  held: false, // somebody looks at the list: nothing may leave it
  requests: new Map(), sessions: new Map(),
};

const watchers = new Set();

// watch calls back with every change: {status}, {request}, {sessions} or {event}.
export function watch(callback) {
  watchers.add(callback);
  return () => watchers.delete(callback);
}

const tell = (what) => watchers.forEach((callback) => callback(what));

export const pending = () => [...live.requests.values()].filter((r) => r.state === "pending").length;
export const settled = () => [...live.requests.values()].filter(over);

let run = 0; // what belongs to an earlier run is dropped
let source, timer, tried = 0, failures = 0;
let places = { requests: 0, sessions: 0 };
let leave = () => {};

// start follows the service until stop. gone is called when it lets us in no more.
export function start(gone) {
  stop();
  leave = gone;
  load();
}

export function stop() {
  run++;
  source?.close();
  clearTimeout(timer);
  live.requests.clear();
  live.sessions.clear();
  failures = 0;
  say("off");
}

function say(status) {
  if (live.status === status) return;
  live.status = status;
  tell({ status });
}

function heard() {
  live.asOf = Date.now();
}

async function load() {
  const mine = ++run;
  arriving.clear();
  source?.close();
  clearTimeout(timer);
  tried = Date.now();
  say(live.status === "off" ? "connecting" : "reconnecting");
  try {
    const [asked, known] = await Promise.all([openRequests(), everySession()]);
    if (mine !== run) return;
    places = { requests: asked.place, sessions: known.place };
    live.skew = asked.date - Date.now();
    live.policy = asked.policy;
    live.full = asked.value.requests.length >= 1000;
    live.sessions = new Map(known.value.map((s) => [s.id, s]));
    const listed = new Set(asked.value.requests.map((r) => r.id));
    asked.value.requests.forEach(merge);
    [...live.requests.values()].filter((r) => !over(r) && !listed.has(r.id)).forEach((r) => refresh(r.id));
    tell({ sessions: true });
    follow(mine, Math.min(asked.place, known.place));
  } catch (error) {
    if (mine !== run) return;
    if (!(error instanceof Problem)) console.error(error); // a fault of ours
    if (error.status === 401) return leave();
    if (error.status === 403) return say("off");
    again();
  }
}

async function everySession() {
  const all = [];
  let place = Infinity;
  for (let after = ""; ;) {
    const page = await askSessions({ after });
    all.push(...page.value.sessions);
    place = Math.min(place, page.place);
    if (!page.value.more) return { value: all, place };
    after = all.at(-1).id;
  }
}

// again loads everything anew, after a while that grows.
function again() {
  say("reconnecting");
  source?.close();
  clearTimeout(timer);
  const mine = run;
  timer = setTimeout(() => mine === run && load(), Math.min(30, 2 ** failures++) * 1000);
}

const types = [
  "session.runtime-mode-set", "session.updated", "ruleset.changed", "turn.started", "turn.ended", "plan.proposed", "log.gap",
  ...["requested", "response-requested", "resolved", "late-resolution"].flatMap((step) => [`approval.${step}`, `user-input.${step}`]),
];

function follow(mine, place) {
  source = new EventSource(`/v1/events?after=${place}&heartbeat=${beat}s`);
  const on = (type, then) => source.addEventListener(type, (e) => {
    if (mine !== run) return;
    heard();
    then(e);
  });
  on("heartbeat", () => {
    failures = 0;
    say("live"); // it has caught up: the first one comes after all that was missed
  });
  for (const type of types) on(type, (e) => happened(JSON.parse(e.data)));
  source.addEventListener("error", (e) => {
    if (mine !== run) return;
    say("reconnecting");
    tried = Date.now();
    if (e.target.readyState === EventSource.CLOSED) again(); // else the browser goes on by itself, after the last event
  });
}

// A connection that is silent may be dead though nobody has said so.
function check() {
  if (live.status !== "off" && live.status !== "connecting" && Date.now() - Math.max(live.asOf, tried) > silence) load();
}
setInterval(check, 5000);
document.addEventListener("visibilitychange", () => document.hidden || check());

function happened(e) {
  if (e.type === "log.gap") return load();
  live.policy = e.policy;
  if (live.status === "live") noticed(e.policy);
  if (e.request && e.seq > places.requests) arrive(e.request);
  if (e.seq > places.sessions) toSession(e);
  tell({ event: e });
}

// What the session's mode or a grant answers is over as soon as it is asked: a
// request that nobody needs to be asked about isn't shown at all.
const arriving = new Map();

function arrive(request) {
  const { id } = request;
  if (live.requests.has(id)) return merge(request);
  if (arriving.has(id)) return arriving.set(id, request);
  if (over(request)) return;
  arriving.set(id, request);
  const mine = run;
  setTimeout(() => {
    if (mine !== run) return; // loaded anew: the list has it
    const now = arriving.get(id);
    arriving.delete(id);
    if (!over(now)) merge(now);
  }, 100);
}

// merge takes what a request has become; it never goes back.
export function merge(request) {
  const before = live.requests.get(request.id);
  if (before && (rank(before) > rank(request) || over(before) && before.late && !request.late)) return;
  live.requests.set(request.id, request);
  if (!live.held) clear(mostSettled);
  tell({ request });
}

// refresh asks what has become of a request.
export async function refresh(id) {
  try {
    merge(await oneRequest(id));
  } catch (error) {
    const r = live.requests.get(id);
    if (error.status === 404 && r) merge({ ...r, state: "cancelled", reason: "the service no longer keeps it" });
  }
}

// clear forgets the settled requests but for the last ones.
export function clear(keep) {
  const all = settled();
  for (const r of all.slice(0, Math.max(0, all.length - keep))) live.requests.delete(r.id);
}

let soon;
function toSession(e) {
  const s = live.sessions.get(e.session);
  if (!s && e.type === "session.updated" && e.state === "loaded") {
    clearTimeout(soon); // what it is like isn't in the event
    soon = setTimeout(async () => {
      const known = await everySession().catch(() => null);
      if (!known || known.place < places.sessions) return;
      places.sessions = known.place;
      live.sessions = new Map(known.value.map((one) => [one.id, one]));
      tell({ sessions: true });
    }, 200);
  }
  if (!s) return;
  if (e.type === "session.updated" && e.state === "unloaded") live.sessions.delete(e.session);
  if (e.mode && e.type !== "turn.started") Object.assign(s, { mode: e.mode, interaction: e.interaction });
  if (e.type === "turn.started") s.turn = e.turn;
  if (e.type === "turn.ended") delete s.turn;
  if (e.type === "ruleset.changed" && e.revision) Object.assign(s, { ruleset: e.ruleset, revision: e.revision });
  tell({ sessions: true });
}
