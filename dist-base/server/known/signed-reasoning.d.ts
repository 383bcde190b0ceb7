import { type ReadReasoning } from "../../protocols/reasoning-signature.js";
import type { Session } from "../../session/session.js";
/**
 * Returns a function that finds the reasoning of the session's recorded calls by their signatures. Use it for one request.
 *
 * A signature is short and can be sent often, so the texts are counted before they are joined. Otherwise a small body could fill the
 * memory.
 *
 * @param maxCharacters maximum length of all texts that the function returns. Beyond it, the function throws ApiError `prompt_too_large`
 */
export declare function signedReasoning(session: Session, maxCharacters: number): ReadReasoning;
