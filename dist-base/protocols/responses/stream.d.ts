import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
import { type JsonText } from "../long-json.js";
import { type AnswerEvent } from "../output-parts.js";
import type { StreamEncoder, StreamFailure } from "../stream-encoder.js";
import { type RequestEcho } from "./response.js";
/**
 * Writes the events of a streamed response in OpenAI's order: created, in_progress; for each item the added item, its
 * added part, the deltas, then part and item as done; completed or incomplete. Each event has the next sequence number.
 */
export declare class ResponsesStream implements StreamEncoder {
    #private;
    readonly keepAlive = ": keep-alive\n\n";
    constructor(echo: RequestEcho);
    start(start: AnswerStart): JsonText;
    push(events: readonly AnswerEvent[]): JsonText;
    finish(answer: GenerationAnswer): JsonText;
    /** Writes two events, because some clients wait for the failed response and others for the error. */
    fail({ message, type, code, param }: StreamFailure): JsonText;
}
