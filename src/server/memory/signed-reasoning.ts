import { ApiError } from "../../http/errors.js";
import { parseSignature, type ReadReasoning } from "../../protocols/reasoning-signature.js";
import type { Session } from "../../session/session.js";
import { groupDigits } from "../../support/group-digits.js";

/**
 * Returns a function that finds the reasoning of the session's recorded calls by their signatures. Use it for one request.
 *
 * A signature is short and can be sent often, so the texts are counted before they are joined. Otherwise a small body could fill the
 * memory.
 *
 * @param maxCharacters maximum length of all texts that the function returns. Beyond it, the function throws ApiError `prompt_too_large`
 */
export function signedReasoning(session: Session, maxCharacters: number): ReadReasoning {
  let characters = 0;
  return (signature) => {
    const id = parseSignature(signature);
    const interaction = id === undefined ? undefined : session.find(id);
    if (!interaction) return "";
    // A client that has the signature has received the answer.
    session.delivery.referTo(interaction.index);
    const reasoning = interaction.output.map((message) => message.reasoning ?? "").join("");
    characters += reasoning.length;
    if (characters > maxCharacters) throw tooLongError(maxCharacters);
    return reasoning;
  };
}

function tooLongError(maxCharacters: number): ApiError {
  const limit = groupDigits(maxCharacters);
  const message = `The reasoning that the signatures name has too many characters; server.max_prompt_characters allows ${limit}.`;
  return new ApiError("prompt_too_large", message);
}
