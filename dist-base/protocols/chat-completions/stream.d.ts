import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
import type { RecordedTokens } from "../logprobs.js";
import { type JsonText } from "../long-json.js";
import type { AnswerEvent } from "../output-parts.js";
import type { StreamEncoder, StreamFailure } from "../stream-encoder.js";
/**
 * Writes the chunks of a streamed chat completion in OpenAI's order: the role, the deltas, the finish reason, the usage
 * if the request asks for it, and [DONE]. The first chunk of each choice names its interaction. Reasoning is sent as
 * `reasoning_content`, like SGLang and vLLM do.
 */
export declare class ChatCompletionStream implements StreamEncoder {
    #private;
    readonly keepAlive = ": keep-alive\n\n";
    constructor(includeUsage: boolean);
    start(start: AnswerStart, others?: readonly AnswerStart[]): JsonText;
    push(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined, index?: number): JsonText;
    finish(answer: GenerationAnswer, others?: readonly GenerationAnswer[]): JsonText;
    fail({ message, type, param, code }: StreamFailure): JsonText;
}
