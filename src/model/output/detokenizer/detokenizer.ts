import type { Piece } from "../piece.js";

/** Turns the tokens of one output into text as they come. */
export interface Detokenizer {
  /** Takes tokens and returns the pieces that they complete. The cost depends on these tokens only. */
  push(ids: Int32Array): Piece[];
  /** Returns what was held. An incomplete character becomes U+FFFD. */
  finish(): Piece[];
}

/**
 * Called for each token with the place where its text begins, in characters, without special tokens that are not
 * markers.
 */
export type OnToken = (at: number) => void;
