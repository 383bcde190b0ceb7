import { type OutputFamilies } from "./family-lookup.js";
import type { MessageWriter } from "./message/message-writer.js";
import type { OutputParserOptions } from "./output-parser.js";
import type { OutputReader, Step } from "./reader/reader.js";
import type { ReasoningCount } from "./tokens/reasoning-count.js";
/** How one output is read. */
export interface OutputFormat {
    /** Spellings of markers. If the vocabulary has a token with this spelling, only the token is the marker, never ordinary text. */
    readonly markers: readonly string[];
    /** Tokens that are parts of markers. They are read as text with their spelling. */
    readonly markerParts?: readonly string[];
    readonly read: (reader: OutputReader, out: MessageWriter, count: ReasoningCount) => Step<void>;
}
/** Composes the format of an output: reasoning first, then text and tool calls. Calls in the reasoning do not count. */
export declare function createOutputFormat(families: OutputFamilies, options: OutputParserOptions): OutputFormat;
