/** Returns the sum of the lengths of texts or of arrays of ids. */
export function totalLength(pieces) {
    return pieces.reduce((sum, { length }) => sum + length, 0);
}
//# sourceMappingURL=total-length.js.map