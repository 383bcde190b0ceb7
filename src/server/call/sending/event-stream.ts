import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { isIntact, onResponseClose } from "../../../http/disconnect.js";
import { logServerError } from "../../../http/error-log.js";
import type { ApiError } from "../../../http/errors.js";
import { onHalfOpen } from "../../../http/half-open.js";
import type { AnswerStart } from "../../../protocols/generation-answer.js";
import type { RecordedTokens } from "../../../protocols/logprobs.js";
import { concat, type JsonText } from "../../../protocols/long-json.js";
import type { AnswerEvent } from "../../../protocols/output-parts.js";
import type { StreamEncoder } from "../../../protocols/stream-encoder.js";
import { toServerApiError } from "../../errors.js";
import type { CallServices } from "../../services.js";
import type { AnswerSink, RecordedChoice } from "../answer-reader.js";
import { type OnFlushed, PieceWriter } from "./piece-writer.js";

const EVENTS = "text/event-stream; charset=utf-8";

const HEADERS = {
  "cache-control": "no-cache",
  // Keeps nginx and similar proxies in front of this one from buffering the events.
  "x-accel-buffering": "no",
};

/**
 * Sends the answer of a call as a stream: server-sent events, or the format of its encoder. The response headers are sent with the
 * first output or the first keep-alive. An error before that is an ordinary HTTP error.
 */
export class EventStream {
  readonly #reply: FastifyReply;
  readonly #encoder: StreamEncoder;
  readonly #services: CallServices;
  readonly #writer: PieceWriter;
  /** One per choice, like the callbacks. */
  readonly #starts: AnswerStart[] = [];
  readonly #advance: (() => void)[] = [];
  #keepAlive: NodeJS.Timeout | undefined;
  #stopProbing: (() => void) | undefined;
  #headersSent = false;
  #hasOutput = false;
  #hasContent = false;
  #allContentWritten = false;
  /** Number of content writes that the operating system has not accepted yet. Stays above 0 if one is lost. */
  #unflushed = 0;
  #onFlushed: (() => void) | undefined;

  constructor(reply: FastifyReply, encoder: StreamEncoder, services: CallServices) {
    this.#reply = reply;
    this.#encoder = encoder;
    this.#services = services;
    this.#writer = new PieceWriter(reply.raw, {
      onRoom: () => this.#offerRoom(),
      onError: (error) => logServerError(reply.log, toServerApiError(error)),
    });
  }

  /** If true, an error must be sent as an event. */
  get headersSent(): boolean {
    return this.#headersSent;
  }

  /** True once something was sent. */
  get hasBegun(): boolean {
    return this.#headersSent;
  }

  /** True once the operating system has accepted all content of the recorded answers. */
  get delivered(): boolean {
    return this.#allContentWritten && this.#unflushed === 0;
  }

  get hasRoom(): boolean {
    return this.#writer.hasRoom;
  }

  /** Returns the sink of one choice. */
  choice(index: number): AnswerSink {
    return new ChoiceSink(this, index);
  }

  startChoice(index: number, start: AnswerStart, advance: () => void): void {
    this.#starts[index] = start;
    this.#advance[index] = advance;
    if (this.#keepAlive) return;
    this.#keepAlive = setInterval(() => {
      if (this.hasRoom) this.#send(() => this.#encoder.keepAlive);
    }, this.#services.settings.keepAliveSeconds * 1000);
    // Until the headers are sent, `disconnectSignal` probes the client.
    this.#stopProbing = onHalfOpen(this.#reply, () => {
      if (this.#headersSent && this.hasRoom) this.#send(() => this.#encoder.keepAlive);
    });
  }

  /** Lets the choices write, as long as there is room. */
  #offerRoom(): void {
    for (const advance of this.#advance) advance();
  }

  writeChoice(choice: number, events: readonly AnswerEvent[], tokens: RecordedTokens | undefined): void {
    this.#observeFirstOutput();
    const encode = () => this.#encoder.push(events, tokens, choice);
    if (events.length > 0) this.#sendContent(encode);
    else this.#send(encode);
  }

  /**
   * Sends the rest of the recorded answers and ends the stream.
   *
   * The closing events are written only when the operating system has accepted all content. Node sends data that is written
   * together in one piece. If a client disconnected before the end of that piece, nothing would show whether it received
   * all content.
   */
  finish(records: readonly RecordedChoice[]): void {
    records.forEach(({ unsent: { unsentEvents, unsentTokens } }, choice) => {
      if (unsentEvents.length > 0 || unsentTokens) this.writeChoice(choice, unsentEvents, unsentTokens);
    });
    this.#observeFirstOutput();
    const [answer, ...others] = records.map((record) => record.answer);
    if (!answer) throw new Error("finish() was called without an answer.");
    const encodeClosing = () => this.#encoder.finish(answer, others);
    if (this.#hasContent) {
      this.#allContentWritten = true;
      this.#whenFlushed(() => this.#end(encodeClosing));
    } else {
      // An empty answer is delivered once the client has the closing events, so these count as content.
      this.#sendContent(encodeClosing);
      this.#allContentWritten = true;
      this.#writer.end();
    }
  }

  /** Sends an error as the last event. The headers must have been sent. */
  fail({ message, statusCode, code, param, type }: ApiError): void {
    this.#end(() => this.#encoder.fail({ message, status: statusCode, type, code, param: param ?? null }));
  }

  /** Stops the keep-alive. Call this however the model call ended; else its timer keeps running. */
  close(): void {
    this.#stopProbing?.();
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
  }

  #observeFirstOutput(): void {
    const [start] = this.#starts;
    if (this.#hasOutput || !start) return;
    this.#hasOutput = true;
    this.#services.metrics.firstOutputSeconds.observe((Date.now() - start.createdAt) / 1000);
  }

  #end(encode: () => JsonText): void {
    this.#send(encode);
    this.#writer.end();
  }

  #sendContent(encode: () => JsonText): void {
    const { socket } = this.#reply.request.raw;
    this.#hasContent = true;
    this.#unflushed++;
    this.#send(encode, (error) => {
      if (error || !isIntact(socket)) return;
      this.#unflushed--;
      if (this.#unflushed === 0) this.#onFlushed?.();
    });
  }

  #whenFlushed(callback: () => void): void {
    if (this.#unflushed === 0) callback();
    else this.#onFlushed = callback;
  }

  #send(encode: () => JsonText, onFlushed?: OnFlushed): void {
    const { raw } = this.#reply;
    if (raw.destroyed) return;
    const opening = this.#headersSent ? "" : this.#sendHeaders();
    this.#writer.write(concat(opening, encode()), onFlushed);
    this.#keepAlive?.refresh();
  }

  /** Sends the headers and returns the opening events, which the caller writes. */
  #sendHeaders(): JsonText {
    const { raw } = this.#reply;
    const { metrics } = this.#services;
    const [start, ...others] = this.#starts;
    if (!start) throw new Error("The stream has output before start() was called.");
    this.#headersSent = true;
    // From here on, Fastify must not send anything: neither a response nor an error body.
    this.#reply.hijack();
    const headers = { ...HEADERS, "content-type": this.#encoder.contentType ?? EVENTS };
    raw.writeHead(200, { ...(this.#reply.getHeaders() as OutgoingHttpHeaders), ...headers });
    metrics.openStreams.inc();
    onResponseClose(this.#reply, () => metrics.openStreams.dec());
    return this.#encoder.start(start, others);
  }
}

/** The part of a stream that one choice writes to. */
class ChoiceSink implements AnswerSink {
  readonly #stream: EventStream;
  readonly #index: number;

  constructor(stream: EventStream, index: number) {
    this.#stream = stream;
    this.#index = index;
  }

  get hasRoom(): boolean {
    return this.#stream.hasRoom;
  }

  start(start: AnswerStart, advance: () => void): void {
    this.#stream.startChoice(this.#index, start, advance);
  }

  write(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined): void {
    this.#stream.writeChoice(this.#index, events, tokens);
  }
}
