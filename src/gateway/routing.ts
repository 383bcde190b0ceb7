import type { FastifyRequest } from "fastify";
import { ApiError } from "../http/errors.js";
import { readKeys } from "../http/read-keys.js";
import { readKeyTag, readSessionTag } from "../session/worker-tag.js";
import { noWorker, workerUnavailable } from "./forward.js";
import type { Worker, WorkerPool } from "./worker-pool.js";

/**
 * The worker whose session key came with the request. A key without a worker, or none, any worker can judge: all of them
 * have the same admin key. Of two keys one can be for another service, so the first that names a worker decides.
 *
 * @throws ApiError if the only worker that is named is unknown
 */
export async function workerOf(request: FastifyRequest, pool: WorkerPool): Promise<Worker> {
  const tags = readKeys(request).flatMap((key) => readKeyTag(key) ?? []);
  for (const tag of tags) {
    const worker = await pool.find(tag);
    if (worker) return worker;
  }
  const [unknown] = tags;
  if (unknown === undefined) return anyWorker(pool);
  throw workerUnavailable(unknown);
}

/** The worker that gave a session its id. */
export async function workerOfId(sessionId: string, pool: WorkerPool): Promise<Worker> {
  const tag = readSessionTag(sessionId);
  if (tag !== undefined) return workerWithTag(tag, pool);
  throw new ApiError("session_not_found", `There is no session "${sessionId.slice(0, 200)}".`);
}

async function workerWithTag(tag: string, pool: WorkerPool): Promise<Worker> {
  const worker = await pool.find(tag);
  if (!worker) throw workerUnavailable(tag);
  return worker;
}

async function anyWorker(pool: WorkerPool): Promise<Worker> {
  if (pool.living().length === 0) await pool.refresh();
  const [worker] = pool.living();
  if (!worker) throw noWorker();
  return worker;
}

/** The key of a request, for calls that are made on its behalf. */
export function credentials({ headers }: FastifyRequest): Record<string, string> {
  const { authorization, "x-api-key": apiKey } = headers;
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(typeof apiKey === "string" ? { "x-api-key": apiKey } : {}),
  };
}
