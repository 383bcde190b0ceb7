/** A part of an output: no longer tokens, not yet events. */
export type Piece =
  /** Whole characters of text, never empty. */
  | { readonly kind: "text"; readonly text: string }
  /**
   * One token that is recognized by its id: a marker of the output's format, or a special token. `text` is its
   * spelling. The spelling of a special token is shown only if it is a marker out of place.
   */
  | { readonly kind: "token"; readonly text: string; readonly special: boolean };

/** Returns the text of a piece as a decode without special tokens has it. */
export const shownText = (piece: Piece): string => (piece.kind === "token" && piece.special ? "" : piece.text);
