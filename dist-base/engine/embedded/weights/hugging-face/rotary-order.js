/**
 * Rotary embedding rotates pairs of rows of each attention head. Hugging Face pairs row i with row i + half of the head;
 * llama.cpp's llama architecture pairs neighbours. So GGUF files have the rows of q and k in another order: rows 0, half, 1,
 * half + 1, … of each head.
 */
/**
 * Returns the rows of whole heads in the order of GGUF.
 *
 * @param rowBytes size of a row
 * @param headRows rows of a head; even
 */
export function interleaveHeads(rows, rowBytes, headRows) {
    return reorder(rows, rowBytes, headRows, (row, half) => (row % 2) * half + Math.floor(row / 2));
}
/** Returns the rows of whole heads in the order of Hugging Face: the inverse of {@link interleaveHeads}. */
export function separateHeads(rows, rowBytes, headRows) {
    return reorder(rows, rowBytes, headRows, (row, half) => (row % half) * 2 + Math.floor(row / half));
}
/** @param source returns from which row of a head the given row comes */
function reorder(rows, rowBytes, headRows, source) {
    const result = new Uint8Array(rows.length);
    const headBytes = rowBytes * headRows;
    for (let head = 0; head < rows.length; head += headBytes) {
        for (let row = 0; row < headRows; row++) {
            const from = head + source(row, headRows / 2) * rowBytes;
            result.set(rows.subarray(from, from + rowBytes), head + row * rowBytes);
        }
    }
    return result;
}
//# sourceMappingURL=rotary-order.js.map