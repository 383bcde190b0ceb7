/**
 * The number of ids of each text, followed by the ids of all texts. `refused` is the message of a TokenizerError, because
 * errors lose their class between threads.
 */
export type EncodeAnswer = Int32Array | {
    readonly refused: string;
};
/** Encodes texts in a thread. The ids are moved to the calling thread, not copied. */
export declare function encode(texts: readonly string[]): EncodeAnswer;
