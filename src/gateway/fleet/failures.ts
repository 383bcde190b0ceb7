import { ApiError } from "../../http/errors.js";
import { readWorkerError } from "../export/refusal.js";
import type { WorkerReply } from "../worker-connections.js";
import type { Worker } from "../worker-pool.js";

/**
 * Returns a worker's error as the gateway's own, with the worker's tag. An error about the key has no tag, because every worker
 * would return it.
 *
 * @param outcome the state of the other workers
 */
export function workerRefusedError({ tag }: Worker, reply: WorkerReply, outcome = ""): ApiError {
  const { code, message, param, details } = readWorkerError(reply);
  if (reply.status === 401 || reply.status === 403) return new ApiError(code, message, { param, details });
  const text = `Worker ${tag}: ${message}${outcome === "" ? "" : ` ${outcome}`}`;
  return new ApiError(code, text, { param, details: { ...details, worker: tag } });
}

/** @param outcome the state of the other workers */
export function workerSilentError({ tag }: Worker, outcome: string): ApiError {
  return new ApiError("worker_unavailable", `Worker ${tag} did not answer. ${outcome}`, { details: { worker: tag } });
}
