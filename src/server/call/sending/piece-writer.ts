import type { ServerResponse } from "node:http";
import type { JsonText, LongJson } from "../../../protocols/long-json.js";
import { eventLoop } from "../../../support/async/event-loop.js";

/** Called when the operating system has accepted a text, or with an error if it cannot be written. */
export type OnFlushed = (error: Error | null | undefined) => void;

interface Waiting {
  readonly text: JsonText;
  readonly onFlushed: OnFlushed | undefined;
}

export interface PieceWriterEvents {
  /** Called in a separate iteration of the event loop whenever there is room again. */
  readonly onRoom: () => void;
  /** Called if a text cannot be written. The response is closed. */
  readonly onError: (error: unknown) => void;
}

/**
 * Writes texts to a response in the order of the calls. Short texts are written at once. A long text is written in pieces, one in each
 * iteration of the event loop. A piece waits until the client has read most of the pieces before it.
 */
export class PieceWriter {
  readonly #raw: ServerResponse;
  readonly #events: PieceWriterEvents;
  readonly #waiting: Waiting[] = [];
  #busy = false;
  /** True from a write beyond the buffer's size until the operating system has taken the buffer. */
  #full = false;
  #ending = false;
  #onDrain: (() => void) | undefined;

  constructor(raw: ServerResponse, events: PieceWriterEvents) {
    this.#raw = raw;
    this.#events = events;
    raw.on("drain", () => {
      this.#full = false;
      if (this.#onDrain) this.#onDrain();
      else void this.#offerRoom();
    });
    raw.on("close", () => this.#onDrain?.());
  }

  /** False while a long text is being written, or the client reads too slowly. */
  get hasRoom(): boolean {
    return !this.#busy && !this.#full;
  }

  write(text: JsonText, onFlushed?: OnFlushed): void {
    if (!this.#busy && typeof text === "string") {
      this.#writeNow(text, onFlushed);
      return;
    }
    this.#waiting.push({ text, onFlushed });
    if (!this.#busy) void this.#writeWaiting();
  }

  /** Ends the response after all texts. */
  end(): void {
    this.#ending = true;
    if (!this.#busy) this.#raw.end();
  }

  async #writeWaiting(): Promise<void> {
    this.#busy = true;
    try {
      for (let next = this.#waiting.shift(); next && !this.#raw.destroyed; next = this.#waiting.shift()) {
        if (typeof next.text === "string") this.#writeNow(next.text, next.onFlushed);
        else await this.#writePieces(next.text, next.onFlushed);
      }
    } catch (error) {
      this.#events.onError(error);
      this.#raw.destroy();
    }
    this.#busy = false;
    if (this.#ending) this.#raw.end();
    else await this.#offerRoom();
  }

  async #writePieces(text: LongJson, onFlushed: OnFlushed | undefined): Promise<void> {
    let last: string | undefined;
    for (const piece of text.pieces()) {
      if (last !== undefined) this.#writeNow(last);
      last = piece;
      await this.#untilRoom();
      await eventLoop.yield();
      if (this.#raw.destroyed) return;
    }
    this.#writeNow(last ?? "", onFlushed);
  }

  #writeNow(text: string, onFlushed?: OnFlushed): void {
    this.#full = !this.#raw.write(text, "utf8", onFlushed);
  }

  async #untilRoom(): Promise<void> {
    if (!this.#full || this.#raw.destroyed) return;
    await new Promise<void>((resolve) => (this.#onDrain = resolve));
    this.#onDrain = undefined;
  }

  async #offerRoom(): Promise<void> {
    await eventLoop.yield();
    if (this.hasRoom && !this.#raw.destroyed) this.#events.onRoom();
  }
}
