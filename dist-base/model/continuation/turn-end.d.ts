/** A model's tokens that can end turns. */
export interface TurnTokens {
    /** Spellings of the tokens that end a turn, by id. */
    readonly stops: ReadonlyMap<number, string>;
    /** Returns the added token with which a text begins. */
    addedTokenAt(text: string): string | undefined;
}
/** How a template ends a turn once another message follows it. */
export interface TurnEnd {
    /** Text that the template writes between the model's output and the end: closing brackets, a newline. */
    readonly before: string;
    /** The token that ends the turn in the template's rendering. */
    readonly token: string;
    /** The token with which the model ends the turn. The template may later write another one. */
    readonly modelToken: string;
}
/**
 * Finds the token that ends a turn: the first stop token in the text between the marker and the next message's text. Some
 * models (GLM) stop at the header of the next message.
 *
 * @param followed the text after the marker if a stand-in message follows
 * @param renderClosed renders the text after the marker if the turn is the last message
 */
export declare function findTurnEnd(followed: string, renderClosed: () => string | undefined, tokens: TurnTokens): TurnEnd | undefined;
