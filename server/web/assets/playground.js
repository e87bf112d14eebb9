// playground.js asks what becomes of one Action: under the policy in force, for
// all providers side by side, or under settings that somebody pastes.
import { evaluate, matrix as askMatrix, policyText as askText, Problem, providers as askProviders } from "./api.js";
import * as action from "./action.js";
import { h, say } from "./dom.js";
import { providersOf } from "./findings.js";
import { problem } from "./problem.js";
import { link } from "./state.js";
import { card, summary } from "./verdict.js";
import { interactionName, providerName } from "./words.js";

const maxAddress = 60000; // characters: longer settings stay out of the address

// What is too long for the address, kept until the page is left.
let kept = "";

export async function view({ params }) {
  const [matrix, { providers }, text] = await Promise.all([askMatrix(), askProviders(), askText()]);
  const answers = h("div", { class: "answers", "aria-live": "polite" });
  const form = questionForm(params, matrix, providers, (why) => answers.replaceChildren(problem(why)));
  const given = action.fromParams(params);
  if (given) answer(answers, form, params, given, matrix, text);
  else answers.append(h("p", { class: "muted" }, "Describe an action, and see what each provider does with it, who decides, and by which rule. Nothing is run."), examples());
  return {
    title: "Playground",
    node: [h("h1", { tabindex: "-1" }, "Playground"), h("div", { class: "playground" }, form, answers)],
  };
}

function examples() {
  const list = [
    ["git push --force under Auto", { mode: "auto", kind: "command", command: "git push --force" }],
    ["a change outside of the workspace, Auto-accept edits", { mode: "auto-accept-edits", kind: "file-change", path: "/etc/hosts", workspace: "/work/app" }],
    ["a file changed in plan, Full access", { mode: "full-access", interaction: "plan", kind: "file-change", path: "src/a.go" }],
  ];
  return h("ul", null, list.map(([label, p]) => h("li", null, h("a", { href: link(["try"], p) }, label))));
}

function questionForm(params, matrix, providers, refuse) {
  const pasted = params.get("settings") === "native";
  const option = (name, value, label, current) => h("option", { value, selected: current === value }, label);
  const native = h("div", { hidden: !pasted, id: "pasted" },
    h("label", null, h("span", null, "Settings of"), h("select", { name: "provider", id: "in-provider" },
      providers.map((p) => option("provider", p.name, providerName(p.name), params.get("provider"))))),
    h("label", null, h("span", null, "Native settings"),
      h("textarea", { name: "native", id: "in-native", rows: 9, spellcheck: "false", placeholder: "as the cell view shows them, for instance" }, params.get("native") ?? kept)),
    h("p", { class: "small muted" }, "The address then holds what you paste, so that it can be shared. It isn't sent with the address."));
  const choice = (value, label, checked) => h("label", { class: "choice" },
    h("input", { type: "radio", name: "settings", id: "settings-" + value, value, checked, onchange: () => { native.hidden = value !== "native"; } }), h("span", null, label));
  const field = (name, label, hint) => h("label", null, h("span", null, label),
    h("input", { name, id: "in-" + name, class: "code-field", placeholder: hint, autocomplete: "off", spellcheck: "false", value: params.get(name) ?? "" }));
  const form = h("form", { class: "question", onsubmit: (e) => { e.preventDefault(); submit(form, params, refuse); } },
    h("fieldset", null, h("legend", null, "Action"), action.fields(params)),
    h("fieldset", null, h("legend", null, "Settings"),
      choice("policy", `the policy in force, ${matrix.policy.name}`, !pasted), choice("native", "settings that I paste, compared with the policy", pasted), native,
      h("div", { class: "pair" },
        h("label", null, h("span", null, "Mode"), h("select", { name: "mode", id: "in-mode" }, matrix.modes.map((m) => option("mode", m.mode, m.label, params.get("mode"))))),
        h("label", null, h("span", null, "Interaction"), h("select", { name: "interaction", id: "in-interaction" },
          ["default", "plan"].map((i) => option("interaction", i, interactionName(i), params.get("interaction"))))))),
    h("fieldset", null, h("legend", null, "Session"),
      h("div", { class: "pair" }, field("workspace", "Workspace", "/work/app"), field("home", "Home folder", "/home/dev")),
      h("details", { open: Boolean(params.get("env")) }, h("summary", null, "More of the session, as JSON"),
        h("label", null, h("span", null, "agents, grants, saved, resolved, platform, facts"),
          h("textarea", { name: "env", id: "in-env", rows: 4, spellcheck: "false", placeholder: `{"platform":"linux"}` }, params.get("env") ?? "")))),
    h("div", null, h("button", { class: "main", id: "evaluate" }, "Evaluate")));
  return form;
}

// submit puts the form into the address; what follows is the address's doing.
function submit(form, params, refuse) {
  const value = (name) => form.elements[name].value;
  const out = { ...action.params(form), mode: value("mode"), interaction: value("interaction") === "default" ? "" : value("interaction"),
    workspace: value("workspace"), home: value("home"), env: value("env").trim() };
  kept = "";
  if (value("settings") === "native") {
    if (!value("native").trim()) return refuse(new Problem(0, { title: "No settings", detail: "Paste the settings first." }));
    Object.assign(out, { settings: "native", provider: value("provider"), native: value("native") });
    if (out.native.length > maxAddress) {
      kept = out.native;
      out.native = "";
    }
  }
  const next = link(["try"], out);
  if (next === location.hash) window.dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = next;
}

async function answer(answers, form, params, given, matrix, text) {
  answers.replaceChildren(h("p", { class: "loading" }, "Evaluating…"));
  let verdicts;
  try {
    verdicts = await ask(params, given, matrix);
  } catch (error) {
    mark(form, error);
    answers.replaceChildren(problem(error));
    return;
  }
  const mode = matrix.modes.find((m) => m.mode === modeOf(params, matrix)).label;
  const own = verdicts.filter((v) => !v.pasted).map((v) => v.verdict);
  answers.replaceChildren(
    h("h2", null, verdicts[0].pasted ? `Pasted: ${verdicts[0].verdict.effect}. The policy, ` : "", `${mode}${params.get("interaction") === "plan" ? ", plan" : ""}: ${summary(own)}`),
    h("div", { class: "cards" }, verdicts.map(({ verdict, pasted }) => card(verdict, text, pasted))));
  say(summary(own));
}

const modeOf = (params, matrix) => matrix.modes.find((m) => m.mode === params.get("mode"))?.mode ?? matrix.modes[0].mode;

// ask makes one question for each provider, and one for pasted settings.
async function ask(params, given, matrix) {
  const env = { ...parsed("env", params.get("env")) };
  for (const name of ["workspace", "home"]) if (params.get(name)) env[name] = params.get(name);
  const base = {
    interaction: params.get("interaction") || "default", explain: true,
    action: given.action ?? parsed("action", given.json), ...(Object.keys(env).length ? { env } : {}),
  };
  const questions = [];
  const native = params.get("settings") === "native" && (params.get("native") || kept);
  if (native) questions.push({ pasted: true, question: { ...base, provider: params.get("provider"), native: parsed("native", native) } });
  // A request in one provider's own form means something to that provider alone.
  const foreign = base.action?.kind === "native";
  for (const provider of providersOf(matrix)) {
    if (!(foreign && native && provider !== params.get("provider"))) questions.push({ question: { ...base, provider, mode: modeOf(params, matrix) } });
  }
  const verdicts = await Promise.all(questions.map(async ({ question, pasted }) => {
    try {
      return { pasted, verdict: await evaluate(question) };
    } catch (error) {
      if (pasted || !foreign) throw error;
      return { verdict: { provider: { name: question.provider }, refused: error } };
    }
  }));
  return verdicts;
}

// parsed reads JSON that a person wrote; the error names the field as the service
// would.
function parsed(name, text) {
  if (!text) return name === "env" ? {} : null;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(0, { title: "Not JSON", errors: [{ pointer: "/" + name, message: error.message }], detail: error.message });
  }
}

// mark shows in the form which fields a problem speaks of.
function mark(form, error) {
  for (const { pointer = "" } of error.errors ?? []) {
    for (const part of pointer.split("/").filter(Boolean)) form.elements[part]?.setAttribute?.("aria-invalid", "true");
  }
}
