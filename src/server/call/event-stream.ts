import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { isIntact, onResponseClose } from "../../http/disconnect.js";
import type { ApiError } from "../../http/errors.js";
import type { AnswerStart } from "../../protocols/generation-answer.js";
import type { RecordedTokens } from "../../protocols/logprobs.js";
import type { AnswerEvent } from "../../protocols/output-parts.js";
import type { StreamEncoder } from "../../protocols/stream-encoder.js";
import type { ServerContext } from "../context.js";
import type { AnswerSink, CallRecord } from "./model-call.js";

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  // Proxies in front of this one, nginx for one, are not to collect the events.
  "x-accel-buffering": "no",
};

/**
 * One answer as server-sent events. The status line is sent with the first output, or with the first keep-alive: what
 * goes wrong before that is an ordinary HTTP error.
 */
export class EventStream implements AnswerSink {
  readonly #reply: FastifyReply;
  readonly #encoder: StreamEncoder;
  readonly #context: ServerContext;
  #start: AnswerStart | undefined;
  #keepAlive: NodeJS.Timeout | undefined;
  #begun = false;
  #hasOutput = false;
  #hasContent = false;
  #allContentWritten = false;
  /** Writes of content that the operating system does not have yet. Stays above 0 if one is lost. */
  #unflushed = 0;
  #onFlushed: (() => void) | undefined;

  constructor(reply: FastifyReply, encoder: StreamEncoder, context: ServerContext) {
    this.#reply = reply;
    this.#encoder = encoder;
    this.#context = context;
  }

  /** Whether the status line is sent: from then on an error is an event. */
  get begun(): boolean {
    return this.#begun;
  }

  get delivered(): boolean {
    return this.#allContentWritten && this.#unflushed === 0;
  }

  get takesMore(): boolean {
    return !this.#reply.raw.writableNeedDrain;
  }

  start(start: AnswerStart, advance: () => void): void {
    this.#start = start;
    this.#reply.raw.on("drain", advance);
    this.#keepAlive = setInterval(() => {
      if (this.takesMore) this.#send(() => this.#encoder.keepAlive);
    }, this.#context.settings.keepAliveSeconds * 1000);
  }

  write(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined): void {
    this.#observeFirst();
    const encode = () => this.#encoder.push(events, tokens);
    if (events.length > 0) this.#sendContent(encode);
    else this.#send(encode);
  }

  /**
   * Sends what is left of a recorded answer, and ends.
   *
   * The closing events are written once the operating system has all content. Node sends what is written together in
   * one piece, which would not tell whether a client that left before the end had all content.
   */
  finish({ answer, rest: { rest, restTokens } }: CallRecord): void {
    if (rest.length > 0 || restTokens) this.write(rest, restTokens);
    else this.#observeFirst();
    const closing = () => this.#encoder.finish(answer);
    if (this.#hasContent) {
      this.#allContentWritten = true;
      this.#whenFlushed(() => this.#end(closing));
    } else {
      // An empty answer: its client has it once it sees the end.
      this.#sendContent(closing);
      this.#allContentWritten = true;
      this.#reply.raw.end();
    }
  }

  /** Ends a stream that has begun with an error. */
  fail({ message, statusCode, code, param, type }: ApiError): void {
    this.#end(() => this.#encoder.fail({ message, status: statusCode, type, code, param: param ?? null }));
  }

  /** Stops the keep-alive. To be called however the call ended. */
  close(): void {
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
  }

  #observeFirst(): void {
    if (this.#hasOutput || !this.#start) return;
    this.#hasOutput = true;
    this.#context.metrics.firstOutputSeconds.observe((Date.now() - this.#start.createdAt) / 1000);
  }

  #end(encode: () => string): void {
    this.#send(encode);
    this.#reply.raw.end();
  }

  #sendContent(encode: () => string): void {
    const { socket } = this.#reply.request.raw;
    this.#hasContent = true;
    this.#unflushed++;
    this.#send(encode, (error) => {
      if (error || !isIntact(socket)) return;
      this.#unflushed--;
      if (this.#unflushed === 0) this.#onFlushed?.();
    });
  }

  #whenFlushed(then: () => void): void {
    if (this.#unflushed === 0) then();
    else this.#onFlushed = then;
  }

  #send(encode: () => string, onFlushed?: (error: Error | null | undefined) => void): void {
    const { raw } = this.#reply;
    if (raw.destroyed) return;
    const opening = this.#begun ? "" : this.#begin();
    raw.write(opening + encode(), "utf8", onFlushed);
    this.#keepAlive?.refresh();
  }

  #begin(): string {
    const { raw } = this.#reply;
    const { metrics } = this.#context;
    if (!this.#start) throw new Error("a stream has output before its call has started");
    this.#begun = true;
    this.#reply.hijack();
    raw.writeHead(200, { ...(this.#reply.getHeaders() as OutgoingHttpHeaders), ...HEADERS });
    metrics.openStreams.inc();
    onResponseClose(this.#reply, () => metrics.openStreams.dec());
    return this.#encoder.start(this.#start);
  }
}
