/**
 * A decoder of a tokenizer.json that turns tokens into text one by one.
 *
 * `byteLevel`: characters of a token stand for bytes (GPT-2's alphabet). `pieces`: tokens are text after replacements.
 * With `byteFallback`, tokens spelled like `<0x0A>` are bytes. `strip` is removed at the start of the whole text.
 */
export type TokenwiseDecoder = {
    readonly kind: "byteLevel";
} | {
    readonly kind: "pieces";
    readonly replacements: readonly Replacement[];
    readonly byteFallback: boolean;
    readonly strip: LeadingStrip;
};
export interface Replacement {
    readonly from: string;
    readonly to: string;
}
/** Removes `content` up to `count` times at the start of the whole text, or of its first token only. */
export interface LeadingStrip {
    readonly content: string;
    readonly count: number;
    readonly firstTokenOnly: boolean;
}
/** Reads the `decoder` of a tokenizer.json; undefined if tokens cannot be decoded one by one. */
export declare function readDecoder(config: unknown): TokenwiseDecoder | undefined;
