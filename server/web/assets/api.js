// api.js asks the service. What is the same for a whole policy is asked once; when
// an answer comes from another policy than the one on the page, the page is told.

// Problem is an answer that says no, as problem details (RFC 9457).
export class Problem extends Error {
  constructor(status, details) {
    super(details.detail || details.title || "the service answers " + status);
    this.status = status;
    this.title = details.title || "";
    this.errors = details.errors ?? [];
    this.state = details.state ?? ""; // of the request that it is about
    this.requestId = details.requestId ?? "";
  }
}

let digest = "";
let changed = () => {};
const kept = new Map();

// onPolicyChange is called when the policy in force isn't the page's any more.
export function onPolicyChange(callback) { changed = callback; }

// noticed is told which policy is in force.
export function noticed(given) {
  if (digest && given !== digest) changed();
  digest ||= given;
}

// forget drops what was kept: the next answers are of the policy now in force.
export function forget() {
  digest = "";
  kept.clear();
}

const request = async (method, path, body) => (await ask(method, path, body)).text;

async function ask(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method, cache: "no-store", credentials: "same-origin", redirect: "error",
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
  } catch {
    throw new Problem(0, { title: "No answer", detail: "The service can't be reached. It may have stopped." });
  }
  const text = await response.text();
  const given = response.headers.get("Modegate-Policy") ?? "";
  if (response.ok && path.startsWith("/v1/") && given) noticed(given);
  if (response.ok) return { text, headers: response.headers };
  let details = {};
  try {
    details = JSON.parse(text);
  } catch { /* not ours: a proxy's page, perhaps */ }
  throw new Problem(response.status, details);
}

function once(path) {
  if (!kept.has(path)) {
    const asked = request("GET", path);
    asked.catch(() => kept.delete(path));
    kept.set(path, asked);
  }
  return kept.get(path);
}

const parsed = new Map();
async function value(path) {
  const text = await once(path);
  if (parsed.get(path)?.text !== text) parsed.set(path, { text, value: JSON.parse(text) });
  return parsed.get(path).value;
}

export const matrix = () => value("/v1/matrix");
export const providers = () => value("/v1/providers");
export const policyText = () => value("/v1/policies/text");
export const loaded = async () => JSON.parse(await request("GET", "/v1/policies"));
export const me = () => value("/v1/me");
export const signIn = (token) => request("POST", "/sign-in", { token });
export const signOut = () => request("POST", "/sign-out", "");

// ruleset answers with the text as well: native bytes are shown and copied as
// they were sent, not as a parser would write them.
export async function ruleset(provider, mode, interaction) {
  const text = await once(`/v1/rulesets/${[provider, mode, interaction].map(encodeURIComponent).join("/")}`);
  return { text, value: JSON.parse(text) };
}

export const evaluate = async (question) => JSON.parse(await request("POST", "/v1/evaluate", question));

// What lives is never kept. A list says up to which event of the log it is, and
// what the time is at the service.
async function list(path) {
  const { text, headers } = await ask("GET", path);
  return { value: JSON.parse(text), place: Number(headers.get("Modegate-Last-Event")), date: Date.parse(headers.get("Date")), policy: headers.get("Modegate-Policy") };
}

const part = encodeURIComponent;
const query = (params) => new URLSearchParams(Object.entries(params).filter(([, v]) => v)).toString();

export const openRequests = () => list("/v1/requests");
export const sessions = (params) => list("/v1/sessions?" + query(params));
export const oneRequest = async (id) => JSON.parse(await request("GET", `/v1/requests/${part(id)}`));
export const nativeRequest = (id) => request("GET", `/v1/requests/${part(id)}/native`);
export const decide = async (id, decision) => JSON.parse(await request("POST", `/v1/requests/${part(id)}/decision`, decision));
export const answer = async (id, answers) => JSON.parse(await request("POST", `/v1/requests/${part(id)}/answers`, { answers }));
export const dismiss = async (id) => JSON.parse(await request("POST", `/v1/requests/${part(id)}/dismiss`, {}));
export const activities = async (id, after) => JSON.parse(await request("GET", `/v1/sessions/${part(id)}/activities?after=${after}`));
export const sessionRuleset = async (id) => JSON.parse(await request("GET", `/v1/sessions/${part(id)}/ruleset`));
export const changeSession = async (id, change) => JSON.parse(await request("PATCH", `/v1/sessions/${part(id)}`, change));

// may says whether whoever has signed in has a scope.
export const may = (who, scope) => who.scopes.includes(scope) || who.scopes.includes("admin");
