import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
import type { RecordedTokens } from "../logprobs.js";
import { type JsonText } from "../long-json.js";
import type { AnswerEvent } from "../output-parts.js";
import type { StreamEncoder, StreamFailure } from "../stream-encoder.js";
/** How chunks follow each other: as server-sent events, or as the elements of one JSON array. */
export type Framing = "sse" | "array";
/**
 * Writes the chunks of a streamed answer. Each chunk is a response with the next parts of a candidate. The last chunk has the usage,
 * and for each candidate the finish reason, the interaction and a signed, empty text. As in Gemini's API, a function call is always
 * complete in one chunk.
 */
export declare class GenerateContentStream implements StreamEncoder {
    #private;
    readonly contentType: string;
    readonly keepAlive: string;
    constructor(framing: Framing, includeThoughts: boolean);
    start(start: AnswerStart, others?: readonly AnswerStart[]): JsonText;
    push(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined, choice?: number): JsonText;
    finish(answer: GenerationAnswer, others?: readonly GenerationAnswer[]): JsonText;
    fail(failure: StreamFailure): JsonText;
}
