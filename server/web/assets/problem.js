// problem.js shows answers that say no: what is wrong, and where.
import { h } from "./dom.js";

// place is a place in a request or in a file.
export function place(e) {
  if (e.pointer) return e.pointer;
  if (!e.file) return "";
  return [e.file, e.line, e.column].filter(Boolean).join(":");
}

export function errorList(errors) {
  return h("ul", null, errors.map((e) => h("li", null, place(e) ? [h("code", null, place(e)), ": "] : null, e.message)));
}

export function problem(error) {
  const errors = error.errors ?? [];
  return h("div", { class: "notice", role: "alert" },
    h("p", null, h("strong", null, error.title || "Something went wrong"), errors.length === 1 && place(errors[0]) ? null : ": " + error.message),
    errors.length ? errorList(errors) : null,
    error.requestId ? h("p", { class: "muted small" }, "request ", h("code", null, error.requestId)) : null);
}
