/** The part of a piece encoder that is needed here. */
interface PieceCutter {
    parts(piece: string, size: number): string[];
}
/**
 * Encodes pieces of text in batches of about the same size: large pieces in parts, small pieces together. Threads share the
 * work, and callers share the threads.
 *
 * @param encode encodes the texts of one batch
 * @returns the ids of each piece, in separate arrays
 */
export declare function encodeInBatches(pieces: readonly string[], cutter: PieceCutter, encode: (texts: readonly string[]) => Promise<Int32Array[]>): Promise<Int32Array[]>;
export {};
