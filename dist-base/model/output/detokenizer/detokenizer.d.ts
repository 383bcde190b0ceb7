import type { Piece } from "../piece.js";
/** Turns the tokens of one output into text as they arrive. */
export interface Detokenizer {
    /** Takes tokens and returns the pieces that they complete. The cost depends only on these tokens. */
    push(ids: Int32Array): Piece[];
    /** Returns the rest. An incomplete character becomes U+FFFD. */
    finish(): Piece[];
}
/**
 * Called for each token with the offset of its text, in UTF-16 units. Special tokens other than markers have no text.
 */
export type OnToken = (at: number) => void;
