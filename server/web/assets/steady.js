// steady.js keeps a press from reaching a button that has only just come under
// the pointer: for a moment after anything has moved, buttons take none.
const moment = 600; // milliseconds

// steady watches what a list lies among, and each of its items. It marks what has
// just moved, or just appeared, with the class "unsteady".
export function steady(list, around) {
  const heights = new Map();
  const timers = new Map();
  const mark = (element) => {
    clearTimeout(timers.get(element));
    element.classList.add("unsteady");
    timers.set(element, setTimeout(() => element.classList.remove("unsteady"), moment));
  };
  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const height = target.getBoundingClientRect().height;
      if (heights.has(target) && heights.get(target) !== height) mark(list);
      heights.set(target, height);
    }
  });
  around.forEach((element) => sizes.observe(element));
  return {
    add: (item) => {
      mark(item);
      sizes.observe(item);
    },
    moved: () => mark(list),
    end: () => {
      sizes.disconnect();
      timers.forEach(clearTimeout);
    },
  };
}

// isSteady says whether a press on this element is meant for it.
export const isSteady = (element) => element.closest(".unsteady") === null;
