import type { TensorFile } from "../../support/safetensors/tensor-file.js";
/** The tokens of one row without padding, one value per token. */
export interface RowTokens {
    readonly ids: Int32Array;
    readonly logprobs: Float32Array;
    readonly lossMask: Int32Array;
    /** -1 at prompt tokens. */
    readonly versions: Int32Array;
}
/**
 * Reads the tokens of a row of any layout. Reads only this row, because a file may be larger than memory.
 *
 * @param length tokens of the row, from the metadata
 * @throws SafetensorsError if the file lacks a tensor that its layout has
 */
export declare function readRowTokens(file: TensorFile, row: number, length: number): Promise<RowTokens>;
