import { isNormalized } from "./added-token.js";
/**
 * Creates a splitter that cuts right before added tokens. Tokenizers find added tokens first and encode the text between
 * them section by section, so no merge crosses such a cut. A cut after the token would be wrong for tokenizers that treat
 * the first section of a text differently (Metaspace's `prepend_scheme: "first"`); a piece that begins with an added token
 * has no first section.
 *
 * There is no cut before a token that removes the white space before it (`lstrip`), and none at tokens that are found
 * only after normalization, unless normalization changes nothing.
 */
export function createSplitter(tokens, normalizer) {
    const plain = tokens.filter((token) => !isNormalized(token) || normalizer === null || normalizer === undefined);
    const normalized = tokens.filter((token) => !plain.includes(token) && isIdentity(normalizer));
    const levels = [plain, normalized].filter((level) => level.length > 0).map(createCutter);
    return (text) => levels.reduce(cutAll, [text]);
}
function* cutAll(pieces, cut) {
    for (const piece of pieces)
        yield* cut(piece);
}
/** Returns true if there is no normalizer, or an empty sequence, as in DeepSeek's tokenizers. */
export function isIdentity(normalizer) {
    if (typeof normalizer !== "object" || normalizer === null)
        return true;
    return ("normalizers" in normalizer && Array.isArray(normalizer.normalizers) && normalizer.normalizers.every(isIdentity));
}
function createCutter(tokens) {
    const stripping = new Set(tokens.filter((token) => token.lstrip).map((token) => token.content));
    const pattern = new RegExp(matchAny(tokens), "g");
    return function* (text) {
        let start = 0;
        let searched = 0;
        for (;;) {
            // Other texts use the pattern while this one is paused. `matchAll` would compile a copy of it for each text.
            pattern.lastIndex = searched;
            const match = pattern.exec(text);
            if (!match)
                break;
            searched = pattern.lastIndex;
            if (match.index === start || stripping.has(match[0]))
                continue;
            yield text.slice(start, match.index);
            start = match.index;
        }
        if (start < text.length)
            yield text.slice(start);
    };
}
/** Returns the source of a regular expression that matches any of the tokens; if several match, the longest. */
export function matchAny(tokens) {
    // Alternatives are tried in order, so the longest comes first, as in the libraries.
    const contents = tokens.map((token) => token.content).sort((a, b) => b.length - a.length);
    return contents.map((content) => content.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|");
}
//# sourceMappingURL=splitter.js.map