import { z } from "zod";
import { RequestError } from "./request-error.js";
/** Longest list of dropped tools, in characters, because a header and the records of the call contain it. */
const MAX_LIST_LENGTH = 256;
/**
 * Tools that the client runs: those whose parameters only the models of their API know, and those of another API's requests.
 * They are refused, because without them the client would not work as it expects.
 */
const CLIENT_SIDE = /^(?:apply_patch|bash|browser|computer|custom|function|local_shell|memory|namespace|shell|text_editor)(?:[_-]|$)/;
/** @param supported the types of tools that the protocol's requests may have, for the error message */
export const serverTool = (supported) => z.looseObject({
    type: z
        .string()
        .regex(/^[a-zA-Z0-9_.-]{1,64}$/)
        .refine((type) => !CLIENT_SIDE.test(type), {
        error: ({ input }) => `only ${supported} are supported; received one of type "${String(input)}"`,
    }),
    execution: z
        .unknown()
        .refine((value) => value !== "client", `only ${supported} are supported`)
        .optional(),
});
/**
 * Returns the types of the tools that are left out, each once.
 *
 * @throws RequestError for the first tool if the policy is "refuse"
 */
export function leaveOut(found, policy = "refuse") {
    const [first] = found;
    if (first && policy === "refuse") {
        const advice = 'Set rollout.agent.server_tools to "drop" to leave such tools out of the prompt.';
        const message = `${first.param}: the server-side tool "${first.type}" is not supported. ${advice}`;
        throw new RequestError(first.param, message, "unsupported_parameter");
    }
    return [...new Set(found.map(({ type }) => type))];
}
/** Returns the dropped tools as one text, cut if it is too long for a header. */
export function joinDropped(types) {
    return types.join(", ").slice(0, MAX_LIST_LENGTH);
}
/**
 * Returns the server-side tools of a list of tools.
 *
 * @param isShown returns true for types of tools that a prompt can show; tools of all other types are server-side
 */
export function findServerTools(tools, isShown) {
    return tools.flatMap(({ type }, i) => typeof type === "string" && !isShown(type) ? [{ param: `tools[${i}].type`, type }] : []);
}
//# sourceMappingURL=server-tools.js.map