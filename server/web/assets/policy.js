// policy.js shows the policy in force, line by line, and the gaps it accepts.
import { loaded, policyText } from "./api.js";
import { h } from "./dom.js";
import { placeLink } from "./source.js";
import { link } from "./state.js";

export async function view({ params }) {
  const [text, now] = await Promise.all([policyText(), loaded()]);
  const line = Number(params.get("line"));
  const page = {
    title: "Policy " + text.policy.name,
    node: [
      h("h1", { tabindex: "-1" }, "Policy ", text.policy.name),
      h("p", { class: "muted small" }, h("code", null, text.policy.digest), ` · ${now.cells} cells · in force since ${now.loaded} · from ${now.paths.join(", ")}`),
      text.files.map((f) => file(f, f.name === params.get("file") ? line : 0)),
      h("section", null, h("h2", null, `Acknowledged gaps (${text.acknowledge.length})`),
        h("ul", { class: "acknowledged" }, text.acknowledge.map((a) => h("li", null, h("code", null, a.gap), ": ", a.reason, " ", h("span", { class: "small" }, placeLink(a.source)))))),
    ],
  };
  if (line) requestAnimationFrame(() => document.querySelector(".line.chosen")?.scrollIntoView({ block: "center" }));
  return page;
}

function file(f, chosen) {
  return h("section", null, h("h2", null, f.name),
    h("ol", { class: "text" }, f.lines.map((line, i) => h("li", { class: i + 1 === chosen ? "line chosen" : "line", "aria-current": i + 1 === chosen && "true" },
      h("a", { class: "number", href: link(["policy"], { file: f.name, line: i + 1 }), "aria-label": `line ${i + 1}` }, i + 1),
      h("code", { class: /^\s*#/.test(line) ? "comment" : null }, line || " ")))));
}
