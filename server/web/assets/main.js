// main.js starts the page: it reads the address, asks the view for what to show,
// and keeps the header.
import { forget, loaded, me, onPolicyChange, Problem, signOut } from "./api.js";
import { h, say } from "./dom.js";
import { errorList, problem } from "./problem.js";
import * as matrix from "./matrix.js";
import * as cell from "./cell.js";
import * as playground from "./playground.js";
import * as policy from "./policy.js";
import * as signin from "./signin.js";
import { link, read } from "./state.js";

const views = { matrix, cell, try: playground, policy };
const main = document.getElementById("main");
let turn = 0;
let shown = "";

async function route() {
  const mine = ++turn;
  const at = read();
  const where = at.view + "/" + at.path.join("/");
  const slow = setTimeout(() => { if (mine === turn) main.replaceChildren(h("p", { class: "loading" }, "Loading…")); }, 250);
  let page;
  try {
    page = await (views[at.view] ?? views.matrix).view(at);
  } catch (error) {
    page = error.status === 401 ? signin.view(start) : { title: "Problem", node: [h("h1", { tabindex: "-1" }, "This can't be shown"), problem(error)] };
    if (!(error instanceof Problem)) console.error(error); // a fault of ours
  }
  clearTimeout(slow);
  if (mine !== turn) return; // the reader has gone on
  // A view is drawn anew for every change; whoever had the focus keeps it.
  const focused = document.activeElement?.id;
  const before = shown;
  main.replaceChildren(...page.node.flat(Infinity));
  shown = where;
  document.title = page.title + " · modegate";
  tabs(at.view);
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

function tabs(view) {
  const current = { cell: "matrix" }[view] ?? view;
  document.getElementById("tabs").replaceChildren(...[["matrix", [], "Matrix"], ["try", ["try"], "Playground"], ["policy", ["policy"], "Policy"]].map(
    ([name, path, label]) => h("a", { href: link(path), "aria-current": name === current && "page" }, label)));
}

// header says which policy is in force, its state, and who is signed in.
async function header() {
  const status = document.getElementById("status");
  try {
    const [now, who] = await Promise.all([loaded(), me()]);
    status.replaceChildren(
      h("span", null, "policy ", h("a", { href: link(["policy"]) }, now.name), " ", h("code", { title: now.digest }, now.digest.slice(7, 19))),
      h("span", { class: "state " + now.state }, now.state),
      h("span", null, who.name),
      h("button", { type: "button", class: "quiet", onclick: async () => { await signOut().catch(() => {}); forget(); start(); } }, "Sign out"));
    notices(now);
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

function start() {
  outdated = false;
  header();
  return route();
}

document.getElementById("skip").addEventListener("click", () => main.focus());
window.addEventListener("hashchange", route);
// A reader who comes back to the tab learns whether the policy is still this one.
document.addEventListener("visibilitychange", () => { if (!document.hidden && shown) header(); });
start();
