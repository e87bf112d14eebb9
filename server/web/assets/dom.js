// dom.js makes elements. Strings become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

// h makes an element: attributes first (on… are listeners; false, null and
// undefined leave one out; true writes it empty), then children.
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// svg makes an SVG element, as h does.
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "href" && !/^(#|\/(?![\/\\]))/.test(value)) throw new Error("a link leads out of the page: " + value);
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

// say tells a screen reader what has happened.
export function say(text) {
  document.getElementById("said").textContent = text;
}

// copyButton copies a text, byte for byte.
export function copyButton(label, text) {
  const button = h("button", {
    type: "button", class: "copy", onclick: async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        button.textContent = "The browser refused";
      }
      say(button.textContent);
      setTimeout(() => { button.textContent = label; }, 2000);
    },
  }, label);
  return button;
}
