// request.js draws one request that waits for somebody, and keeps it up to date.
// Its elements are made once and stay where they are: only texts and marks change.
import { decide, dismiss, nativeRequest, Problem } from "./api.js";
import { copyButton, h, say } from "./dom.js";
import { box, exact, isLong, size } from "./exact.js";
import { live, merge, refresh } from "./live.js";
import { moment, outcome, span } from "./outcome.js";
import { questions } from "./question.js";
import { link } from "./state.js";
import { isSteady } from "./steady.js";
import { providerName } from "./words.js";

const accepting = new Set(["accept", "acceptForSession", "acceptAlways"]);
const kinds = { command: "command", "file-read": "file read", "file-change": "file change", "mcp-elicitation": "MCP server's request" };

// card makes a request's element; update keeps it current, and tick its ages.
export function card(request, { mayAnswer, modeLabel }) {
  const id = (name) => `${name}-${request.id}`;
  const said = h("p", { class: "outcome", id: id("outcome"), tabindex: "-1" });
  const mode = h("dd"), age = h("span", { class: "age" }), left = h("span", { class: "age" });
  const it = { request, sending: "", note: "", said, buttons: [], form: null };
  const long = isLong(request.title);
  const title = h("h2", { id: id("title"), class: "exact", tabindex: long && "0" }, exact(request.title));
  it.press = (words, decision, send) => press(it, words, decision, send);
  it.blocked = (decision) => blocked(it, decision);
  if (mayAnswer) {
    it.form = request.questions?.length ? questions(it, id) : null;
    it.buttons = request.offered.map((offer) => button(it, offer, id));
  } else if (request.questions?.length) {
    it.form = questions(it, id, true);
  }
  it.element = h("li", { class: "request", id: id("request"), "data-state": request.state },
    h("article", { "aria-labelledby": id("title") },
      h("header", null, title, long ? h("p", { class: "small odd-note" }, size(request.title)) : null,
        h("dl", null,
          fact("provider", providerName(request.provider)),
          fact("session", h("a", { href: link(["sessions", request.session]) }, exact(request.session))),
          h("div", null, h("dt", null, "mode"), mode),
          fact("kind", request.shape === "question" ? "question" : kinds[request.kind] ?? "something else"),
          fact("asked", [h("time", { datetime: request.openedAt, title: request.openedAt }, moment(request.openedAt)), " ", age]),
          fact("expires", [h("time", { datetime: request.expiresAt, title: request.expiresAt }, moment(request.expiresAt)), " ", left]))),
      body(request, id),
      it.form?.element,
      h("footer", null, it.buttons.length ? h("div", { class: "decisions" }, it.buttons.map((b) => b.element), it.form?.send) : null, said)));
  it.modeText = () => { mode.replaceChildren(modeLabel(request.session)); };
  it.tick = () => {
    const now = Date.now() + live.skew;
    age.textContent = `${span(now - Date.parse(request.openedAt))} ago`;
    left.textContent = it.request.state === "pending" ? `in ${span(Date.parse(request.expiresAt) - now)}` : "";
  };
  it.update = (next) => update(it, next);
  it.repaint = () => paint(it);
  it.modeText();
  it.tick();
  paint(it);
  return it;
}

const fact = (name, value) => h("div", null, h("dt", null, name), h("dd", null, value));

const wants = { ask: "a person decides each time", deny: "it is denied" };

// guardrail is what an administrator's rule has against it.
const guardrail = (g) => h("li", null, h("strong", null, exact(g.title || g.name)), `: ${g.failed ? "gave no answer, so that a person is asked" : wants[g.effect] ?? g.effect}`, g.reason ? [": ", exact(g.reason)] : null);

function body(request, id) {
  const raw = h("div", { class: "raw" });
  const resources = request.resources.filter((r) => r !== request.title);
  const kept = request.offered.flatMap((o) => o.grants ?? []).filter((g) => g.resource.length > 200); // too long for a button
  return h("div", { class: "what" },
    request.guardrails?.length ? [h("h3", null, "Guardrails"), h("ul", { class: "guardrails" }, request.guardrails.map(guardrail))] : null,
    resources.length ? [h("h3", null, resources.length === 1 ? "What it is about" : `What it is about (${resources.length})`),
      h("ul", { class: "plain" }, resources.map((r, i) => h("li", null, box(r, `resource ${i + 1}`))))] : null,
    kept.length ? [h("h3", null, "What is allowed for the session"), h("ul", { class: "plain" }, kept.map((g) => h("li", null, box(`${g.action} ${g.resource}`, "what is allowed for the session"))))] : null,
    request.detail ? [h("h3", null, "More"), box(request.detail, "more of the request")] : null,
    h("details", {
      id: id("raw"), ontoggle: async (e) => {
        if (!e.target.open || raw.hasChildNodes()) return;
        try {
          const text = await nativeRequest(request.id);
          raw.replaceChildren(...[box(text, "the request as the provider sent it"), copyButton("Copy the exact bytes", text), h("p", { class: "small muted" }, await agrees(text, request.digest))].flat().filter(Boolean));
        } catch (error) {
          raw.replaceChildren(h("p", null, error.message));
        }
      },
    }, h("summary", null, "The request as the provider sent it"), raw));
}

// agrees computes the digest here, from what is shown.
async function agrees(text, digest) {
  if (!globalThis.crypto?.subtle) return "";
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const hex = [...sum].map((b) => b.toString(16).padStart(2, "0")).join("");
  return digest === "sha256:" + hex ? "These are the bytes that a decision is about: their digest was computed here, and agrees." : "The digest does NOT agree with these bytes.";
}

// button says the decision and exactly how far it reaches.
function button(it, offer, id) {
  const request = it.request;
  const granted = (offer.grants ?? []).filter((g) => !offer.label.includes(g.resource)).map((g) => `${g.action} ${g.resource}`);
  const scope = [offer.label.includes(offer.scope) ? "" : offer.scope, ...granted].filter(Boolean).join("; ");
  const send = () => (request.shape === "question" ? dismiss(request.id)
    : decide(request.id, { decision: offer.decision, digest: request.digest, policy: request.policy }));
  const element = h("button", {
    type: "button", class: "decision " + offer.decision, id: id(offer.decision), "data-decision": offer.decision, "aria-describedby": `${id("title")} ${id("outcome")}`,
    onclick: () => it.press(offer.label, offer.decision, send),
  }, h("span", { class: "label exact" }, exact(offer.label)), scope ? h("span", { class: "scope exact" }, exact(scope)) : null);
  return { element, decision: offer.decision };
}

// blocked says why nothing is taken now, "" when it is.
function blocked(it, decision) {
  if (it.request.state !== "pending") return "It is settled: " + outcome(it.request);
  if (it.sending) return it.sending;
  if (live.status !== "live") return "Nothing is sent while what you see may be out of date.";
  if (accepting.has(decision) && live.policy && live.policy !== it.request.policy) return "The policy has changed since this was asked: it can only be refused, and the agent asks again.";
  return "";
}

async function press(it, words, decision, send) {
  const why = blocked(it, decision);
  if (why) return say(why);
  if (!isSteady(it.element)) return note(it, "This has only just moved or appeared: look at it, and press again.");
  it.sending = `Sending: ${words} …`;
  it.note = "";
  paint(it);
  try {
    const next = await send();
    it.sending = "";
    merge(next);
  } catch (error) {
    it.sending = "";
    if (!(error instanceof Problem)) console.error(error); // a fault of ours
    it.form?.refused(error);
    note(it, refusal(error));
    if (error.status === 409 || error.status === 404) await refresh(it.request.id);
  }
  paint(it);
}

function refusal(error) {
  if (error.status === 0) return "The service can't be reached: whether it has this isn't known.";
  return "Not taken: " + error.message + ".";
}

function note(it, text) {
  it.note = text;
  paint(it);
  say(text);
}

function update(it, next) {
  const before = it.request;
  it.request = next;
  it.element.dataset.state = next.state;
  if (before.state !== next.state || before.late !== next.late) {
    const text = outcome(next);
    if (text) say(`${next.title}: ${text}`);
  }
  it.tick();
  paint(it);
}

// paint brings texts and marks up to date. Nothing changes its size: the line of
// the outcome has room from the start, and scrolls.
function paint(it) {
  const state = it.request.state;
  const why = state === "pending" && it.sending ? it.sending : [it.note, outcome(it.request)].filter(Boolean).join(" ");
  const stale = live.status !== "live" && state === "pending" && !it.sending ? `Last heard of at ${moment(live.asOf || Date.now())}: this may be out of date.` : "";
  const policy = it.request.shape === "approval" && !stale && blocked(it, "decline") === "" ? blocked(it, "accept") : "";
  const text = [why, stale, policy].filter(Boolean).join(" ");
  if (it.said.textContent !== text) it.said.textContent = text;
  for (const { element, decision } of it.buttons) {
    element.setAttribute("aria-disabled", String(blocked(it, decision) !== ""));
    element.classList.toggle("chosen", state !== "pending" && it.request.decision === decision);
  }
  it.form?.paint();
}
