// state.js keeps the page's whole state in the address, behind the #, so that it
// can be shared and is never sent to a server.

// read takes an address apart: the view, the rest of its path, its parameters.
export function read(hash = location.hash) {
  const text = hash.replace(/^#\/?/, "");
  const cut = text.indexOf("?");
  const path = (cut < 0 ? text : text.slice(0, cut)).split("/").filter(Boolean).map(decode);
  return { view: path[0] ?? "matrix", path: path.slice(1), params: new URLSearchParams(cut < 0 ? "" : text.slice(cut + 1)) };
}

// link writes an address. Parameters that are empty are left out.
export function link(path, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== "" && value !== null && value !== undefined && value !== false) query.set(name, value);
  }
  const text = query.toString();
  return "#/" + path.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
}

// replace changes the address without a new entry in the history: for filters.
export function replace(hash) {
  history.replaceState(null, "", hash);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
