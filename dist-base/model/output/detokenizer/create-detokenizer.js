import { TokenwiseDetokenizer } from "./tokenwise-detokenizer.js";
import { WholeDetokenizer } from "./whole-detokenizer.js";
/**
 * Creates a detokenizer. Its text pieces, without markers, join to the same text as a decode of all ids without special
 * tokens.
 *
 * @param markers spellings of added tokens that become separate pieces
 */
export function createDetokenizer(vocabulary, markers, onToken = () => { }) {
    return vocabulary.decoder === undefined
        ? new WholeDetokenizer(vocabulary, markers, onToken)
        : new TokenwiseDetokenizer(vocabulary, markers, onToken);
}
//# sourceMappingURL=create-detokenizer.js.map