import type { AnswerStart, GenerationAnswer } from "./generation-answer.js";
import type { RecordedTokens } from "./logprobs.js";
import type { JsonText } from "./long-json.js";
import type { AnswerEvent } from "./output-parts.js";
/** An error that occurs after a stream has begun. */
export interface StreamFailure {
    readonly message: string;
    readonly status: number;
    /** OpenAI's error type. */
    readonly type: string;
    readonly code: string;
    readonly param: string | null;
}
/**
 * Writes one answer as the stream of its protocol, usually server-sent events. Every method returns the text to send, which may be empty or
 * too long for one string.
 * Call `start`, then `push` any number of times, then `finish` or `fail`.
 *
 * A call with several choices has several answers. Only protocols that have such calls support the parameters for them.
 */
export interface StreamEncoder {
    /** Content type of the stream. Default: server-sent events. */
    readonly contentType?: string;
    /** Text to send while there is no output, so that clients and load balancers do not close the connection. */
    readonly keepAlive: string;
    /** @param others the further choices */
    start(start: AnswerStart, others?: readonly AnswerStart[]): JsonText;
    /**
     * @param tokens the tokens since the last call, if the request asks for the log probabilities of all tokens
     * @param choice index of the choice; default 0
     */
    push(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined, choice?: number): JsonText;
    /** @param others the answers of the further choices */
    finish(answer: GenerationAnswer, others?: readonly GenerationAnswer[]): JsonText;
    fail(failure: StreamFailure): JsonText;
}
