import type { Piece } from "../piece.js";
import type { Detokenizer, OnToken } from "./detokenizer.js";
import type { Vocabulary } from "./vocabulary.js";
/**
 * A detokenizer for decoders in which the text of a token depends on the tokens after it (WordPiece, CTC, …). No known
 * chat model has one. It decodes the text before a marker when the marker arrives, and the rest at the end. All tokens
 * between two markers count as beginning at the place of the first one.
 */
export declare class WholeDetokenizer implements Detokenizer {
    #private;
    constructor(vocabulary: Vocabulary, markers: ReadonlySet<string>, onToken: OnToken);
    push(ids: Int32Array): Piece[];
    finish(): Piece[];
}
