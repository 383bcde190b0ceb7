import type { SessionTranscript } from "./format.js";
/** The answer of `GET /rl/sessions/{id}/transcript`, whose interactions are not parsed. */
export interface SessionAnswer {
    readonly head: Omit<SessionTranscript, "interactions">;
    /** JSON on one line. */
    readonly interactions: Uint8Array;
}
/**
 * Splits an answer into what an index needs and the interactions, whose JSON is that of a line. Parsing and writing them again would
 * cost more than the rest of a transcript.
 *
 * Throws if the answer has another form. The interactions are the last field.
 */
export declare function splitSessionAnswer(answer: Uint8Array): SessionAnswer;
