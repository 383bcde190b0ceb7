import type { IncomingHttpHeaders } from "node:http";
import { type CallFacts } from "../../session/interaction.js";
/** Which agent makes a call, and for what. */
export type CallOrigin = Pick<CallFacts, "tag" | "hints">;
/**
 * Returns the origin of a model call from its headers. The hints of agent programs follow no specification, so a malformed
 * hint is ignored. The tag is Rolltape's own header, so a malformed tag is an error.
 *
 * @throws ApiError `invalid_value` if the tag is malformed
 */
export declare function readCallOrigin(headers: IncomingHttpHeaders): CallOrigin;
