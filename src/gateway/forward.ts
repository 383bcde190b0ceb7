import type { IncomingHttpHeaders } from "node:http";
import replyFrom from "@fastify/reply-from";
import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { disconnectSignal, onResponseClose } from "../http/disconnect.js";
import { ApiError } from "../http/errors.js";
import { FORWARDED, type Forwarded, forwardingDispatcher } from "./forwarding-dispatcher.js";
import { readTarget } from "./request-target.js";
import type { WorkerConnections } from "./worker-connections.js";
import type { Worker, WorkerPool } from "./worker-pool.js";

/** Registers `reply.from`, which streams request and response bodies and never repeats a request. */
export const forwarding = fp<{ readonly upstream: WorkerConnections }>(async (app, { upstream }) => {
  await app.register(replyFrom, {
    undici: forwardingDispatcher(upstream.dispatcher),
    disableRequestLogging: true,
    disableCache: true,
  });
});

export interface ForwardOptions {
  /** Sent instead of the request's own body. */
  readonly body?: object;
  /** Returns the error for a worker that does not answer. */
  readonly toLossError?: (tag: string, cause?: unknown) => ApiError;
}

/** Maximum number of attempts to send a request, for a worker that answers health checks but refuses connections. */
const MAX_SENDS = 3;

/**
 * Forwards the request to a worker and streams the worker's response back. The call has no time limit. It is aborted if its client
 * disconnects or its worker becomes unreachable.
 *
 * If no connection to the worker can be opened, the request waits until the worker returns, and is then sent. If the connection
 * breaks later, the worker may have executed the request, so only the client can send it again.
 */
export function forwardTo(
  pool: WorkerPool,
  worker: Worker,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ForwardOptions = {},
): FastifyReply {
  return new ForwardedCall(pool, request, reply, options).send(worker);
}

class ForwardedCall {
  readonly #pool: WorkerPool;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #body: object | undefined;
  readonly #toLossError: (tag: string, cause?: unknown) => ApiError;
  readonly #disconnected: AbortSignal;
  #sends = 0;
  #stopWatching = () => {};

  constructor(
    pool: WorkerPool,
    request: FastifyRequest,
    reply: FastifyReply,
    { body, toLossError = workerUnavailableError }: ForwardOptions,
  ) {
    this.#pool = pool;
    this.#request = request;
    this.#reply = reply;
    this.#body = body;
    this.#toLossError = toLossError;
    this.#disconnected = disconnectSignal(reply);
    onResponseClose(reply, () => this.#stopWatching());
  }

  /** @param cause the error with which the request was not sent before */
  send(worker: Worker, cause?: Error): FastifyReply {
    const { url, tag, contact } = worker;
    this.#disconnected.throwIfAborted();
    if (contact.isUnreachable) throw this.#toLossError(tag, cause);
    this.#sends++;
    const onError = (error: Error) => this.#fail(worker, forwarded, error);
    const forwarded: Forwarded = { signal: this.#watch(worker), target: readTarget(this.#request), onError };
    return this.#reply.from(url, {
      // These headers are about the client's connection. The dispatcher refuses to send them.
      rewriteRequestHeaders: (_, { expect: _expect, "keep-alive": _keepAlive, ...headers }) =>
        Object.assign(headers, this.#traceHeaders(), { [FORWARDED]: forwarded }),
      // Without this, the library repeats a GET that is answered with 503.
      retryDelay: () => null,
      ...(this.#body === undefined ? {} : { body: this.#body }),
      onResponse: (_request, answered, { stream }) => {
        contact.answered();
        void answered.send(stream);
      },
      onError: (_reply, { error }) => onError(error),
    });
  }

  /** Returns the trace headers that replace those of the client, of which no part may stay. */
  #traceHeaders(): IncomingHttpHeaders | undefined {
    const { traceHeaders } = this.#request;
    return traceHeaders ? { tracestate: undefined, ...traceHeaders } : undefined;
  }

  /** Returns a signal that aborts when the client disconnects or the worker becomes unreachable. */
  #watch({ contact }: Worker): AbortSignal {
    const ended = new AbortController();
    this.#disconnected.addEventListener("abort", () => ended.abort(this.#disconnected.reason));
    this.#stopWatching = contact.watch(() => ended.abort(unreachableError()));
    if (this.#request.raw.socket.destroyed) this.#stopWatching();
    return ended.signal;
  }

  /** Sends the request again if the worker may return, or answers it with an error. */
  #fail(worker: Worker, forwarded: Forwarded, error: Error): void {
    if (this.#reply.sent) return;
    this.#stopWatching();
    if (this.#disconnected.aborted) return void this.#reply.send(this.#disconnected.reason);
    const isUnsent = wasNotSent(error, forwarded);
    if (isUnsent && this.#pool.markAbsent(worker) && this.#sends < MAX_SENDS) {
      return void this.#sendAgain(worker.tag, error);
    }
    if (!isUnsent && isWorkerDown(error, this.#request)) markDown(worker);
    void this.#reply.send(this.#toLossError(worker.tag, error));
  }

  async #sendAgain(tag: string, cause: Error): Promise<void> {
    try {
      const returned = await this.#pool.locate(tag, () => {
        this.#reply.holdBody();
        return this.#disconnected;
      });
      if (!returned) throw this.#toLossError(tag, cause);
      this.send(returned, cause);
    } catch (error) {
      void this.#reply.send(error);
    }
  }
}

function markDown(worker: Worker): void {
  worker.state = "down";
  worker.contact.suspect();
}

/** Returns true if the worker certainly received nothing of the failed request. */
function wasNotSent(error: Error, { signal, body }: Forwarded): boolean {
  if (body?.isRead) return false;
  // The signal aborted while the connection was being opened, because the worker became unreachable.
  const isAbandoned = body !== undefined && signal.aborted;
  return isAbandoned || isConnectError(error);
}

export function workerUnavailableError(tag: string, cause?: unknown): ApiError {
  const message = `Worker ${tag} does not answer. Its sessions continue when it answers again. If it has died without storage, they are lost.`;
  return new ApiError("worker_unavailable", message, { cause });
}

function unreachableError(): ApiError {
  return new ApiError("worker_unavailable", "The worker has become unreachable.");
}

export function noWorkerError(): ApiError {
  return new ApiError(
    "worker_unavailable",
    "No worker answers at the moment. The gateway's /health lists the workers that it knows.",
  );
}

/** Codes of errors while a connection is being opened. */
const CONNECT_ERRORS: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Those of {@link CONNECT_ERRORS} that an established connection can have, too. */
const NETWORK_ERRORS: ReadonlySet<unknown> = new Set(["EHOSTUNREACH", "ENETUNREACH"]);

/** The code if the dispatcher refused the request, for example a header of the client. */
const INVALID_REQUEST = "UND_ERR_INVALID_ARG";

/** Returns true if no connection to the worker could be opened. */
function isConnectError({ code, syscall }: NodeJS.ErrnoException): boolean {
  return CONNECT_ERRORS.has(code) && (syscall === "connect" || !NETWORK_ERRORS.has(code));
}

/**
 * Returns true if the error shows that the worker is down. If the connection broke while the request body was being sent,
 * the worker may have refused the body, or the client may have disconnected.
 */
function isWorkerDown({ code }: NodeJS.ErrnoException, { raw }: FastifyRequest): boolean {
  return code !== INVALID_REQUEST && (raw.complete || CONNECT_ERRORS.has(code));
}
