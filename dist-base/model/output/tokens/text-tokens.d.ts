/** A range of an output's tokens, by index. `to` is exclusive. */
export interface TokenSpan {
    readonly from: number;
    readonly to: number;
}
/** Finds the tokens of each text of an output, in order. A place is a number of characters, including those of markers. */
export declare class TextTokens {
    #private;
    /** Adds a token whose text begins at a place. */
    addToken(at: number): void;
    /** Returns the tokens of the text between two places, without those that an earlier text had. */
    take(from: number, to: number): TokenSpan;
}
