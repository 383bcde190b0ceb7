/** A part of an output between the tokens and their meaning. */
export type Piece =
  /** Whole characters of text, never empty. */
  | { readonly kind: "text"; readonly text: string }
  /**
   * One token that is known by its id: a marker of the output's format, or a special token. `text` is its spelling;
   * that of a special token is shown only where it is a marker, and out of place.
   */
  | { readonly kind: "token"; readonly text: string; readonly special: boolean };

/** The text of a piece as a decode without special tokens has it. */
export const shownText = (piece: Piece): string => (piece.kind === "token" && piece.special ? "" : piece.text);
