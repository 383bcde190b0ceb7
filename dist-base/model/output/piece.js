/** Returns the text of a piece in a decode without special tokens. */
export const shownText = (piece) => (piece.kind === "token" && piece.special ? "" : piece.text);
//# sourceMappingURL=piece.js.map