// signin.js is what is shown to somebody who hasn't signed in.
import { forget, signIn } from "./api.js";
import { h } from "./dom.js";
import { problem } from "./problem.js";

// view calls done after a sign-in that worked.
export function view(done) {
  const said = h("div");
  const token = h("input", { id: "token", type: "password", name: "token", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "token-help" });
  const form = h("form", {
    class: "sign-in", onsubmit: async (e) => {
      e.preventDefault();
      said.replaceChildren();
      try {
        await signIn(token.value.trim());
      } catch (error) {
        said.replaceChildren(problem(error));
        token.focus();
        return;
      }
      forget();
      done();
    },
  }, h("label", { for: "token" }, "Token"), token, h("button", { class: "main" }, "Sign in"),
    h("p", { id: "token-help", class: "muted small" }, "The token is sent to this service alone, and the browser keeps a session of 12 hours instead of it."));
  return {
    title: "Sign in",
    node: [
      h("h1", { tabindex: "-1" }, "Sign in"),
      h("p", null, "What modes do is shown to those alone who may see it. There are two ways in:"),
      h("ol", null,
        h("li", null, "Open the address that ", h("code", null, "modegate serve"), " printed when it started, after ", h("em", null, "sign the browser in"), ". It works once."),
        h("li", null, "Or give a token that has the scope ", h("code", null, "read"), ": the one in the file ", h("code", null, "admin-token"), " of the service's data folder (",
          h("code", null, "modegate-data"), " unless ", h("code", null, "--data"), " says otherwise), or one that your administrator made.")),
      form, said,
    ],
  };
}
