import { Readable } from "node:stream";

/**
 * Wraps a request body so that it can be sent again if no byte of it was sent. If a connection is refused, the HTTP client destroys
 * the body of the request; this wrapper is then destroyed, but its source stays readable.
 */
export class UnsentBody extends Readable {
  readonly #source: Readable;
  #isRead = false;

  constructor(source: Readable) {
    super({ highWaterMark: source.readableHighWaterMark });
    this.#source = source;
  }

  /** True once the HTTP client has begun to read the body, which it does when it is connected. */
  get isRead(): boolean {
    return this.#isRead;
  }

  override _read(): void {
    if (!this.#isRead) this.#start();
    this.#source.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const source = this.#source;
    source.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onClose).off("error", this.#onError);
    if (this.#isRead && !source.readableEnded) source.pause();
    done(error);
  }

  #start(): void {
    this.#isRead = true;
    const source = this.#source;
    source.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose).on("error", this.#onError);
    if (source.readableEnded) this.#onEnd();
    else if (source.destroyed) this.#onClose();
  }

  readonly #onData = (chunk: Buffer) => {
    if (!this.push(chunk)) this.#source.pause();
  };
  readonly #onEnd = () => void this.push(null);
  readonly #onError = (error: Error) => void this.destroy(error);
  /** The source closed without `end`, because the client disconnected. */
  readonly #onClose = () => {
    if (!this.#source.readableEnded) this.destroy(new Error("The client closed its connection."));
  };
}
