// words.js has the page's words for the words of the service. What it doesn't
// know, it shows as it came.

const names = { codex: "Codex", claude: "Claude Code", cursor: "Cursor", grok: "Grok", opencode: "OpenCode 1.x", opencode2: "OpenCode 2" };
export const providerName = (p) => names[p] ?? p;

export const effectMeans = {
  allow: "runs without asking", ask: "a person decides", review: "the provider's AI reviewer decides",
  deny: "doesn't run", unknown: "can't be predicted",
};

// An allowed action in a sandbox isn't an allowed action.
const confined = { "workspace-write": "workspace sandbox", "read-only": "read-only sandbox" };
const confinedMeans = { "workspace-write": "in an OS sandbox that may write the workspace alone", "read-only": "in an OS sandbox that may write nothing" };
export const confinementMeans = (c) => confinedMeans[c] ?? "";
export const confinementWords = (c) => confined[c] ?? "";

const deciders = {
  person: "a person", "provider-rule": "a rule of the settings", "provider-mode": "the provider's mode", "provider-reviewer": "the provider's AI reviewer",
  "provider-sandbox": "the sandbox", adapter: "the adapter's callback", nobody: "nobody",
};
export const deciderWords = (d) => deciders[d] ?? d;

const enforcers = {
  "provider-rule": "rule enforces", "provider-mode": "mode enforces", "provider-sandbox": "sandbox enforces",
  adapter: "adapter enforces", instruction: "instruction only", nobody: "nobody enforces",
};
export const enforcerWords = (e) => enforcers[e] ?? e;

export const enforcerMeans = {
  "provider-rule": "a rule in the provider's own settings", "provider-mode": "the provider's mode or default",
  "provider-sandbox": "an operating-system sandbox of the provider", adapter: "only the adapter's answers: without it, nothing holds",
  instruction: "nothing: the model is only told", nobody: "nothing holds the agent",
};

const samples = {
  command: "run a command", "command-outside": "run one outside", "file-read": "read a file", "file-read-outside": "read outside",
  "file-change": "change a file", "file-change-outside": "change outside", "web-fetch": "fetch a page", "web-search": "search the web",
  "mcp-tool": "call an MCP tool", subagent: "start a subagent", question: "ask a question",
};
export const sampleName = (id) => samples[id] ?? id;

export const interactionName = (i) => ({ default: "Default", plan: "Plan" }[i] ?? i);
export const interactionMeans = (i) => ({ default: "the agent works", plan: "the agent only plans" }[i] ?? "");

// actionText is an Action in one line, as a person would say it.
export function actionText(a) {
  switch (a.kind) {
    case "command": return a.command + (a.cwd ? `  (in ${a.cwd})` : "");
    case "file-read": return a.path;
    case "file-change": return a.path + (a.to ? ` → ${a.to}` : "");
    case "web-fetch": return a.url;
    case "web-search": return a.query;
    case "mcp-tool": return `${a.server}/${a.tool}`;
    case "subagent": return a.agent;
    case "question": return a.text ?? "";
  }
  return JSON.stringify(a.request ?? a);
}

// listed joins words as a sentence does.
export function listed(words) {
  if (words.length < 2) return words.join("");
  return words.slice(0, -1).join(", ") + " and " + words.at(-1);
}

export const plural = (n, one, many = one + "s") => `${n} ${n === 1 ? one : many}`;
