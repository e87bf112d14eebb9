// inbox.js shows what waits for somebody, over all providers and sessions, as it
// comes. New requests are put at the end; settled ones stay where they are until
// they are cleared: no button ever moves under the pointer by itself.
import { matrix as askMatrix, may, me } from "./api.js";
import { h, say } from "./dom.js";
import { clear, live, settled, watch } from "./live.js";
import { moment } from "./outcome.js";
import { card } from "./request.js";
import { steady } from "./steady.js";

const mostSettled = 200; // that are kept on the page while nobody uses it

export async function view() {
  const who = await me();
  const labels = may(who, "read") ? await askMatrix().then((m) => new Map(m.modes.map((one) => [one.mode, one.label])), () => null) : null;
  const cards = new Map();
  const list = h("ol", { class: "requests", id: "requests", "aria-label": "Requests, the oldest first" });
  const empty = h("p", { class: "muted empty" });
  const state = h("p", { class: "following", id: "following" });
  const count = h("p", { class: "waiting", id: "waiting" });
  const done = h("button", { type: "button", id: "clear", onclick: () => drop(0) }, "Clear what is settled");
  const hold = steady(list, [document.getElementById("top"), document.getElementById("notices")]);
  const options = {
    mayAnswer: may(who, "approve"),
    modeLabel: (session) => {
      const s = live.sessions.get(session);
      if (!s) return "not loaded any more";
      return (labels?.get(s.mode) ?? s.mode) + (s.interaction === "plan" ? ", plan" : "");
    },
  };

  function put(request) {
    const known = cards.get(request.id);
    if (known) return known.update(request);
    const it = card(request, options);
    cards.set(request.id, it);
    list.append(it.element);
    hold.add(it.element);
    if (showing && request.state === "pending") say(`New request: ${request.title}`);
  }

  // drop forgets what is settled, but for the last ones.
  function drop(keep) {
    clear(keep);
    for (const [id, it] of cards) {
      if (live.requests.has(id)) continue;
      it.element.remove();
      hold.moved();
      cards.delete(id);
    }
    tally();
  }

  const used = () => list.matches(":hover") || list.contains(document.activeElement);

  function tally() {
    const waiting = [...live.requests.values()].filter((r) => r.state === "pending").length;
    count.textContent = `${waiting} ${waiting === 1 ? "waits" : "wait"}${live.full ? ", or more: 1,000 are listed at most" : ""}`;
    done.setAttribute("aria-disabled", String(settled().length === 0));
    empty.textContent = cards.size ? "" : live.status === "off" ? "The service isn't followed." : live.status === "connecting" ? "Asking…" : "Nothing waits for anybody.";
    state.textContent = live.status === "live" ? "Live: what you see is current." : live.status === "reconnecting"
      ? `Reconnecting: what you see is of ${live.asOf ? moment(live.asOf) : "before"} and may be out of date.` : "Connecting…";
    list.classList.toggle("stale", live.status !== "live");
  }

  function changed(what) {
    if (what.request) put(what.request);
    if (what.sessions) cards.forEach((it) => it.modeText());
    if (what.status || what.event) cards.forEach((it) => it.repaint());
    if (settled().length > mostSettled && !used()) drop(mostSettled);
    tally();
  }

  let showing = false;
  live.held = true;
  for (const request of live.requests.values()) put(request);
  showing = true;
  const unwatch = watch(changed);
  const clock = setInterval(() => cards.forEach((it) => it.tick()), 5000);
  tally();
  return {
    title: "Inbox",
    node: [
      h("div", { class: "inbox-head" }, h("h1", { tabindex: "-1" }, "Inbox"), count, done, state),
      options.mayAnswer ? null : h("p", { class: "muted" }, "You may look, and not answer: that needs the scope approve."),
      list, empty,
    ].filter(Boolean),
    leave: () => {
      unwatch();
      clearInterval(clock);
      hold.end();
      live.held = false;
    },
  };
}
