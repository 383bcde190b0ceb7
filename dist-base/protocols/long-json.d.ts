/** Length of one piece, in characters. A piece takes about a quarter of a millisecond to write. */
export declare const PIECE_LENGTH: number;
/** A part of a text that is written in pieces. */
interface Pieces {
    /** Memory that it takes, in bytes. */
    readonly memory: number;
    pieces(): Iterable<string>;
}
/**
 * A text that is written while it is sent. As one string, a long answer with log probabilities would stall the event loop for
 * seconds or exceed V8's limit of 512 MB.
 */
export declare class LongJson {
    #private;
    constructor(segments: readonly (string | Pieces)[]);
    /** Memory that the text uses until it is sent, in bytes. */
    get memory(): number;
    /** Returns the text in pieces of about {@link PIECE_LENGTH} characters. Text outside of inserted values is not cut. */
    pieces(): Generator<string, void, void>;
    /** Returns the text between two others. */
    between(before: string, after: string): LongJson;
    /** Returns the text with each of its pieces changed. */
    map(change: (piece: string) => string): LongJson;
    static concat(texts: readonly JsonText[]): LongJson;
}
/** JSON, or events that contain JSON. */
export type JsonText = string | LongJson;
/** Returns a few texts as one. */
export declare function concat(...texts: readonly JsonText[]): JsonText;
/** Returns any number of texts as one. */
export declare function joinTexts(texts: readonly JsonText[]): JsonText;
export {};
