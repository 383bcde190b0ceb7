import type { Detokenizer, OnToken } from "./detokenizer.js";
import { TokenwiseDetokenizer } from "./tokenwise-detokenizer.js";
import type { Vocabulary } from "./vocabulary.js";
import { WholeDetokenizer } from "./whole-detokenizer.js";

/**
 * Creates a detokenizer. Its text pieces, without markers, join to the same text as a decode of all ids without special
 * tokens.
 *
 * @param markers spellings of added tokens that become separate pieces
 */
export function createDetokenizer(
  vocabulary: Vocabulary,
  markers: ReadonlySet<string>,
  onToken: OnToken = () => {},
): Detokenizer {
  return vocabulary.decoder === undefined
    ? new WholeDetokenizer(vocabulary, markers, onToken)
    : new TokenwiseDetokenizer(vocabulary, markers, onToken);
}
