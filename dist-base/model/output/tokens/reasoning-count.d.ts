/** The kind of a part of an output. `undecided`: a header, before it is known whether it begins reasoning or an answer. */
export type Stretch = "reasoning" | "answer" | "undecided";
/**
 * Counts the output tokens whose text begins in the reasoning. Its markers and headers count as reasoning. A place is a number
 * of characters, including those of markers. Only unread tokens are kept.
 */
export declare class ReasoningCount {
    #private;
    /** Tokens of reasoning so far. */
    get count(): number;
    /** Adds a token whose text begins at a place. If a token is only a part of a character, its place is that of the character. */
    addToken(at: number): void;
    /** Sets the kind of the output from a place on. If the kind was `undecided`, the tokens before that place get it too. */
    begin(stretch: Stretch, at: number): void;
    /** Counts the tokens before a place, after the output was read up to there. */
    readTo(at: number): void;
    /** Ends the reasoning at a place. Everything from there on is the answer. */
    end(at: number): void;
}
