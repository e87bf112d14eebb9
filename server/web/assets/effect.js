// effect.js draws an outcome: its shape, its word, who enforces it, and how it
// parts from the policy.
import { h, svg } from "./dom.js";
import { confinementMeans, confinementWords, effectMeans, enforcerMeans, enforcerWords } from "./words.js";

const shapes = {
  allow: "M3 2l11 6-11 6z", // goes ahead
  boxed: "M1 1h14v14H1zM3 3v10h10V3zM6 4.5l5 3.5-5 3.5z", // goes ahead, in a box
  ask: "M8 1.5a3.2 3.2 0 1 1 0 6.4 3.2 3.2 0 0 1 0-6.4zM1.8 15c0-4 2.6-6 6.2-6s6.2 2 6.2 6z", // a person
  review: "M8 0.5L15.5 8 8 15.5.5 8zM8 4.2L4.2 8 8 11.8 11.8 8z", // something else looks
  deny: "M5 1h6l4 4v6l-4 4H5l-4-4V5zM4 6.7v2.6h8V6.7z", // stop
  unknown: "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zm0 1.6a5.4 5.4 0 1 0 0 10.8A5.4 5.4 0 0 0 8 2.6zM7.2 9.6h1.6V8.9c1-.3 1.9-1 1.9-2.2 0-1.4-1.1-2.3-2.6-2.3-1.3 0-2.2.6-2.6 1.6l1.3.6c.2-.5.6-.8 1.2-.8.7 0 1.1.4 1.1.9 0 .9-1.9.9-1.9 2.3zM7.1 10.4h1.8v1.7H7.1z",
};

const confined = (o) => o.effect === "allow" && o.confinement && o.confinement !== "none";

// effectClass colours an element.
export const effectClass = (o) => (o.effect in effectMeans ? o.effect : "unknown") + (confined(o) ? " boxed" : "");

// shape is the effect's picture; the word beside it says the same.
export function shape(o) {
  const path = shapes[confined(o) ? "boxed" : o.effect] ?? shapes.unknown;
  return svg("svg", { class: "shape", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: path, "fill-rule": "evenodd" }));
}

// badge is an outcome in a line of text.
export function badge(o, withConfinement = true) {
  return h("span", { class: "effect " + effectClass(o), title: effectMeans[o.effect] + (confined(o) ? ", " + confinementMeans(o.confinement) : "") },
    shape(o), h("span", { class: "word" }, o.effect), confined(o) && withConfinement ? h("span", { class: "confined" }, confinementWords(o.confinement)) : null);
}

// shortConfinement is the sandbox in a square.
export const shortConfinement = (o) => (confined(o) ? o.confinement === "read-only" ? "read-only sandbox" : "in a sandbox" : "");

// enforcer says who holds the agent to the outcome. An instruction, and nobody,
// stand out.
export function enforcer(name) {
  const weak = name === "instruction" || name === "nobody";
  return h("span", { class: `enforcer ${weak ? "weak " : ""}${name}`, title: enforcerMeans[name] }, enforcerWords(name));
}

const arrows = { wider: "▲", narrower: "▽", "not-compared": "◇" };

// direction says how the provider parts from the policy.
export const direction = (d) => h("span", { class: d }, h("span", { "aria-hidden": "true" }, arrows[d] ?? ""), d.replace("-", " "));

// against says, in a square, what the policy wanted instead.
export function against(sample) {
  const p = sample.policy;
  if (!p || !p.direction) return null;
  return h("span", { class: p.direction + " here" }, h("span", { "aria-hidden": "true" }, arrows[p.direction]), `policy: ${p.effect}`);
}

// outcomeWords is an outcome as a sentence, for titles and screen readers.
export function outcomeWords(o) {
  const parts = [o.effect + (confined(o) ? " " + confinementMeans(o.confinement) : ""), enforcerWords(o.enforcer)];
  if (o.native && o.native.effect !== o.effect) parts.push(`the provider itself: ${o.native.effect}`);
  if (o.toolAbsent) parts.push("the tool isn't offered");
  if (o.policy?.direction) parts.push(`${o.policy.direction.replace("-", " ")} than the policy, which says ${o.policy.effect}`);
  return parts.join("; ");
}
