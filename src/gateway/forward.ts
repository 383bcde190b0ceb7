import replyFrom from "@fastify/reply-from";
import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import type { Dispatcher } from "undici";
import { disconnectSignal, onResponseClose } from "../http/disconnect.js";
import { ApiError } from "../http/errors.js";
import { readTarget } from "./request-target.js";
import type { Upstream } from "./upstream.js";
import type { Worker } from "./worker-pool.js";

type RequestCallback = (error: Error | null, reply?: Dispatcher.ResponseData) => void;

/** Settings of a forwarded request for which the library has no option. */
interface Forwarded {
  /** Aborts the call. */
  readonly signal: AbortSignal;
  /** Path and query, byte for byte. The library would resolve `..` in them. */
  readonly target: string;
}

/**
 * Key in the headers of a request that passes its {@link Forwarded} to {@link forwardingDispatcher}. A symbol is never sent as a
 * header.
 */
const FORWARDED = Symbol("forwarded");

/** Registers `reply.from`, which streams request and response bodies and never repeats a request. */
export const forwarding = fp<{ readonly upstream: Upstream }>(async (app, { upstream }) => {
  await app.register(replyFrom, {
    undici: forwardingDispatcher(upstream.dispatcher),
    disableRequestLogging: true,
    disableCache: true,
  });
});

/**
 * Forwards the request to a worker and streams the worker's response back. The call has no time limit. It is aborted if its client
 * disconnects or its worker becomes unreachable.
 *
 * @param body sent instead of the request's own body
 * @param toLossError returns the error for a worker that does not answer
 */
export function forwardTo(
  worker: Worker,
  request: FastifyRequest,
  reply: FastifyReply,
  body?: object,
  toLossError = (cause?: unknown) => workerUnavailableError(worker.tag, cause),
): FastifyReply {
  const { contact } = worker;
  if (contact.isUnreachable) throw toLossError();
  const disconnected = disconnectSignal(reply);
  const ended = new AbortController();
  disconnected.addEventListener("abort", () => ended.abort());
  onResponseClose(
    reply,
    contact.watch(() => ended.abort()),
  );
  const forwarded: Forwarded = { signal: ended.signal, target: readTarget(request) };
  return reply.from(worker.url, {
    // These headers are about the client's connection. The dispatcher refuses to send them.
    rewriteRequestHeaders: (_, { expect: _expect, "keep-alive": _keepAlive, ...headers }) =>
      Object.assign(headers, { [FORWARDED]: forwarded }),
    // Without this, the library repeats a GET that is answered with 503.
    retryDelay: () => null,
    ...(body === undefined ? {} : { body }),
    onResponse: (_request, answered, { stream }) => {
      contact.answered();
      void answered.send(stream);
    },
    onError: (failedReply, { error }) => {
      if (!disconnected.aborted && isWorkerDown(error, request)) {
        worker.state = "down";
        contact.suspect();
      }
      void failedReply.send(toLossError(error));
    },
  });
}

const CONNECT_ERRORS: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** The dispatcher refused the request, for example a header of the client. */
const NOT_SENT = "UND_ERR_INVALID_ARG";

/**
 * Returns true if the error shows that the worker is down. If the connection broke while the request body was being sent,
 * the worker may have refused the body, or the client may have disconnected.
 *
 * @param error an error of the forwarding library. Its cause is the error of the connection.
 */
function isWorkerDown({ cause }: Error, { raw }: FastifyRequest): boolean {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return code !== NOT_SENT && (raw.complete || CONNECT_ERRORS.has(code));
}

export function workerUnavailableError(tag: string, cause?: unknown): ApiError {
  const message = `Worker ${tag} does not answer. Its sessions are lost, or go on when it answers again.`;
  return new ApiError("worker_unavailable", message, { cause });
}

export function noWorkerError(): ApiError {
  return new ApiError("worker_unavailable", "No worker answers at the moment.");
}

/**
 * Returns a dispatcher that sends each request to its target and aborts it with its signal. The library watches the client only
 * once the worker answers, so without the signal a model call would go on after its client disconnected.
 */
function forwardingDispatcher(dispatcher: Dispatcher): Dispatcher {
  const request = (options: Dispatcher.RequestOptions, callback: RequestCallback) => {
    const { [FORWARDED]: forwarded, ...headers } = options.headers as Record<string | symbol, unknown>;
    const { signal, target } = forwarded as Forwarded;
    const abortable = { ...options, path: target, headers: headers as Record<string, string>, signal };
    let isSettled = false;
    const settle: RequestCallback = (error, reply) => {
      if (isSettled) return;
      isSettled = true;
      callback(error, reply);
    };
    // The dispatcher does not listen to the signal while it opens the connection.
    signal.addEventListener("abort", () => settle(signal.reason as Error));
    dispatcher.request(abortable, settle);
  };
  // All other methods are those of the dispatcher.
  return Object.assign(Object.create(dispatcher) as Dispatcher, { request });
}
