import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { onResponseClose } from "../disconnect.js";
import { limitDropped } from "../early-answer.js";
import { endAndLinger, lingerBeforeClose } from "../linger.js";
import type { ConnectionLimit } from "./connection-limit.js";
import { countAccepted, HttpAnswer } from "./http-answer.js";

/** Several parts of an answer listen to the socket, and Node warns of more than ten listeners of one event. */
const MAX_LISTENERS = 32;

/** Memory of a request without its headers, in bytes, measured as growth of the heap. */
const REQUEST_BYTES = 4096;

/** Maximum memory of a connection's unanswered requests, in bytes. Node keeps them until it closes. With more, it is reset. */
const MAX_REFUSED_BYTES = 128 * 1024;

/**
 * Handles one request of a connection at a time. If a client sends another one before it has the answer, only the current one is
 * answered, and then the connection is closed.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #limit: ConnectionLimit;
  readonly #progress = new SendProgress();
  #answer: HttpAnswer | undefined;
  #refusedBytes = 0;
  #closing: boolean;

  /** @param closing closes the connection after its next answer */
  constructor(socket: Socket, limit: ConnectionLimit, closing: boolean) {
    socket.setMaxListeners(MAX_LISTENERS);
    lingerBeforeClose(socket);
    this.#socket = socket;
    this.#limit = limit;
    this.#closing = closing;
  }

  /** The answer that was not sent yet. */
  get openAnswer(): HttpAnswer | undefined {
    return this.#answer;
  }

  /**
   * Returns the answer in progress if the client stopped reading it this long ago. Call this at short intervals.
   *
   * @param now milliseconds of a monotonic clock
   */
  findUnread(milliseconds: number, now: number): HttpAnswer | undefined {
    const isStalled = this.#progress.measurePause(this.#socket, now) >= milliseconds;
    return isStalled ? this.#answer : undefined;
  }

  /** Calls `start` if the request is answered. A request whose answer cannot be delivered must have no effect. */
  accept(request: FastifyRequest, reply: FastifyReply, needsKey: boolean, start: () => void): void {
    if (this.#answer || !this.#socket.writable) return this.#refuse(request.raw);
    const answer = new HttpAnswer(request, reply);
    this.#answer = answer;
    if (this.#closing || answer.isLast) answer.closeAfter();
    this.#limit.begin(this.#socket, needsKey);
    answer.onReceived(() => {
      if (this.#answer === answer) this.#limit.received(this.#socket);
    });
    onResponseClose(reply, () => {
      this.#limit.end(this.#socket, reply.raw.statusCode);
      this.#answer = undefined;
      // If the headers were sent before the connection was to be closed, Node does not close it.
      if (this.#closing) endAndLinger(this.#socket);
    });
    start();
  }

  /** Sends an error about bytes that are no valid request, and closes the connection. An answer in progress is sent instead. */
  endWith(text: string): void {
    if (this.#answer?.requestComplete) this.closeSoon();
    else endAndLinger(this.#socket, text);
  }

  /** Closes the connection now if it is idle, else after the answer in progress. */
  closeSoon(): void {
    this.#closing = true;
    if (this.#answer) this.#answer.closeAfter();
    else this.#socket.destroy();
  }

  #refuse(request: IncomingMessage): void {
    if (this.#answer) this.closeSoon();
    this.#refusedBytes += request.rawHeaders.reduce((bytes, text) => bytes + text.length, REQUEST_BYTES);
    if (this.#refusedBytes > MAX_REFUSED_BYTES) this.#socket.destroy();
    // A body that nobody reads would pause the socket, and hide that the client disconnects.
    limitDropped(request);
  }
}

/**
 * Measures how long a client has read nothing. Progress means that the operating system accepts bytes for the client. A client that
 * reads slowly makes progress; a client that only sends further requests does not.
 */
export class SendProgress {
  #accepted = 0;
  #since = 0;

  /**
   * Returns the milliseconds for which bytes wait and the operating system has accepted none. They count from the first call that
   * found this.
   *
   * @param now milliseconds of a monotonic clock
   */
  measurePause(socket: Socket, now: number): number {
    const accepted = countAccepted(socket);
    if (socket.writableLength === 0 || accepted !== this.#accepted) {
      this.#accepted = accepted;
      this.#since = now;
    }
    return now - this.#since;
  }
}
