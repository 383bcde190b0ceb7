import type { Piece } from "../piece.js";

/** Turns the tokens of one output into text as they arrive. */
export interface Detokenizer {
  /** Takes tokens and returns the pieces that they complete. The cost depends only on these tokens. */
  push(ids: Int32Array): Piece[];
  /** Returns the rest. An incomplete character becomes U+FFFD. */
  finish(): Piece[];
}

/**
 * Called for each token with the place where its text begins, in characters. Special tokens that are not markers do not
 * count.
 */
export type OnToken = (at: number) => void;
