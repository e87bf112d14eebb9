// main.js starts the page: it reads the address, asks the view for what to show,
// and keeps the header.
import { forget, loaded, may, me, onPolicyChange, Problem, signOut } from "./api.js";
import { h, say } from "./dom.js";
import { errorList, problem } from "./problem.js";
import * as live from "./live.js";
import * as matrix from "./matrix.js";
import * as cell from "./cell.js";
import * as playground from "./playground.js";
import * as policy from "./policy.js";
import * as inbox from "./inbox.js";
import * as sessions from "./sessions.js";
import * as signin from "./signin.js";
import { link, read } from "./state.js";

const views = { matrix, cell, try: playground, policy, inbox, sessions };
const main = document.getElementById("main");
let turn = 0;
let shown = "";
let title = "";
let leave = null; // the view that is shown may have something to end
let scopes = null; // of whoever has signed in

async function route() {
  const mine = ++turn;
  const at = read();
  if (at.view === "matrix" && scopes && !may({ scopes }, "read")) at.view = "inbox"; // what there is to see without it
  const where = at.view + "/" + at.path.join("/");
  const slow = setTimeout(() => { if (mine === turn) main.replaceChildren(h("p", { class: "loading" }, "Loading…")); }, 250);
  let page;
  try {
    page = await (views[at.view] ?? views.matrix).view(at);
  } catch (error) {
    if (error.status === 401) signedOut();
    page = error.status === 401 ? signin.view(start) : { title: "Problem", node: [h("h1", { tabindex: "-1" }, "This can't be shown"), problem(error)] };
    if (!(error instanceof Problem)) console.error(error); // a fault of ours
  }
  clearTimeout(slow);
  if (mine !== turn) return page.leave?.(); // the reader has gone on
  // A view is drawn anew for every change; whoever had the focus keeps it.
  const focused = document.activeElement?.id;
  const before = shown;
  leave?.();
  leave = page.leave ?? null;
  main.replaceChildren(...page.node.flat(Infinity));
  shown = where;
  title = page.title;
  document.body.dataset.view = at.view;
  tabs(at.view);
  following();
  const again = focused && main.querySelector("#" + CSS.escape(focused));
  if (again) again.focus({ preventScroll: true });
  else if (before !== where) arrive(before, page.title);
}

// arrive puts the focus where a reader goes on: at the square that was opened
// when coming back from its cell, else at the heading.
function arrive(before, title) {
  const square = before.startsWith("cell/") && document.getElementById("square-" + before.slice(5).replaceAll("/", "-"));
  if (square) return square.focus();
  window.scrollTo(0, 0);
  if (before) main.querySelector("h1")?.focus({ preventScroll: true });
  say(title);
}

const links = [
  ["matrix", [], "Matrix", "read"], ["try", ["try"], "Playground", "read"], ["policy", ["policy"], "Policy", "read"],
  ["inbox", ["inbox"], "Inbox"], ["sessions", ["sessions"], "Sessions"],
];
const badge = h("span", { class: "count" });

function tabs(view) {
  const current = { cell: "matrix" }[view] ?? view;
  document.getElementById("tabs").replaceChildren(...links.filter(([, , , scope]) => !scope || !scopes || may({ scopes }, scope)).map(
    ([name, path, label]) => h("a", { href: link(path), "aria-current": name === current && "page" }, label, name === "inbox" ? badge : null)));
}

// following shows how many requests wait, wherever the reader is, and whether
// that is current.
function following() {
  const n = live.pending();
  document.title = (n ? `(${n}) ` : "") + title + " · modegate";
  badge.replaceChildren(...(n ? [String(n), h("span", { class: "hidden" }, " waiting")] : []));
  const state = document.getElementById("live");
  const { status } = live.live;
  if (state.className === status) return;
  state.className = status;
  state.textContent = status === "off" ? "" : status;
}
live.watch(following);

// signedOut is what follows when the service lets us in no more.
function signedOut() {
  live.stop();
  scopes = null;
  document.getElementById("status").replaceChildren();
}

// header says which policy is in force, its state, and who is signed in.
async function header() {
  const status = document.getElementById("status");
  try {
    const who = await me();
    const now = may(who, "read") || may(who, "adapter") ? await loaded() : null;
    status.replaceChildren(...[
      now ? h("span", null, "policy ", may(who, "read") ? h("a", { href: link(["policy"]) }, now.name) : now.name, " ", h("code", { title: now.digest }, now.digest.slice(7, 19))) : "",
      now ? h("span", { class: "state " + now.state }, now.state) : "",
      h("span", null, who.name),
      h("button", { type: "button", class: "quiet", onclick: async () => { live.stop(); await signOut().catch(() => {}); forget(); signedOut(); route(); } }, "Sign out")]);
    if (now) notices(now);
  } catch {
    status.replaceChildren(); // the view says what is wrong
  }
}

let outdated = false; // another policy is in force than the one that is shown

function notices(now) {
  if (outdated) return;
  document.getElementById("notices").replaceChildren(...(now.state === "ok" ? [] : [h("div", { class: "notice" },
    h("p", null, h("strong", null, "The policy's files are broken. "), `What is shown is the last good policy, loaded ${now.loaded}; it stays in force.`),
    errorList(now.errors))]));
}

// The page never mixes two policies: it says that there is a newer one.
onPolicyChange(() => {
  outdated = true;
  document.getElementById("notices").replaceChildren(h("div", { class: "notice" },
    h("p", null, h("strong", null, "Another policy is in force now. "), "What you see is of the one before."),
    h("button", { type: "button", onclick: () => { forget(); start(); } }, "Show the new one")));
});

async function start() {
  outdated = false;
  await known().catch(() => {}); // the view says what is wrong
  header();
  return route();
}

// known learns who has signed in, and begins to follow the service.
async function known() {
  const who = await me();
  if (scopes) return;
  scopes = who.scopes;
  live.start(() => { signedOut(); forget(); route(); });
}

document.getElementById("skip").addEventListener("click", () => main.focus());
window.addEventListener("hashchange", route);
// A reader who comes back to the tab learns whether the policy is still this one.
document.addEventListener("visibilitychange", () => { if (!document.hidden && shown) header(); });
start();
