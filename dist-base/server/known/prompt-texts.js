import { PromptText } from "../../engine/prompt-text.js";
/** Shorter prompts are written in a few microseconds. */
const MIN_TOKENS = 8192;
/**
 * Takes the text that begins with the most tokens of a prompt: that of the call's parent, or of another child of it. The call
 * then extends it. A call that fails does not add it again, because a socket may still read it.
 *
 * @returns undefined if the prompt is short
 */
export function takePromptText(known, session, start) {
    if (start.tokens < MIN_TOKENS)
        return undefined;
    const recent = known.forSession(session);
    let best;
    let shared = 0;
    for (const item of recent.items) {
        const count = countShared(start, item);
        if (count > shared)
            [best, shared] = [item, count];
    }
    if (best)
        recent.take(best);
    return { text: best?.text ?? new PromptText(), shared, start };
}
/** Keeps the text of a recorded call's prompt for the next call. */
export function keepPromptText(known, session, { text, start }, interactions) {
    if (text.isReady)
        known.forSession(session).add({ ...start, text, interactions });
}
/** Returns the number of first tokens that are certainly equal. */
function countShared({ parent, shared }, item) {
    if (parent === undefined)
        return 0;
    if (item.interactions.includes(parent))
        return Math.min(shared, item.tokens);
    return item.parent === parent ? Math.min(shared, item.shared) : 0;
}
//# sourceMappingURL=prompt-texts.js.map