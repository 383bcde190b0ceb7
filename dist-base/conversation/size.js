/** Characters added for each message, tool call and value in a tool's definition: a template writes names and marks around it. */
const MARKUP = 16;
/** Estimates how many characters the prompt of this conversation has. This is much faster than rendering the prompt. */
export function estimateCharacters({ messages, tools = [] }) {
    let characters = 0;
    for (const message of messages)
        characters += MARKUP + messageLength(message);
    for (const tool of tools)
        characters += valueLength(tool);
    return characters;
}
function messageLength(message) {
    const markup = MARKUP * (message.toolCalls?.length ?? 0);
    return markup + sumTexts(message, (text) => text.length);
}
/** Sums a measure of all texts of a message. Ids and names are texts too: an agent chooses their length. */
export function sumTexts({ content, reasoning = "", toolCalls = [], toolCallId = "", name = "" }, measure) {
    let sum = measure(content) + measure(reasoning) + measure(toolCallId) + measure(name);
    for (const call of toolCalls)
        sum += measure(call.id) + measure(call.name) + measure(call.arguments);
    return sum;
}
/**
 * Returns about how many characters a JSON value has, without writing it.
 *
 * @param value JSON of limited depth: this function recurses
 */
export function valueLength(value) {
    if (typeof value === "string")
        return MARKUP + value.length;
    if (typeof value !== "object" || value === null)
        return MARKUP;
    if (Array.isArray(value))
        return value.reduce((length, item) => length + valueLength(item), MARKUP);
    let length = MARKUP;
    for (const key in value)
        length += key.length + valueLength(value[key]);
    return length;
}
//# sourceMappingURL=size.js.map