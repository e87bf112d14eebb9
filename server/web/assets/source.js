// source.js shows a place in the policy together with the line that stands there.
import { h } from "./dom.js";
import { link } from "./state.js";

// lineOf is the text of a place, trimmed; "" when it isn't known.
export function lineOf(text, source) {
  const file = text?.files.find((f) => f.name === source.file);
  return (file?.lines[source.line - 1] ?? "").trim();
}

// short is a file's name without the folders of a long path.
export const short = (file) => (file.length > 28 ? file.replace(/^.*\//, "…/") : file);

// placeLink leads to the line in the policy.
export function placeLink(source) {
  return h("a", { href: link(["policy"], { file: source.file, line: source.line }), class: "place", title: source.file },
    `${short(source.file)}:${source.line}`);
}

// source is a place with its line's text.
export function source(text, place) {
  if (!place?.file) return null;
  const line = lineOf(text, place);
  return h("span", { class: "source" }, placeLink(place), line ? h("code", { class: "policy-line" }, line) : null);
}
