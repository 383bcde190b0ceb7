import replyFrom from "@fastify/reply-from";
import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import type { Dispatcher } from "undici";
import { disconnectSignal } from "../http/disconnect.js";
import { ApiError } from "../http/errors.js";
import type { Upstream } from "./upstream.js";
import type { Worker } from "./worker-pool.js";

type Answered = (error: Error | null, answer: Dispatcher.ResponseData) => void;

/** Under this key a request's headers carry, within this process, the signal that its client has gone. */
const CLIENT_GONE = Symbol("client gone");

/** Lets replies come from workers: bodies in both directions as they flow, nothing sent twice. */
export const forwarding = fp<{ readonly upstream: Upstream }>(async (app, { upstream }) => {
  await app.register(replyFrom, {
    undici: abortable(upstream.dispatcher),
    disableRequestLogging: true,
    disableCache: true,
  });
});

/** Answers with what the worker answers to the same request, or to it with another body. */
export function forwardTo(worker: Worker, request: FastifyRequest, reply: FastifyReply, body?: object): FastifyReply {
  const gone = disconnectSignal(reply);
  const { pathname, search } = new URL(request.url, worker.url);
  return reply.from(worker.url + pathname + search, {
    rewriteRequestHeaders: (_, { expect: _expect, ...headers }) => Object.assign(headers, { [CLIENT_GONE]: gone }),
    // The library repeats a GET that is answered 503.
    retryDelay: () => null,
    ...(body === undefined ? {} : { body }),
    onError: (failed, { error }) => {
      if (!gone.aborted && isSilent(error, request)) worker.state = "down";
      void failed.send(workerUnavailable(worker.tag, error));
    },
  });
}

const UNREACHED: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** A connection that broke within the request's body may be the worker's refusal of that body, or its client's end. */
function isSilent(error: Error, { raw }: FastifyRequest): boolean {
  return raw.complete || UNREACHED.has((error as NodeJS.ErrnoException).code);
}

export function workerUnavailable(tag: string, cause?: unknown): ApiError {
  return new ApiError("worker_unavailable", `Worker ${tag} does not answer: its sessions are lost, or out of reach.`, {
    cause,
  });
}

export function noWorker(): ApiError {
  return new ApiError("worker_unavailable", "No worker answers now.");
}

/**
 * The library watches its client only once the worker answers. A model call is aborted as soon as its client has gone, so
 * each request gets that signal here.
 */
function abortable(dispatcher: Dispatcher): Dispatcher {
  const request = (options: Dispatcher.RequestOptions, callback: Answered) => {
    const { [CLIENT_GONE]: signal, ...headers } = options.headers as Record<string | symbol, unknown>;
    const sent = { ...options, headers: headers as Record<string, string>, signal: signal as AbortSignal };
    dispatcher.request(sent, callback);
  };
  return Object.assign(Object.create(dispatcher) as Dispatcher, { request });
}
