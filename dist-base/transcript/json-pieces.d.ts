import type { SessionTranscript, TranscriptInteraction } from "./format.js";
/** An interaction whose tools are JSON already, which keeps the spelling of numbers and the order of keys. */
export interface WrittenInteraction extends Omit<TranscriptInteraction, "tools"> {
    readonly tools?: string;
}
export interface WrittenTranscript extends Omit<SessionTranscript, "interactions"> {
    readonly interactions: readonly WrittenInteraction[];
}
/** Returns a transcript whose tools are values. */
export declare function parseTools({ interactions, ...head }: WrittenTranscript): SessionTranscript;
/**
 * Returns the JSON of a transcript in pieces, so that long conversations do not stall the event loop: an interaction is a piece, or
 * several if its texts are long.
 */
export declare function jsonPieces({ interactions, ...head }: WrittenTranscript): Generator<string, void, void>;
