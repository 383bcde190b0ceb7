import { Piscina } from "piscina";
import type { EncodeAnswer } from "./encode-worker.js";
import { type TokenizerFiles } from "./piece-encoder.js";
type Pool = Piscina<readonly string[], EncodeAnswer>;
/**
 * Threads that encode text outside the event loop. They start with the first text or with {@link warmUp}. Each has its own
 * copy of the vocabulary. They do not keep the process alive.
 */
export declare class EncodeThreads {
    #private;
    constructor(files: TokenizerFiles);
    /** Starts a thread, so the first text does not wait for it. */
    warmUp(): Pool;
    /**
     * Encodes texts, each on its own, in one thread.
     *
     * @throws TokenizerError if the text cannot be encoded
     */
    encode(texts: readonly string[]): Promise<Int32Array[]>;
    /** Ends the threads and rejects the texts that they are encoding. */
    close(): Promise<void>;
}
export {};
