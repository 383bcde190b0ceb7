import type { Socket } from "node:net";
import { endAndLinger, lingerBeforeClose } from "../linger.js";
import type { Answer } from "./answer.js";

interface Waiting {
  readonly answer: Answer;
  readonly start: () => void;
}

/** A connection is reset if it refuses this many times more requests than may wait. */
const RESET_FACTOR = 10;

/** Time after which a connection is closed if the client still sends requests after the last answer. */
const LATE_CLOSE_MS = 1000;

/**
 * Handles the requests of one connection one after the other: a request waits until the answer before it was sent. If that answer
 * closes the connection, the request is not handled at all, because its own answer could not be delivered.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #maxWaiting: number;
  readonly #waiting: Waiting[] = [];
  #current: Answer | undefined;
  #refused = 0;
  #closing: boolean;
  /** Answer to bytes that are not a valid request. It is sent after all other answers and closes the connection. */
  #finalAnswer: string | undefined;

  /**
   * @param maxWaiting how many requests may wait for the answers before them
   * @param closing closes the connection after its next answer
   */
  constructor(socket: Socket, maxWaiting: number, closing: boolean) {
    this.#socket = socket;
    this.#maxWaiting = maxWaiting;
    this.#closing = closing;
  }

  /** The answers that were not sent yet. */
  get openAnswers(): Answer[] {
    return this.#current ? [this.#current, ...this.#waiting.map(({ answer }) => answer)] : [];
  }

  /** Calls `start` when it is the request's turn. Never calls it if the connection closes first. */
  accept(answer: Answer, start: () => void): void {
    if (!this.#socket.writable) return this.#closeLate();
    if (this.#waiting.length >= this.#maxWaiting || this.#refused > 0) return this.#refuse();
    if (this.#current) this.#waiting.push({ answer, start });
    else this.#begin({ answer, start });
  }

  /** Sends a text after the answers to all requests that were received completely, and closes the connection. */
  endWith(text: string): void {
    if (this.#finalAnswer !== undefined) return;
    this.#finalAnswer = text;
    if (!this.#current?.requestComplete) endAndLinger(this.#socket, text);
  }

  /** Closes the connection now if it is idle, else after the answer in progress. */
  closeSoon(): void {
    this.#closing = true;
    if (this.#current) this.#closeAfter(this.#current);
    else this.#socket.destroySoon();
  }

  #begin({ answer, start }: Waiting): void {
    this.#current = answer;
    if (this.#closing) this.#closeAfter(answer);
    answer.begin(() => this.#next());
    start();
  }

  #closeAfter(answer: Answer): void {
    answer.closeAfter();
    // Node's own version closes both directions. This one keeps reading: the client closes its side once it has the answer.
    this.#socket.destroySoon = () => void this.#socket.end();
  }

  /** Starts the next request, if the connection can carry its answer. */
  #next(): void {
    this.#current = undefined;
    if (!this.#socket.writable) {
      this.#waiting.length = 0;
      return;
    }
    const next = this.#waiting.shift();
    // Once the final answer is set, nothing more is read, so an incomplete body stays incomplete.
    if (next && (this.#finalAnswer === undefined || next.answer.requestComplete)) this.#begin(next);
    else if (this.#finalAnswer !== undefined) endAndLinger(this.#socket, this.#finalAnswer);
    else if (this.#closing) this.#socket.end();
  }

  /** Closes the connection a little later: if it were closed at once, the client could lose the end of the last answer. */
  #closeLate(): void {
    setTimeout(() => this.#socket.destroy(), LATE_CLOSE_MS).unref();
  }

  #refuse(): void {
    if (this.#refused === 0) {
      this.#waiting.at(-1)?.answer.closeAfter();
      lingerBeforeClose(this.#socket);
    }
    this.#refused++;
    // Further requests stay in the buffers of the operating systems, so the client has to wait.
    this.#socket.pause();
    if (this.#refused > this.#maxWaiting * RESET_FACTOR) this.#socket.destroy();
  }
}
