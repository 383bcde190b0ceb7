import type { Detokenizer, OnToken } from "./detokenizer.js";
import type { Vocabulary } from "./vocabulary.js";
/**
 * Creates a detokenizer. Its text pieces, without markers, join to the same text as a decode of all ids without special
 * tokens.
 *
 * @param markers spellings of added tokens that become separate pieces
 */
export declare function createDetokenizer(vocabulary: Vocabulary, markers: ReadonlySet<string>, onToken?: OnToken): Detokenizer;
