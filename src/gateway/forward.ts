import replyFrom from "@fastify/reply-from";
import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import type { Dispatcher } from "undici";
import { disconnectSignal } from "../http/disconnect.js";
import { ApiError } from "../http/errors.js";
import type { Upstream } from "./upstream.js";
import type { Worker } from "./worker-pool.js";

type RequestCallback = (error: Error | null, reply: Dispatcher.ResponseData) => void;

/**
 * Key under which the headers of a forwarded request carry its disconnect signal to {@link withDisconnectSignals}. The
 * library has no option for a signal. A symbol is never sent as a header.
 */
const DISCONNECT_SIGNAL = Symbol("disconnect signal");

/** Registers `reply.from`, which streams request and response bodies and never repeats a request. */
export const forwarding = fp<{ readonly upstream: Upstream }>(async (app, { upstream }) => {
  await app.register(replyFrom, {
    undici: withDisconnectSignals(upstream.dispatcher),
    disableRequestLogging: true,
    disableCache: true,
  });
});

/**
 * Forwards the request to a worker and streams the worker's response back.
 *
 * @param body sent instead of the request's own body
 */
export function forwardTo(worker: Worker, request: FastifyRequest, reply: FastifyReply, body?: object): FastifyReply {
  const disconnected = disconnectSignal(reply);
  const { pathname, search } = new URL(request.url, worker.url);
  return reply.from(worker.url + pathname + search, {
    rewriteRequestHeaders: (_, { expect: _expect, ...headers }) =>
      Object.assign(headers, { [DISCONNECT_SIGNAL]: disconnected }),
    // Without this, the library repeats a GET that is answered with 503.
    retryDelay: () => null,
    ...(body === undefined ? {} : { body }),
    onError: (failedReply, { error }) => {
      if (!disconnected.aborted && isWorkerDown(error, request)) worker.state = "down";
      void failedReply.send(workerUnavailableError(worker.tag, error));
    },
  });
}

const CONNECT_ERRORS: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/**
 * Returns true if the error shows that the worker is down. If the connection broke while the request body was being sent,
 * the worker may have refused the body, or the client may have disconnected.
 */
function isWorkerDown(error: Error, { raw }: FastifyRequest): boolean {
  return raw.complete || CONNECT_ERRORS.has((error as NodeJS.ErrnoException).code);
}

export function workerUnavailableError(tag: string, cause?: unknown): ApiError {
  const message = `Worker ${tag} does not answer. Its sessions are lost or cannot be reached.`;
  return new ApiError("worker_unavailable", message, { cause });
}

export function noWorkerError(): ApiError {
  return new ApiError("worker_unavailable", "No worker answers at the moment.");
}

/**
 * Returns a dispatcher that aborts each request when its client disconnects. Without this, a model call would go on until
 * the worker answers, because the library watches the client only from then on.
 */
function withDisconnectSignals(dispatcher: Dispatcher): Dispatcher {
  const request = (options: Dispatcher.RequestOptions, callback: RequestCallback) => {
    const { [DISCONNECT_SIGNAL]: signal, ...headers } = options.headers as Record<string | symbol, unknown>;
    const abortable = { ...options, headers: headers as Record<string, string>, signal: signal as AbortSignal };
    dispatcher.request(abortable, callback);
  };
  // All other methods are those of the dispatcher.
  return Object.assign(Object.create(dispatcher) as Dispatcher, { request });
}
