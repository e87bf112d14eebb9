// keys.js lets arrow keys walk a grid: one square is in the tab order, the arrows
// move from it, Home and End go along the row (with Ctrl: to the corners).

export function arrows(grid, selector) {
  const rows = [...grid.tBodies[0].rows].map((row) => [...row.querySelectorAll(selector)]);
  const all = rows.flat();
  const enter = (one) => all.forEach((a) => a.setAttribute("tabindex", a === one ? "0" : "-1"));
  enter(all[0]);
  grid.addEventListener("focusin", (e) => all.includes(e.target) && enter(e.target));
  grid.addEventListener("keydown", (e) => {
    const y = rows.findIndex((row) => row.includes(e.target));
    if (y < 0 || e.altKey || e.metaKey || e.shiftKey) return;
    const x = rows[y].indexOf(e.target);
    const to = {
      ArrowLeft: [y, x - 1], ArrowRight: [y, x + 1], ArrowUp: [y - 1, x], ArrowDown: [y + 1, x],
      Home: e.ctrlKey ? [0, 0] : [y, 0], End: e.ctrlKey ? [rows.length - 1, rows.at(-1).length - 1] : [y, rows[y].length - 1],
    }[e.key];
    const next = to && rows[to[0]]?.[to[1]];
    if (!to) return;
    e.preventDefault();
    next?.focus();
  });
}
