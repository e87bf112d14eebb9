// action.js knows the fields of each kind of Action, and moves Actions between a
// form, the address and JSON.
import { h } from "./dom.js";

// kinds lists each kind's fields: name, label, and whether it must be given.
export const kinds = {
  command: { label: "run a command", fields: [["command", "Command", true], ["cwd", "Folder it runs in"]] },
  "file-read": { label: "read a file", fields: [["path", "Path", true]] },
  "file-change": { label: "change a file", fields: [["path", "Path", true], ["to", "New path, when it moves"]] },
  "web-fetch": { label: "fetch a page", fields: [["url", "Address", true]] },
  "web-search": { label: "search the web", fields: [["query", "Words", true]] },
  "mcp-tool": { label: "call an MCP tool", fields: [["server", "Server", true], ["tool", "Tool", true]] },
  subagent: { label: "start a subagent", fields: [["agent", "Agent", true]] },
  question: { label: "ask a question", fields: [["text", "Text"]] },
  json: { label: "anything, as JSON", fields: [] },
};

const names = [...new Set(Object.values(kinds).flatMap((k) => k.fields.map(([name]) => name)))];

// fromParams reads the Action of an address: {json} for one that is given as a
// text, {action} for one in fields, or null.
export function fromParams(params) {
  const kind = params.get("kind");
  if (kind === "json") return { json: params.get("action") ?? "" };
  if (!(kind in kinds)) return null;
  const action = { kind };
  for (const [name] of kinds[kind].fields) if (params.get(name)) action[name] = params.get(name);
  return { action };
}

// params writes what a form has as an address's parameters.
export function params(form) {
  const kind = form.elements.kind.value;
  const out = { kind };
  if (kind === "json") out.action = form.elements.action.value;
  for (const [name] of kinds[kind].fields) out[name] = form.elements[name].value;
  return out;
}

// fields are all fields, of which those of the chosen kind are shown.
export function fields(given) {
  const kind = given.get("kind") in kinds ? given.get("kind") : "command";
  const boxes = names.map((name) => {
    const label = h("span");
    return { name, label, box: h("label", { id: "field-" + name }, label,
      h("input", { name, id: "in-" + name, class: "code-field", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value: given.get(name) ?? "" })) };
  });
  const json = h("label", { id: "field-action" }, h("span", null, "Action, as JSON"),
    h("textarea", { name: "action", id: "in-action", rows: 5, spellcheck: "false" }, given.get("action") ?? `{"kind":"native","request":{}}`));
  const show = (k) => {
    for (const { name, label, box } of boxes) {
      const field = kinds[k].fields.find(([n]) => n === name);
      box.hidden = !field;
      box.lastChild.required = Boolean(field?.[2]);
      label.textContent = field?.[1] ?? name;
    }
    json.hidden = k !== "json";
  };
  const select = h("select", { name: "kind", id: "in-kind", onchange: (e) => show(e.target.value) },
    Object.entries(kinds).map(([k, { label }]) => h("option", { value: k, selected: k === kind }, label)));
  show(kind);
  return [h("label", null, h("span", null, "The agent wants to"), select), boxes.map((b) => b.box), json];
}
