import { z } from "zod";
/** `context_management`: edits of the conversation before the model sees it. Only thinking can be cleared. */
const CLEAR_THINKING = "clear_thinking_20251015";
const keepSome = z.object({ type: z.literal("thinking_turns"), value: z.int32().min(1) });
const clearThinking = z.object({ type: z.literal(CLEAR_THINKING), keep: keepSome.nullish() });
/** An edit that changes nothing. */
const keepAll = z.object({ keep: z.union([z.literal("all"), z.object({ type: z.literal("all") })]) });
const management = z.object({ edits: z.array(z.union([keepAll, clearThinking])).nullish() });
export const contextManagement = z
    .unknown()
    .transform((value, context) => {
    if (value === undefined || value === null)
        return undefined;
    const { data } = management.safeParse(value);
    if (data)
        return readKeptTurns(data);
    context.addIssue({
        code: "custom",
        message: `context_management with edits other than ${CLEAR_THINKING} is not supported`,
        params: { unsupported: true },
    });
    return z.NEVER;
})
    .optional()
    .describe(`Edits of type ${CLEAR_THINKING} only.`);
/** As in Anthropic's API, one turn is kept if the edit does not say how many. */
const DEFAULT_KEPT_TURNS = 1;
/** Returns how many turns keep their thinking; undefined if all do. */
function readKeptTurns({ edits }) {
    const kept = (edits ?? []).flatMap((edit) => ("type" in edit ? [edit.keep?.value ?? DEFAULT_KEPT_TURNS] : []));
    return kept.length === 0 ? undefined : Math.min(...kept);
}
/**
 * Removes the thinking of all but the last turns that have some. A turn is what the assistant does after a message of the
 * user, with its calls and their results.
 *
 * @param kept how many turns keep their thinking; undefined: all
 */
export function clearEarlierThinking(messages, kept) {
    if (kept === undefined)
        return messages;
    const cleared = [];
    let turns = 0;
    let isCounted = false;
    for (const message of messages.toReversed()) {
        if (message.role === "user")
            isCounted = false;
        if (message.reasoning === undefined) {
            cleared.push(message);
            continue;
        }
        if (!isCounted)
            turns++;
        isCounted = true;
        const { reasoning: _, ...rest } = message;
        cleared.push(turns <= kept ? message : rest);
    }
    return cleared.reverse();
}
//# sourceMappingURL=context-management.js.map