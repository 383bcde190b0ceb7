/** The facts about an interaction that can change after it was recorded. */
export interface Outcome {
    readonly reward: number | undefined;
    /** True if the client received the answer, as far as the server knows. */
    readonly answered: boolean;
    /** Index of the interaction of a retry of the same request; undefined if no retry was recorded. */
    readonly repeatedBy: number | undefined;
    /** True if a later request named the interaction, so that its client has the answer. */
    readonly referenced: boolean;
}
/** The outcome of an interaction without an outcome record. */
export declare const NO_OUTCOME: Outcome;
/** Returns the bytes of an outcome: flags (1), reward as float64 (8), index of the retry (4), CRC-32 (4). */
export declare function encodeOutcome({ reward, answered, repeatedBy, referenced }: Outcome): Buffer;
/** Throws if the bytes are damaged. */
export declare function decodeOutcome(bytes: Buffer): Outcome;
