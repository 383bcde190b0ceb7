import { Readable } from "node:stream";
import type { Dispatcher } from "undici";

type RequestCallback = (error: Error | null, reply?: Dispatcher.ResponseData) => void;

/** Settings of a forwarded request for which the library has no option. */
export interface Forwarded {
  /** Aborts the call. */
  readonly signal: AbortSignal;
  /** Path and query, byte for byte. The library would resolve `..` in them. */
  readonly target: string;
  /** Called instead of the library's own handler, which logs every failure with its stack. */
  readonly onError: (error: Error) => void;
  /** The body, if it is a stream. The dispatcher sets it. */
  body?: UnsentBody;
}

/**
 * Key in the headers of a request that passes its {@link Forwarded} to {@link forwardingDispatcher}. A symbol is never sent as a
 * header.
 */
export const FORWARDED = Symbol("forwarded");

/**
 * Returns a dispatcher that sends each request to its target and aborts it with its signal. The library watches the client only
 * once the worker answers, so without the signal a model call would go on after its client disconnected.
 */
export function forwardingDispatcher(dispatcher: Dispatcher): Dispatcher {
  const request = (options: Dispatcher.RequestOptions, callback: RequestCallback) => {
    const { [FORWARDED]: setting, ...headers } = options.headers as Record<string | symbol, unknown>;
    const forwarded = setting as Forwarded;
    const { signal, target } = forwarded;
    const abortable = { ...options, path: target, headers: headers as Record<string, string>, signal };
    if (options.body instanceof Readable) abortable.body = forwarded.body = new UnsentBody(options.body);
    let isSettled = false;
    const settle: RequestCallback = (error, reply) => {
      if (isSettled) return;
      isSettled = true;
      if (error) forwarded.onError(error);
      else callback(null, reply);
    };
    // The dispatcher does not listen to the signal while it opens the connection.
    signal.addEventListener("abort", () => settle(signal.reason as Error));
    dispatcher.request(abortable, settle);
  };
  // All other methods are those of the dispatcher.
  return Object.assign(Object.create(dispatcher) as Dispatcher, { request });
}

/**
 * Wraps a request body so that it can be sent again if no byte of it was sent. If a connection is refused, the HTTP client destroys
 * the body of the request; this wrapper is then destroyed, but its source stays readable.
 */
class UnsentBody extends Readable {
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
