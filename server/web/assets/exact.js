// exact.js shows a text as it is: nothing in it can hide, turn the reading
// direction round, or pass for something else, so that a command can't be
// disguised.
import { h } from "./dom.js";

// What can't be seen, or changes how the rest is seen: controls, formats, what is
// unassigned or private, separators and blanks beside the plain one, and marks
// that don't stand on a letter. Blanks at the end of a line belong to it, too.
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}|\p{Me}|(?<![\p{L}\p{N}])\p{M}| +(?=\n|$)/gu;
const words = /[\p{L}\p{N}\p{M}._-]+/gu;
const latin = /\p{Script=Latin}/u;
const foreign = /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{L}/gu;

const names = {
  0x00: "NUL", 0x07: "BEL", 0x08: "BACKSPACE", 0x0d: "CARRIAGE RETURN", 0x1b: "ESCAPE", 0x7f: "DELETE", 0xa0: "NO-BREAK SPACE", 0xad: "SOFT HYPHEN",
  0x061c: "ARABIC LETTER MARK", 0x200b: "ZERO WIDTH SPACE", 0x200c: "ZERO WIDTH NON-JOINER", 0x200d: "ZERO WIDTH JOINER",
  0x200e: "LEFT-TO-RIGHT MARK", 0x200f: "RIGHT-TO-LEFT MARK", 0x2028: "LINE SEPARATOR", 0x2029: "PARAGRAPH SEPARATOR",
  0x202a: "LEFT-TO-RIGHT EMBEDDING", 0x202b: "RIGHT-TO-LEFT EMBEDDING", 0x202c: "POP DIRECTIONAL FORMATTING",
  0x202d: "LEFT-TO-RIGHT OVERRIDE", 0x202e: "RIGHT-TO-LEFT OVERRIDE", 0x2066: "LEFT-TO-RIGHT ISOLATE", 0x2067: "RIGHT-TO-LEFT ISOLATE",
  0x2068: "FIRST STRONG ISOLATE", 0x2069: "POP DIRECTIONAL ISOLATE", 0xfeff: "ZERO WIDTH NO-BREAK SPACE",
};

const point = (c) => "U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

function mark(c) {
  if (c === "\n") return [h("span", { class: "odd end", title: "end of the line" }, "⏎"), "\n"];
  if (c === "\t") return [h("span", { class: "odd end", title: "tab" }, "⇥"), "\t"];
  if (c.startsWith(" ")) return h("span", { class: "odd", title: "blanks at the end of the line" }, "·".repeat(c.length));
  const name = names[c.codePointAt(0)];
  return h("span", { class: "odd", title: name ?? "a character that can't be seen by itself" }, `⟨${point(c)}${name ? " " + name : ""}⟩`);
}

// split cuts a text where a pattern matches, and hands what matches to make.
function split(text, pattern, make, rest) {
  const out = [];
  let from = 0;
  for (const found of text.matchAll(pattern)) {
    if (found.index > from) out.push(rest(text.slice(from, found.index)));
    out.push(make(found[0]));
    from = found.index + found[0].length;
  }
  if (from < text.length) out.push(rest(text.slice(from)));
  return out;
}

// letters marks what isn't a Latin letter in a word that has Latin ones.
const letters = (text) => split(text, words, (word) => latin.test(word)
  ? split(word, foreign, (c) => h("span", { class: "odd foreign", title: `${point(c)}: not a Latin letter` }, c), (t) => t) : word, (t) => t);

// exact is a text's elements.
export const exact = (text) => split(String(text), hidden, mark, letters);

// odd counts what is marked but ends of lines and tabs.
const odd = (nodes) => nodes.flat(Infinity).filter((n) => n.classList?.contains("odd") && !n.classList.contains("end")).length;

// isLong says that a text doesn't fit where it is shown: it scrolls there.
export const isLong = (text) => text.length > 600 || text.split("\n").length > 8;

// size says how much there is of a long text.
export function size(text) {
  const lines = text.split("\n").length;
  return `${lines.toLocaleString("en")} ${lines === 1 ? "line" : "lines"}, ${text.length.toLocaleString("en")} characters: scroll to see all`;
}

// box shows a text that may be long: it scrolls, and says how much there is.
export function box(text, label) {
  const nodes = exact(text);
  const n = odd(nodes);
  const notes = [
    isLong(text) ? size(text) : "",
    n ? `${n} ${n === 1 ? "character that can't be seen or passes for another is" : "characters that can't be seen or pass for others are"} marked` : "",
  ].filter(Boolean);
  return [
    h("pre", { class: "exact box", tabindex: "0", role: "group", "aria-label": label }, nodes),
    notes.length ? h("p", { class: "small odd-note" }, notes.join("; ")) : null,
  ];
}
