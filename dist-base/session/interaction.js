/** Format of a call's tag. */
export const TAG = /^[A-Za-z0-9._:-]{1,64}$/;
/** Of nearly all interactions. They share it, because an empty map takes 200 bytes. */
export const NOTHING_RESPELLED = new Map();
/** Returns the indices of all answers of an interaction's call. */
export function listChoices({ index, choice = 0, choices = 1 }) {
    return Array.from({ length: choices }, (_, i) => index - choice + i);
}
/** Returns the number of input messages. */
export function inputLength({ input }) {
    return input.inherited + input.added.length;
}
/** Returns a request's messages as the difference to those that it inherits from its parent. */
export function diffMessages(inherited, messages) {
    let respelled;
    inherited.forEach((message, i) => {
        const own = messages[i];
        if (own && !sameMessage(own, message))
            (respelled ??= new Map()).set(i, own);
    });
    return {
        inherited: inherited.length,
        respelled: respelled ?? NOTHING_RESPELLED,
        added: messages.slice(inherited.length),
    };
}
/**
 * Returns the input messages of an interaction exactly as its request spelled them. Each message comes from the nearest
 * ancestor that stores it. The time is linear in messages plus ancestors.
 */
export function joinMessages(interaction, all) {
    const messages = [];
    let wanted = inputLength(interaction);
    messages.length = wanted;
    const take = (source, at) => {
        for (let i = 0; i < source.length && at + i < wanted; i++) {
            const message = source[i];
            if (message)
                messages[at + i] ??= message;
        }
    };
    for (let at = interaction; at && wanted > 0; at = all[at.parent]) {
        const { inherited, respelled, added } = at.input;
        if (at !== interaction)
            take(at.output, inputLength(at));
        take(added, inherited);
        for (const [i, message] of respelled)
            if (i < wanted)
                messages[i] ??= message;
        wanted = Math.min(wanted, inherited);
    }
    return messages;
}
/** Returns true if two messages are equal in every field. */
export function sameMessage(a, b) {
    if (a === b)
        return true;
    return (a.role === b.role &&
        a.content === b.content &&
        a.reasoning === b.reasoning &&
        a.hasUnknownReasoning === b.hasUnknownReasoning &&
        a.toolCallId === b.toolCallId &&
        a.name === b.name &&
        sameCalls(a.toolCalls, b.toolCalls));
}
function sameCalls(a = [], b = []) {
    return (a.length === b.length &&
        a.every((call, i) => call.id === b[i]?.id && call.name === b[i]?.name && call.arguments === b[i]?.arguments));
}
//# sourceMappingURL=interaction.js.map