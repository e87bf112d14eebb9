// table.js makes a table that becomes a list of cards on a phone: there, each cell
// shows its column's name.
import { h } from "./dom.js";

// table makes one from the columns' names and the rows; a row's first cell is its
// heading when named is true.
export function table(head, rows, { name = "", named = false } = {}) {
  return h("table", { class: `rows ${name}` },
    h("thead", null, h("tr", null, head.map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", null, rows.map((cells) => h("tr", null, cells.map((content, i) =>
      named && i === 0 ? h("th", { scope: "row" }, content) : h("td", { "data-label": head[i], class: /^why|acknowledged$/i.test(head[i]) && "why" }, h("div", null, content)))))));
}
