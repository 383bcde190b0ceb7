import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
import { type JsonText } from "../long-json.js";
import type { AnswerEvent } from "../output-parts.js";
import type { StreamEncoder, StreamFailure } from "../stream-encoder.js";
/**
 * Writes the events of a streamed message in Anthropic's order: message_start; start, deltas and stop of each block;
 * message_delta with stop reason and usage; message_stop. Thinking blocks end with their signature.
 */
export declare class MessagesStream implements StreamEncoder {
    #private;
    readonly keepAlive = "event: ping\ndata: {\"type\":\"ping\"}\n\n";
    start(start: AnswerStart): JsonText;
    push(events: readonly AnswerEvent[]): JsonText;
    finish(answer: GenerationAnswer): JsonText;
    fail({ message, status, code }: StreamFailure): JsonText;
}
