import type { Finish } from "../../engine/engine.js";
import type { ChatModel } from "../../model/chat-model.js";
import type { OutputParser, ParsedOutput } from "../../model/output/output-parser.js";
import type { NativeGeneration } from "../../native/contract.js";
import type { RecordedTokens } from "../../protocols/logprobs.js";
import { type AnswerEvent, type OutputPart } from "../../protocols/output-parts.js";
/** Receives an output while it is generated. */
export interface OutputSink {
    /** False while the client reads too slowly: further writes would accumulate in memory. */
    readonly hasRoom: boolean;
    write(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined): void;
}
export interface ReadOutput extends ParsedOutput {
    readonly parts: readonly OutputPart[];
    /** Events that were not written to the sink. */
    readonly unsentEvents: readonly AnswerEvent[];
    readonly unsentTokens: RecordedTokens | undefined;
}
export interface OutputReaderOptions {
    readonly model: ChatModel;
    readonly generation: NativeGeneration;
    /** Creates the parser. Called with the first tokens, so that a call that waits for the engine takes less memory. */
    readonly openParser: () => OutputParser;
    /** True: the recorded tokens are written to the sink, too. */
    readonly wantsTokens: boolean;
    /** Maximum number of tokens whose log probabilities are written to the sink at once. */
    readonly maxTokens: number;
    /** Number of readers that may have new tokens in the same iteration of the event loop: the choices of a call. Default: 1. */
    readonly readers?: number;
    readonly sink?: OutputSink | undefined;
}
/**
 * Reads a generation while it grows. Tokens for which the sink has no room stay in native memory as numbers. A client that
 * reads slowly therefore costs little more memory than one that waits for its whole answer.
 */
export declare class OutputReader {
    #private;
    constructor(options: OutputReaderOptions);
    /** Writes new tokens to the sink, if it has room. */
    advance(): void;
    /** Reads all new tokens except some of the last, in slices: the event loop runs between them. Writes them to the sink. */
    catchUp(): Promise<void>;
    /** Reads to the end. The reader does not use the generation afterwards. */
    finish(finish: Finish): ReadOutput;
}
