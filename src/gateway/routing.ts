import type { FastifyReply, FastifyRequest } from "fastify";
import { disconnectSignal } from "../http/disconnect.js";
import { ApiError } from "../http/errors.js";
import { readKeys } from "../http/read-keys.js";
import { readTraceContext } from "../http/trace-context.js";
import { readKeyTag, readSessionTag } from "../session/worker-tag.js";
import { noWorkerError, workerUnavailableError } from "./forward.js";
import type { Worker, WorkerPool } from "./worker-pool.js";

/**
 * Returns the worker that the request's session key names, and waits for it if it is absent. If a request has two keys, one may be
 * for another service, so the first key that names a known worker decides. A request without a session key goes to any worker,
 * because all of them have the same admin key.
 *
 * @throws ApiError if keys name only unknown workers
 */
export async function findWorkerByKey(request: FastifyRequest, reply: FastifyReply, pool: WorkerPool): Promise<Worker> {
  const tags = readKeys(request).flatMap((key) => readKeyTag(key) ?? []);
  for (const tag of tags) {
    const worker = await pool.locate(tag, () => {
      reply.holdBody();
      return disconnectSignal(reply);
    });
    if (worker) return worker;
  }
  const [unknownTag] = tags;
  if (unknownTag === undefined) return pickAnyWorker(pool);
  throw workerUnavailableError(unknownTag);
}

/** Returns the worker that a session id names, and waits for it if it is absent. */
export async function findWorkerBySession(sessionId: string, reply: FastifyReply, pool: WorkerPool): Promise<Worker> {
  const tag = readSessionTag(sessionId);
  if (tag === undefined) throw sessionNotFoundError(sessionId);
  const worker = await pool.locate(tag, () => disconnectSignal(reply));
  if (!worker) throw workerUnavailableError(tag);
  return worker;
}

/** Groups session ids by the tag of their worker, in their order. The key `undefined` has the ids without a tag. */
export function groupByTag(sessionIds: readonly string[]): Map<string | undefined, string[]> {
  const byTag = new Map<string | undefined, string[]>();
  for (const id of sessionIds) {
    const tag = readSessionTag(id);
    const known = byTag.get(tag);
    if (known) known.push(id);
    else byTag.set(tag, [id]);
  }
  return byTag;
}

export function sessionNotFoundError(sessionId: string): ApiError {
  return new ApiError("session_not_found", `Session "${sessionId.slice(0, 200)}" does not exist.`);
}

async function pickAnyWorker(pool: WorkerPool): Promise<Worker> {
  if (pool.living().length === 0) await pool.refresh();
  const [worker] = pool.living();
  if (!worker) throw noWorkerError();
  return worker;
}

/** Returns the headers with the keys and the trace of a request, for calls on behalf of its client. */
export function pickCredentials({ headers, traceHeaders }: FastifyRequest): Record<string, string> {
  const { authorization, "x-api-key": apiKey, "x-goog-api-key": googleKey } = headers;
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(typeof apiKey === "string" ? { "x-api-key": apiKey } : {}),
    ...(typeof googleKey === "string" ? { "x-goog-api-key": googleKey } : {}),
    ...(traceHeaders ?? readTraceContext(headers)?.headers),
  };
}
