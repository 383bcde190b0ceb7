/** Returns the sum of the lengths of texts or of arrays of ids. */
export function totalLength(pieces: readonly { readonly length: number }[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
