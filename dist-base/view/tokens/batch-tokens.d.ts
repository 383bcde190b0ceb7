import { BatchRows } from "./batch-rows.js";
import { type TensorBytes } from "./tensor-ranges.js";
/** Tokens of a sequence, one value per token. */
export interface TokenValues {
    readonly ids: number[];
    readonly logprobs: number[];
    readonly loss_mask: (0 | 1)[];
    readonly versions: number[];
}
/** The tokens of a batch file. Reads only the tokens that are asked for. */
export declare class BatchTokens implements AsyncDisposable {
    #private;
    readonly rows: BatchRows;
    readonly modelDigest: string | undefined;
    readonly file: TensorBytes;
    private constructor();
    /**
     * Opens a batch. Returns undefined if the file is not a batch of Rolltape.
     *
     * @throws SafetensorsError, or an error of the file system
     */
    static open(path: string): Promise<BatchTokens | undefined>;
    /** Reads a batch from an open file. If this fails, or the file is not a batch of Rolltape, the file is closed. */
    static read(file: TensorBytes): Promise<BatchTokens | undefined>;
    /** Returns the number of tokens of a row's sequence. */
    length(row: number): number;
    /** Reads tokens [from, to) of a row's sequence. */
    read(row: number, from: number, to: number): Promise<TokenValues>;
    /** Returns the number that the row's logits were divided by; undefined if the file does not have it. */
    temperature(row: number): Promise<number | undefined>;
    [Symbol.asyncDispose](): Promise<void>;
}
