import { type Piece } from "./piece.js";
/**
 * Ends an output at the first stop string that its text completes. Of several that end at the same character, the longest
 * counts. Special tokens take part with their spelling, like in the engines, although they are not shown.
 *
 * Only text that may be the beginning of a stop string is held back.
 */
export declare class StopStrings {
    #private;
    constructor(stops: readonly string[]);
    /** The stop string that ended the output. */
    get found(): string | undefined;
    /** Takes pieces and returns those that cannot become part of a stop string. */
    push(pieces: Piece[]): Piece[];
    /** Returns the text that was held back: at the end of the output, it cannot become a stop string. */
    finish(): Piece[];
}
