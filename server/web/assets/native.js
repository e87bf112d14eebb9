// native.js shows the native settings of a cell, each line beside the policy line
// that it came from, and checks their digest.
import { copyButton, h } from "./dom.js";
import { lines, member, parse, sourceOf } from "./json.js";
import { source } from "./source.js";

export function native(ruleset, policyText) {
  const raw = member(parse(ruleset.text), "native").raw;
  const { sources } = ruleset.value;
  const rows = lines(parse(raw), (pointer) => sources.some((s) => s.pointer.startsWith(pointer + "/")));
  let last = null;
  const checked = h("span", { class: "checked" });
  check(ruleset.value, raw).then((text) => checked.replaceChildren(text));
  return h("section", { "aria-labelledby": "native" },
    h("div", { class: "heading" }, h("h2", { id: "native" }, "Native settings"), copyButton("Copy the exact bytes", raw)),
    h("p", { class: "muted small" }, "What the adapter sends, laid out one part a line, and the policy line behind each part. ", checked),
    h("table", { class: "native" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Sent to the provider"), h("th", { scope: "col" }, "From the policy"))),
      h("tbody", null, rows.map((row) => {
        const from = sourceOf(sources, row.pointer);
        const again = from && last && from.file === last.file && from.line === last.line;
        last = from;
        return h("tr", { class: from ? (again ? "from again" : "from") : "" },
          h("td", null, h("code", { class: `depth-${Math.min(row.depth, 6)}` + (row.plain ? " plain" : "") }, row.text)),
          h("td", null, again ? h("span", { class: row.depth === 1 && !/^[\]}]/.test(row.text) ? "muted" : "hidden" }, "the same line") : from ? source(policyText, from) : bare(row)));
      }))));
}

// bare is a line that no policy line stands behind.
function bare(row) {
  return /^[\]}[{]|«text»/.test(row.text) ? null : h("span", { class: "muted" }, /[[{]$/.test(row.text) ? "" : "the dialect's own value for this cell");
}

// check computes the digest here, from the very bytes that are shown.
async function check(set, raw) {
  if (!globalThis.crypto?.subtle) return "";
  const bytes = new TextEncoder();
  const body = bytes.encode(raw);
  const head = bytes.encode(`${set.provider}/${set.mode}/${set.interaction}\n${body.length}\n`);
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array([...head, ...body])));
  const hex = [...sum].map((b) => b.toString(16).padStart(2, "0")).join("");
  return set.digest === "sha256:" + hex ? "The digest was computed here from these bytes, and agrees." : "The digest does NOT agree with these bytes.";
}
