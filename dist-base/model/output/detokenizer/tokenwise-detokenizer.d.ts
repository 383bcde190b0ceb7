import type { Piece } from "../piece.js";
import type { Detokenizer, OnToken } from "./detokenizer.js";
import type { Vocabulary } from "./vocabulary.js";
/** Decodes token by token. An incomplete character is held back until it is complete or invalid. */
export declare class TokenwiseDetokenizer implements Detokenizer {
    #private;
    constructor(vocabulary: Vocabulary, markers: ReadonlySet<string>, onToken: OnToken);
    push(ids: Int32Array): Piece[];
    finish(): Piece[];
}
