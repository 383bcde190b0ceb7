import { BatchTokens } from "./batch-tokens.js";
/**
 * The tensor files beside a transcript. A name in a transcript is untrusted: it may only name a regular file in the same
 * folder, also after links are followed.
 */
export declare class BatchCache implements AsyncDisposable {
    #private;
    constructor(folder: string);
    /** Returns the path of a batch; undefined if there is no such file in the folder. */
    find(name: string): Promise<string | undefined>;
    /** Calls `use` with the batches of these names that can be read. They stay open until it has ended. */
    use<T>(names: readonly string[], use: (batches: readonly BatchTokens[]) => Promise<T>): Promise<T>;
    [Symbol.asyncDispose](): Promise<void>;
}
/** Returns true if the text is the name of a file and not a path. */
export declare function isFileName(name: string): boolean;
