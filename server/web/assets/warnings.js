// warnings.js says what somebody has to know who relies on a session's mode.
import { at } from "./findings.js";
import { plural } from "./words.js";

// warnings are those of the session's cell: of the samples and gaps of the
// matrix, which knows nothing of the session's own rules and grants.
export function warnings(matrix, session) {
  const cell = matrix && at(matrix, session.provider, session.mode, session.interaction);
  if (!cell) return [];
  const out = [];
  const acts = cell.samples.filter((s) => s.id !== "question");
  if (acts.every((s) => s.effect === "allow" && s.confinement === "none")) out.push({ short: "asks nobody", long: "Nothing is asked and nothing is confined in this mode." });
  const told = cell.samples.filter((s) => s.enforcer === "instruction");
  if (told.length) out.push({ short: "instruction only", long: `Only an instruction to the model holds it back in ${told.length} of ${cell.samples.length} samples: nothing enforces that.` });
  const nobody = cell.samples.filter((s) => s.enforcer === "nobody");
  if (nobody.length) out.push({ short: "nobody enforces", long: `Nobody holds it back in ${nobody.length} of ${cell.samples.length} samples.` });
  const wider = cell.gaps.filter((g) => g.direction === "wider");
  if (wider.length) out.push({ short: plural(wider.length, "wider gap"), long: `The provider lets more happen than the policy says: ${[...new Set(wider.map((g) => `${g.kind}, ${g.want} becomes ${g.got}`))].join("; ")}.` });
  return out;
}
