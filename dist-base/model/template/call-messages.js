export const CALLS_AS_THEY_ARE = { calls: "together", text: "content" };
/** Between reasoning and text that were joined. */
const SEPARATOR = "\n\n";
/** Returns the messages as the rules say. */
export function placeCalls(messages, rules) {
    if (!messages.some((message) => changes(message, rules)))
        return messages;
    const placed = [];
    for (let i = 0; i < messages.length; i++) {
        const message = messages[i];
        if (message === undefined || !changes(message, rules)) {
            if (message !== undefined)
                placed.push(message);
            continue;
        }
        const after = messages.findIndex((other, at) => at > i && other.role !== "tool");
        const results = messages.slice(i + 1, after < 0 ? messages.length : after);
        placed.push(...withResults(divide(message, rules), results));
        i += results.length;
    }
    return placed;
}
function changes({ toolCalls = [], content, reasoning }, rules) {
    if (rules.calls === "one_by_one" && toolCalls.length > 1)
        return true;
    return rules.text === "reasoning" && toolCalls.length > 0 && content !== "" && (reasoning ?? "") !== "";
}
/** Puts each result after the message with its call. Results of other calls come last. */
function withResults(parts, results) {
    const rest = new Set(results);
    const placed = parts.flatMap((part) => {
        const ids = new Set((part.toolCalls ?? []).map(({ id }) => id));
        const own = results.filter(({ toolCallId }) => toolCallId !== undefined && ids.has(toolCallId));
        for (const result of own)
            rest.delete(result);
        return [part, ...own];
    });
    return [...placed, ...rest];
}
/** Values of messages are cached by message, so that each message must give the same objects each time. */
const dividedMessages = new WeakMap();
function divide(message, rules) {
    const byMessage = dividedMessages.get(rules) ?? new WeakMap();
    dividedMessages.set(rules, byMessage);
    const known = byMessage.get(message);
    if (known)
        return known;
    const [first = message, ...rest] = rules.calls === "one_by_one" ? eachCall(message) : [message];
    const parts = [changes(first, rules) ? withoutContent(first) : first, ...rest];
    byMessage.set(message, parts);
    return parts;
}
/** Text and reasoning stay with the first call. */
function eachCall({ toolCalls = [], ...message }) {
    return toolCalls.map((call, index) => index === 0 ? { ...message, toolCalls: [call] } : { role: message.role, content: "", toolCalls: [call] });
}
function withoutContent(message) {
    return { ...message, content: "", reasoning: `${message.reasoning ?? ""}${SEPARATOR}${message.content}` };
}
//# sourceMappingURL=call-messages.js.map