import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Fault } from "./sglang/protocol.js";

export interface EventStreamOptions {
  readonly fault: Fault | undefined;
  /** Sends the events in pieces of this many bytes. */
  readonly pieceBytes: number | undefined;
  /** Returns the data of an error, in the engine's form. */
  readonly errorFrame: (message: string, code: number | undefined) => object;
}

/** Writes server-sent events like the engines. After a fault, it writes nothing more. */
export class EventStream {
  static readonly CONTENT_TYPE = "text/event-stream; charset=utf-8";
  readonly #response: ServerResponse;
  readonly #options: EventStreamOptions;
  #sent = 0;
  #broken = false;

  constructor(response: ServerResponse, options: EventStreamOptions) {
    this.#response = response;
    this.#options = options;
  }

  /** @param frames of a last event: the number of frames that the stream would have had if none had been held back */
  async send(data: string, frames = 0): Promise<void> {
    if (this.#broken) return;
    if (this.#sent === 0) this.#response.writeHead(200, { "content-type": EventStream.CONTENT_TYPE });
    if (this.#breaksHere(frames)) return;
    this.#sent++;
    await this.#write(`data: ${data}\n\n`);
  }

  end(): void {
    if (!this.#broken) this.#response.end("data: [DONE]\n\n");
  }

  #breaksHere(frames: number): boolean {
    const { fault } = this.#options;
    if (!fault || !("frames" in fault)) return false;
    const isHeldBack = fault.frames > this.#sent && fault.frames < frames;
    if (fault.frames !== this.#sent && !isHeldBack) return false;
    this.#broken = true;
    if (fault.kind === "close-in-stream") this.#response.write(": cut\n\n", () => this.#response.socket?.destroy());
    if (fault.kind === "end-in-stream") this.#response.end();
    if (fault.kind === "error-in-stream") {
      const frame = this.#options.errorFrame(fault.message, fault.code);
      this.#response.end(`data: ${JSON.stringify(frame)}\n\ndata: [DONE]\n\n`);
    }
    return true;
  }

  async #write(text: string): Promise<void> {
    const { pieceBytes = text.length } = this.#options;
    for (let at = 0; at < text.length; at += pieceBytes) {
      const more = this.#response.write(text.slice(at, at + pieceBytes));
      if (pieceBytes < text.length) await new Promise(setImmediate);
      if (!more && !this.#response.destroyed) await this.#drained();
    }
  }

  async #drained(): Promise<void> {
    const over = new AbortController();
    const { signal } = over;
    await Promise.race([once(this.#response, "drain", { signal }), once(this.#response, "close", { signal })]);
    over.abort();
  }
}
