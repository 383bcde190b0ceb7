/** A part of an output between detokenizing and reading. */
export type Piece = 
/** Whole characters of text, never empty. */
{
    readonly kind: "text";
    readonly text: string;
}
/**
 * One token that is recognized by its id: a marker of the output's format, or a special token. `text` is its spelling,
 * which is shown for a special token only if it is a misplaced marker.
 */
 | {
    readonly kind: "token";
    readonly text: string;
    readonly special: boolean;
};
/** Returns the text of a piece in a decode without special tokens. */
export declare const shownText: (piece: Piece) => string;
