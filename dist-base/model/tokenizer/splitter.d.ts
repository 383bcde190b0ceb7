import { type AddedToken } from "./added-token.js";
/**
 * Cuts a text into pieces that can be encoded one by one: their concatenated ids are those of the whole text. The cuts are found
 * while the pieces are taken, so that a long text can be cut in steps.
 */
export type Splitter = (text: string) => Iterable<string>;
/**
 * Creates a splitter that cuts right before added tokens. Tokenizers find added tokens first and encode the text between
 * them section by section, so no merge crosses such a cut. A cut after the token would be wrong for tokenizers that treat
 * the first section of a text differently (Metaspace's `prepend_scheme: "first"`); a piece that begins with an added token
 * has no first section.
 *
 * There is no cut before a token that removes the white space before it (`lstrip`), and none at tokens that are found
 * only after normalization, unless normalization changes nothing.
 */
export declare function createSplitter(tokens: readonly AddedToken[], normalizer: unknown): Splitter;
/** Returns true if there is no normalizer, or an empty sequence, as in DeepSeek's tokenizers. */
export declare function isIdentity(normalizer: unknown): boolean;
/** Returns the source of a regular expression that matches any of the tokens; if several match, the longest. */
export declare function matchAny(tokens: readonly AddedToken[]): string;
