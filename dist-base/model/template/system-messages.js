import { isSystem } from "../../conversation/message.js";
export const AS_THEY_ARE = { leading: "separate", later: "system" };
/** Between messages that were joined. */
const SEPARATOR = "\n\n";
/**
 * Returns the messages as the rules say.
 *
 * A later system message keeps its place. Moved to the front, it would change the prompt from its beginning, and no prompt would
 * continue an earlier one.
 */
export function placeSystemMessages(messages, rules) {
    const firstOther = messages.findIndex((message) => !isSystem(message));
    const end = firstOther < 0 ? messages.length : firstOther;
    const joins = rules.leading === "joined" && end > 1;
    const moves = rules.later !== "system" && messages.some((message, i) => i > end && isSystem(message));
    if (!joins && !moves)
        return messages;
    const leading = joins ? [joinMessages(messages.slice(0, end))] : messages.slice(0, end);
    const later = messages.slice(end);
    return [...leading, ...(moves ? toUserMessages(later, rules) : later)];
}
/** The text by which a system message is shown in a user message. */
export const wrapSystem = (content) => `<system>\n${content}\n</system>`;
function toUserMessages(messages, { later }) {
    const placed = [];
    /** The last placed message has the text of a system message, so it takes a user message that follows. */
    let isOpen = false;
    for (const message of messages) {
        const own = isSystem(message) ? toUserMessage(message) : message;
        const last = placed.at(-1);
        const isPart = later === "part_of_user" && own.role === "user" && (isOpen || own !== message);
        isOpen = own !== message || (isOpen && isPart);
        if (isPart && last?.role === "user")
            placed[placed.length - 1] = joinMessages([last, own]);
        else
            placed.push(own);
    }
    return placed;
}
/** Values of messages are cached by message, so that each message must give the same object each time. */
const userMessages = new WeakMap();
function toUserMessage(message) {
    const known = userMessages.get(message);
    if (known)
        return known;
    const made = { role: "user", content: wrapSystem(message.content) };
    userMessages.set(message, made);
    return made;
}
/** Returns the first message with the text of all. */
function joinMessages(messages) {
    const [first] = messages;
    const content = messages.map((message) => message.content).join(SEPARATOR);
    return { ...first, role: first?.role ?? "system", content };
}
//# sourceMappingURL=system-messages.js.map