import type { Vocabulary } from "./detokenizer/vocabulary.js";
import type { OutputFamilies } from "./family-lookup.js";
import type { OutputEnd, OutputEvent, OutputParser, OutputParserOptions, ParsedOutput } from "./output-parser.js";
/**
 * Parses an output in steps: the detokenizer turns tokens into pieces of text, stop strings cut off the end, and the
 * format's reader writes events.
 */
export declare class TokenOutputParser implements OutputParser {
    #private;
    constructor(vocabulary: Vocabulary, families: OutputFamilies, options: OutputParserOptions);
    get stopped(): boolean;
    push(ids: Int32Array): OutputEvent[];
    finish(end: OutputEnd): {
        readonly events: OutputEvent[];
        readonly output: ParsedOutput;
    };
}
