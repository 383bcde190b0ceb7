import type { FastifyReply } from "fastify";
import type { ApiError } from "../../http/errors.js";
import type { AnswerStart } from "../../protocols/generation-answer.js";
import type { RecordedTokens } from "../../protocols/logprobs.js";
import type { AnswerEvent } from "../../protocols/output-parts.js";
import type { StreamEncoder } from "../../protocols/stream-encoder.js";
import type { ServerContext } from "../context.js";
import type { AnswerSink, AnswerStream, CallRecord } from "./model-call.js";
/**
 * Sends the answer of a call as a stream: server-sent events, or the format of its encoder. The response headers are sent with the
 * first output or the first keep-alive. An error before that is an ordinary HTTP error.
 */
export declare class EventStream implements AnswerStream {
    #private;
    constructor(reply: FastifyReply, encoder: StreamEncoder, context: ServerContext);
    /** If true, an error must be sent as an event. */
    get headersSent(): boolean;
    get delivered(): boolean;
    get hasRoom(): boolean;
    choice(index: number): AnswerSink;
    startChoice(index: number, start: AnswerStart, advance: () => void): void;
    writeChoice(choice: number, events: readonly AnswerEvent[], tokens: RecordedTokens | undefined): void;
    /**
     * Sends the rest of the recorded answers and ends the stream.
     *
     * The closing events are written only when the operating system has accepted all content. Node sends data that is written
     * together in one piece. If a client disconnected before the end of that piece, nothing would show whether it received
     * all content.
     */
    finish(records: readonly CallRecord[]): void;
    /** Sends an error as the last event. The headers must have been sent. */
    fail({ message, statusCode, code, param, type }: ApiError): void;
    /** Stops the keep-alive. Call this however the model call ended; else its timer keeps running. */
    close(): void;
}
