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
export declare function interleaveHeads(rows: Uint8Array, rowBytes: number, headRows: number): Uint8Array<ArrayBuffer>;
/** Returns the rows of whole heads in the order of Hugging Face: the inverse of {@link interleaveHeads}. */
export declare function separateHeads(rows: Uint8Array, rowBytes: number, headRows: number): Uint8Array<ArrayBuffer>;
