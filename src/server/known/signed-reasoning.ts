import { parseSignature, type ReadReasoning } from "../../protocols/reasoning-signature.js";
import type { Session } from "../../session/session.js";

/** Returns a function that finds the reasoning of the session's recorded calls by their signatures. */
export function signedReasoning(session: Session): ReadReasoning {
  return (signature) => {
    const id = parseSignature(signature);
    const interaction = id === undefined ? undefined : session.find(id);
    if (!interaction) return "";
    // A client that has the signature has received the answer.
    session.delivery.referTo(interaction.index);
    return interaction.output.map(({ reasoning = "" }) => reasoning).join("");
  };
}
