// json.js lays out native settings without changing them: it cuts the text that
// the service sent into lines, and knows each line's JSON Pointer.

// parse takes a JSON text apart and keeps the raw text of every value.
export function parse(text) {
  let i = 0;
  const blank = () => { while (" \n\r\t".includes(text[i]) && i < text.length) i++; };
  const string = () => {
    const start = i++;
    while (text[i] !== '"') i += text[i] === "\\" ? 2 : 1;
    return text.slice(start, ++i);
  };
  const value = () => {
    blank();
    const start = i;
    const node = { kind: "scalar", members: [] };
    if (text[i] === "{" || text[i] === "[") {
      node.kind = text[i] === "{" ? "object" : "array";
      const close = text[i++] === "{" ? "}" : "]";
      for (blank(); text[i] !== close; blank()) {
        if (text[i] === ",") { i++; continue; }
        let key = null;
        if (node.kind === "object") {
          key = string();
          blank();
          i++; // the colon
        }
        node.members.push({ key, name: key === null ? String(node.members.length) : JSON.parse(key), value: value() });
      }
      i++;
    } else if (text[i] === '"') {
      string();
    } else {
      while (i < text.length && !",]} \n\r\t".includes(text[i])) i++;
    }
    node.raw = text.slice(start, i);
    return node;
  };
  JSON.parse(text); // throws on what isn't JSON; what follows relies on it
  return value();
}

// member returns the value with that name.
export const member = (node, name) => node.members.find((m) => m.name === name)?.value;

const escaped = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");

// lines lays a value out, one part a line. split(pointer) says that something
// below the pointer has to have its own line.
export function lines(node, split) {
  const out = [];
  const emit = (pointer, depth, text, plain = false) => out.push({ pointer, depth, text, plain });
  const walk = (n, pointer, depth, before, after) => {
    const below = n.kind !== "scalar" && n.members.length > 0 &&
      (depth === 0 || split(pointer) || n.raw.length > 90 || n.members.some((m) => m.value.members.length > 0));
    if (below) {
      const [open, close] = n.kind === "object" ? "{}" : "[]";
      emit(pointer, depth, before + open);
      n.members.forEach((m, i) => walk(m.value, pointer + "/" + escaped(m.name), depth + 1,
        m.key === null ? "" : m.key + ": ", i < n.members.length - 1 ? "," : ""));
      emit(pointer, depth, close + after);
    } else if (n.raw.startsWith('"') && n.raw.includes("\\n")) {
      text(JSON.parse(n.raw), pointer, depth, before, after);
    } else {
      emit(pointer, depth, before + n.raw + after);
    }
  };
  // A text of several lines (Codex's rules) is shown as the text that it is. The
  // pointers into it count its rules.
  const text = (value, pointer, depth, before, after) => {
    emit(pointer, depth, before + "«text»" + after);
    let rule = -1;
    for (const line of value.replace(/\n$/, "").split("\n")) {
      if (line.startsWith("prefix_rule(")) rule++;
      emit(rule < 0 ? pointer : `${pointer}/${rule}`, depth + 1, line, true);
    }
  };
  walk(node, "", 0, "", "");
  return out;
}

// sourceOf finds the place that a pointer, or what it lies in, came from.
export function sourceOf(sources, pointer) {
  let best = null;
  for (const s of sources) {
    const covers = pointer === s.pointer || pointer.startsWith(s.pointer + "/");
    if (covers && (!best || s.pointer.length > best.pointer.length)) best = s;
  }
  return best;
}
