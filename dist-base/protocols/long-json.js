/** Length of one piece, in characters. A piece takes about a quarter of a millisecond to write. */
export const PIECE_LENGTH = 64 * 1024;
/**
 * A text that is written while it is sent. As one string, a long answer with log probabilities would stall the event loop for
 * seconds or exceed V8's limit of 512 MB.
 */
export class LongJson {
    #segments;
    constructor(segments) {
        this.#segments = segments;
    }
    /** Memory that the text uses until it is sent, in bytes. */
    get memory() {
        return this.#segments.reduce((sum, each) => sum + (typeof each === "string" ? each.length : each.memory), 0);
    }
    /** Returns the text in pieces of about {@link PIECE_LENGTH} characters. Text outside of inserted values is not cut. */
    *pieces() {
        let piece = "";
        for (const segment of this.#segments) {
            for (const text of typeof segment === "string" ? [segment] : segment.pieces()) {
                if (piece !== "" && piece.length + text.length > PIECE_LENGTH) {
                    yield piece;
                    piece = "";
                }
                piece += text;
            }
        }
        yield piece;
    }
    /** Returns the text between two others. */
    between(before, after) {
        return new LongJson([before, ...this.#segments, after]);
    }
    /** Returns the text with each of its pieces changed. */
    map(change) {
        const { memory } = this;
        const pieces = () => changeEach(this.pieces(), change);
        return new LongJson([{ memory, pieces }]);
    }
    static concat(texts) {
        return new LongJson(texts.flatMap((text) => (typeof text === "string" ? [text] : text.#segments)));
    }
}
function* changeEach(pieces, change) {
    for (const piece of pieces)
        yield change(piece);
}
/** Returns a few texts as one. */
export function concat(...texts) {
    return joinTexts(texts);
}
/** Returns any number of texts as one. */
export function joinTexts(texts) {
    return isShort(texts) ? texts.join("") : LongJson.concat(texts);
}
const isShort = (texts) => texts.every((text) => typeof text === "string");
//# sourceMappingURL=long-json.js.map