/** Length of all together: of texts, or of arrays of ids. */
export function lengthOf(pieces: readonly { readonly length: number }[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
