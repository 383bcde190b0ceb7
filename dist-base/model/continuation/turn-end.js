import { STAND_IN_TEXT } from "./stand-in.js";
/**
 * Finds the token that ends a turn: the first stop token in the text between the marker and the next message's text. Some
 * models (GLM) stop at the header of the next message.
 *
 * @param followed the text after the marker if a stand-in message follows
 * @param renderClosed renders the text after the marker if the turn is the last message
 */
export function findTurnEnd(followed, renderClosed, tokens) {
    const own = firstStop(followed.slice(0, Math.max(0, followed.indexOf(STAND_IN_TEXT))), tokens);
    if (own !== undefined)
        return { before: followed.slice(0, own.index), token: own.token, modelToken: own.token };
    // gpt-oss ends its last turn with <|return|>, and writes <|end|> in its place once the conversation goes on.
    const closed = renderClosed();
    const last = closed === undefined ? undefined : firstStop(closed, tokens);
    if (closed === undefined || last === undefined || !followed.startsWith(closed.slice(0, last.index)))
        return undefined;
    const token = tokens.addedTokenAt(followed.slice(last.index));
    return token === undefined ? undefined : { before: closed.slice(0, last.index), token, modelToken: last.token };
}
function firstStop(text, tokens) {
    let first;
    for (const token of tokens.stops.values()) {
        const index = text.indexOf(token);
        if (index >= 0 && (first === undefined || index < first.index))
            first = { index, token };
    }
    return first;
}
//# sourceMappingURL=turn-end.js.map