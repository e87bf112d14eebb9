// question.js draws the questions of a request, and reads what was chosen. What
// somebody has begun to answer is never drawn anew.
import { answer } from "./api.js";
import { h } from "./dom.js";
import { exact } from "./exact.js";

// questions makes the form of a card. readonly shows the questions alone.
export function questions(it, id, readonly = false) {
  const { request } = it;
  const fields = request.questions.map((q, i) => field(q, `${id("q")}-${i}`, readonly));
  if (readonly) return { element: h("div", { class: "questions" }, fields.map((f) => f.element)), send: null, paint() {}, refused() {} };
  const send = h("button", {
    type: "button", class: "main decision", id: id("answer"), "aria-describedby": `${id("title")} ${id("outcome")}`,
    onclick: () => submit(it, fields),
  }, "Send the answers");
  return {
    element: h("div", { class: "questions" }, fields.map((f) => f.element)),
    send,
    paint() {
      const why = it.blocked("answer");
      send.setAttribute("aria-disabled", String(why !== ""));
      fields.forEach((f) => { f.readonly(it.request.state !== "pending" || Boolean(it.sending)); });
    },
    // refused shows each error beside its question.
    refused(error) {
      for (const e of error.errors ?? []) {
        const q = request.questions.findIndex((one) => e.pointer === "/answers/" + one.id.replaceAll("~", "~0").replaceAll("/", "~1"));
        if (q >= 0) fields[q].wrong(e.message);
      }
    },
  };
}

function submit(it, fields) {
  if (it.blocked("answer")) return;
  fields.forEach((f) => f.wrong(""));
  const empty = fields.filter((f) => f.texts().length === 0);
  if (empty.length) {
    empty.forEach((f) => f.wrong("Answer this first."));
    return empty[0].focus();
  }
  const answers = Object.fromEntries(it.request.questions.map((q, i) => [q.id, q.multiSelect ? fields[i].texts() : fields[i].texts()[0]]));
  it.press("the answers", "answer", () => answer(it.request.id, answers));
}

function field(q, id, readonly) {
  const type = q.multiSelect ? "checkbox" : "radio";
  const wrong = h("p", { class: "wrong small", id: id + "-wrong", role: "alert" });
  const choice = (value, i, ...label) => {
    const input = readonly ? null : h("input", { type, name: id, id: `${id}-${i}`, value });
    return { input, element: h(readonly ? "div" : "label", { class: "choice" }, input, h("span", null, label)) };
  };
  const choices = q.options.map((o, i) => choice(o.value, i, h("span", { class: "exact" }, exact(o.label)),
    o.value === o.label ? null : h("code", { class: "exact" }, exact(o.value)),
    o.description ? h("span", { class: "muted exact" }, exact(o.description)) : null));
  const own = q.allowCustomAnswer && !readonly ? h("textarea", {
    rows: 2, id: id + "-own", "aria-label": q.options.length ? "an answer of your own" : q.question, "aria-describedby": id + "-wrong",
    oninput: () => { if (other?.input && own.value.trim()) other.input.checked = true; },
  }) : null;
  const other = own && q.options.length ? choice("", "other", "An answer of your own") : null;
  const element = h("fieldset", { id },
    h("legend", null, q.header && q.header !== q.question ? h("span", { class: "muted exact" }, exact(q.header), " ") : null, h("span", { class: "exact" }, exact(q.question))),
    q.multiSelect ? h("p", { class: "small muted" }, "Several may be chosen.") : null,
    choices.map((c) => c.element), readonly && q.allowCustomAnswer ? h("p", { class: "small muted" }, "Another text may be answered.") : null,
    other?.element, own, readonly ? null : wrong);
  return {
    element,
    texts() {
      const out = q.options.filter((_, i) => choices[i].input.checked).map((o) => o.value);
      if (own && own.value.trim() && (!other || other.input.checked)) out.push(own.value);
      return out;
    },
    wrong(text) { wrong.textContent = text; },
    focus() { (choices[0]?.input ?? own).focus(); },
    readonly(is) {
      // Not disabled: whoever is in a field stays there.
      element.classList.toggle("closed", is);
      for (const c of [...choices, ...(other ? [other] : [])]) c.input.setAttribute("aria-disabled", String(is));
      if (own) own.readOnly = is;
    },
  };
}
