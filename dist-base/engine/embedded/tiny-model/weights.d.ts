/** A tensor in ggml's order: `shape[0]` is the number of columns, the dimension that varies fastest. */
export interface Tensor {
    readonly name: string;
    readonly shape: readonly number[];
    readonly data: Float32Array;
}
/**
 * Returns random weights that are the same on every machine. They are computed only with additions and multiplications
 * of doubles: the last bit of transcendental functions can differ between machines.
 *
 * Channel 0 of the residual stream is a constant that no layer writes. Through it, the output matrix gives every token a
 * fixed bias: control tokens and bytes that are not text are almost never sampled, and a turn ends after some dozens of
 * tokens. The model therefore writes well-formed but meaningless text.
 *
 * @param tokens ordinary tokens by id, spelled in the byte alphabet
 * @param seed other seeds give other models of the same shape; not 0
 */
export declare function randomWeights(tokens: readonly string[], seed?: number): Tensor[];
