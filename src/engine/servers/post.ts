import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { ConnectionUse } from "./keep-alive-client.js";

export interface PostRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

/** What a reply's body goes to, piece by piece. What it throws ends the request. */
export interface ReplySink {
  begin(status: number, contentType: string): void;
  piece(bytes: Buffer): void;
}

/**
 * Sends a request and hands over the reply's body as it comes from the socket, without a copy and without a stream in
 * between. Resolves when the body is complete; rejects with the signal's reason, with what the sink threw, or with the
 * transport's error.
 */
export function post(dispatcher: Dispatcher, request: PostRequest, use: ConnectionUse, sink: ReplySink): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal, path, headers, body } = request;
    const handler = new PostHandler(sink, use, settle);
    const abort = () => handler.abort(signal.reason);
    function settle(error?: unknown): void {
      signal.removeEventListener("abort", abort);
      if (error === undefined) resolve();
      else reject(error);
    }
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    // `opaque` tells the client whose connection use it is.
    const options = { method: "POST", path, headers, body, opaque: use } as const;
    dispatcher.dispatch(options, handler);
  });
}

class PostHandler implements Dispatcher.DispatchHandler {
  readonly #sink: ReplySink;
  readonly #use: ConnectionUse;
  readonly #settle: (error?: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(sink: ReplySink, use: ConnectionUse, settle: (error?: unknown) => void) {
    this.#sink = sink;
    this.#use = use;
    this.#settle = settle;
  }

  /** Ends the request for a reason of our own, which the caller gets at once. */
  abort(error: unknown): void {
    if (this.#failure) return;
    this.#failure = { error };
    this.#settle(error);
    this.#controller?.abort(toError(error));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(toError(this.#failure.error));
  }

  onBodySent(): void {
    this.#use.written();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.#guard(() => this.#sink.begin(status, String(headers["content-type"] ?? "")));
  }

  onResponseData(_: Dispatcher.DispatchController, piece: Buffer): void {
    this.#guard(() => this.#sink.piece(piece));
  }

  onResponseEnd(): void {
    if (!this.#failure) this.#settle();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (!this.#failure) this.#settle(error);
  }

  #guard(task: () => void): void {
    if (this.#failure) return;
    try {
      task();
    } catch (error) {
      this.abort(error);
    }
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
