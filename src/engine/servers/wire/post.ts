import type { Dispatcher } from "undici";
import type { AbortSource } from "../../../support/async/abort-source.js";
import { onAbort } from "../../../support/async/on-abort.js";
import { transportError } from "./errors.js";
import type { ConnectionUse } from "./keep-alive-client.js";

/** The part of undici's options that differs between requests. */
export interface PostOptions {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface PostEvents {
  /** Origin of the server, for error messages. */
  readonly origin: string;
  readonly signal: AbortSource;
  readonly use: ConnectionUse;
  readonly sink: ReplySink;
}

/** Receives the body of a reply piece by piece. An error that it throws ends the request. */
export interface ReplySink {
  /** @param header returns a header's value by its name in lower case; empty if there is none. */
  begin(status: number, header: (name: string) => string): void;
  piece(bytes: Buffer): void;
}

/**
 * Sends a request and passes the reply's body to the sink as it comes from the socket, without a copy or a stream in
 * between. Resolves when the body is complete. Rejects with the signal's reason, with the sink's error, or with an
 * EngineError if the connection failed.
 */
export function post(dispatcher: Dispatcher, options: PostOptions, events: PostEvents): Promise<void> {
  return new Promise((resolve, reject) => {
    const { origin, signal, use, sink } = events;
    const { path, headers, body } = options;
    const handler = new PostHandler(sink, use, origin, settle);
    function settle(error?: unknown): void {
      listening[Symbol.dispose]();
      if (error === undefined) resolve();
      else reject(error);
    }
    if (signal.aborted) return reject(signal.reason);
    const listening = onAbort(signal, () => handler.abort(signal.reason));
    // KeepAliveClient finds the request's ConnectionUse in `opaque`, which undici's type lacks.
    const withUse = { method: "POST", path, headers, body, opaque: use } as const;
    dispatcher.dispatch(withUse, handler);
  });
}

type AbortRequest = (reason: Error) => void;

/**
 * Receives the events of one request.
 *
 * Implements the deprecated one of undici's two handler interfaces on purpose: only that one has `onBodySent`. Without
 * it, {@link ConnectionUse} cannot tell a request that never left this process, which another server may get, from one
 * that may have run; failover would either stop or generate twice. Do not add methods of the new interface: if
 * `onRequestStart` exists, undici ignores the methods below. test/engine/servers/failover.test.ts covers this.
 */
class PostHandler implements Dispatcher.DispatchHandler {
  readonly #sink: ReplySink;
  readonly #use: ConnectionUse;
  readonly #origin: string;
  readonly #settle: (error?: unknown) => void;
  #abortRequest: AbortRequest | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(sink: ReplySink, use: ConnectionUse, origin: string, settle: (error?: unknown) => void) {
    this.#sink = sink;
    this.#use = use;
    this.#origin = origin;
    this.#settle = settle;
  }

  /** Ends the request early. The caller gets this error immediately, before undici reports its own. */
  abort(error: unknown): void {
    if (this.#failure) return;
    this.#failure = { error };
    this.#settle(error);
    this.#abortRequest?.(toError(error));
  }

  onConnect(abort: AbortRequest): void {
    this.#abortRequest = abort;
    if (this.#failure) abort(toError(this.#failure.error));
  }

  onBodySent(): void {
    this.#use.written();
  }

  onHeaders(status: number, headers: readonly Buffer[]): boolean {
    if (status >= 200) this.#guard(() => this.#sink.begin(status, (name) => findHeader(headers, name)));
    return true;
  }

  onData(piece: Buffer): boolean {
    this.#use.received(piece.byteLength);
    this.#guard(() => this.#sink.piece(piece));
    return true;
  }

  onComplete(): void {
    if (!this.#failure) this.#settle();
  }

  onError(error: Error): void {
    if (!this.#failure) this.#settle(transportError(error, this.#origin));
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

/** @param headers alternating names and values */
function findHeader(headers: readonly Buffer[], name: string): string {
  const at = headers.findIndex((field, index) => index % 2 === 0 && field.toString("latin1").toLowerCase() === name);
  return at < 0 ? "" : (headers[at + 1]?.toString("latin1") ?? "");
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
