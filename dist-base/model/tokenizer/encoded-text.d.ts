import type { Steps } from "../../support/async/steps.js";
/**
 * A text with its token ids and with cuts. If another text begins with the same characters up to a cut and a little
 * further, it has the same ids up to that cut.
 */
export interface EncodedText {
    /** The text in parts. Texts are compared part by part, so no copy of the whole text is needed. */
    readonly parts: readonly string[];
    /** Length of the text, in UTF-16 units. */
    readonly characters: number;
    /** Token ids in pieces to be concatenated. A text that continues another one shares its pieces, so that only new ids take memory. */
    readonly idPieces: readonly Int32Array[];
    readonly cuts: readonly Cut[];
}
/** Texts that were encoded recently. */
export interface KnownTexts {
    readonly items: readonly EncodedText[];
    /** @param replaced an earlier text that the new one continues */
    add(text: EncodedText, replaced?: EncodedText): void;
}
/** A place right before an added token, in characters and in tokens from the start. */
interface Cut {
    readonly characters: number;
    readonly tokens: number;
}
/** The common beginning of a text and a known text, up to a cut. */
export interface CommonStart extends Cut {
    readonly known: EncodedText;
    /** Number of the known text's cuts in the common beginning. */
    readonly cuts: number;
    /** Number of the known text's parts that the text has too. */
    readonly parts: number;
}
/** Returns true if a text continues the known text, rather than only sharing its beginning: half of the cuts or more. */
export declare function continuesText({ known, cuts }: CommonStart): boolean;
/**
 * Finds the known text with the longest common beginning, and the last cut in it.
 *
 * @param parts the text
 * @param reach number of characters after a cut that must be equal too, because they decide which added token begins there
 */
export declare function findCommonStart(parts: readonly string[], known: readonly EncodedText[], reach: number): CommonStart | undefined;
/** Returns a text without its first `characters` characters. */
export declare function sliceText(parts: readonly string[], characters: number): string;
/** The pieces of a text after a common start, with their ids. All but the first begin with an added token. */
export interface Pieces {
    /** Number of characters of each piece. */
    readonly lengths: readonly number[];
    readonly ids: readonly Int32Array[];
}
/** Joins a known start and the encoded pieces after it to a whole text. */
export declare function joinText(parts: readonly string[], start: CommonStart | undefined, { lengths, ids }: Pieces): Steps<EncodedText>;
export {};
