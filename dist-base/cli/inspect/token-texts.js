const REPLACEMENT = "\uFFFD";
/** A character has at most four bytes, so later tokens cannot complete it. */
const MAX_PARTS = 4;
/**
 * Returns the text of each token. The text of a character that several tokens spell is that of the last; the others have an empty one.
 *
 * A token is decoded together with the one before it, because some tokenizers drop a space at the start of a text.
 */
export function decodeEach(decoder, ids) {
    const texts = [];
    // The tokens before `from` are decoded, except that the last of them is the context of the next one.
    let from = 0;
    for (let at = 0; at < ids.length; at++) {
        const context = ids.subarray(Math.max(0, from - 1), from);
        const before = decoder.decode(context, { skipSpecialTokens: false });
        const whole = decoder.decode(ids.subarray(Math.max(0, from - 1), at + 1), { skipSpecialTokens: false });
        const text = whole.slice(before.length);
        const isPart = text.endsWith(REPLACEMENT) && at - from + 1 < MAX_PARTS && at + 1 < ids.length;
        texts.push(isPart ? "" : text);
        if (!isPart)
            from = at + 1;
    }
    return texts;
}
//# sourceMappingURL=token-texts.js.map