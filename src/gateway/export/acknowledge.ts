import { ApiError } from "../../http/errors.js";
import { readBatchTags } from "../../session/worker-tag.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import { noWorkerError } from "../forward.js";
import type { WorkerReply } from "../worker-connections.js";
import type { Worker, WorkerPool } from "../worker-pool.js";
import { readWorkerError } from "./refusal.js";

/** A worker that may have a part of the batch, and its reply. */
interface Holder {
  readonly tag: string;
  /** Undefined if the gateway does not know a worker with this tag. */
  readonly worker: Worker | undefined;
  /** Undefined if the worker did not answer. */
  readonly reply: WorkerReply | undefined;
}

/**
 * Acknowledges a batch on every worker that has a part of it, including workers that did not answer their last health check. Waits
 * for absent workers. If a worker fails, the other parts stay acknowledged, and the call can be repeated.
 *
 * @param leave aborts when the client disconnects
 * @throws ApiError `worker_unavailable` if a worker did not answer. It may have a part, so the client must send the call again.
 * @throws ApiError `export_lease_ended` if the lease of a part has ended, or `batch_not_found` if no worker knows the batch
 */
export async function acknowledge(
  { pool, upstream, controlMilliseconds }: GatewayContext,
  id: string,
  headers: Readonly<Record<string, string>>,
  leave: AbortSignal,
): Promise<void> {
  const path = `/export_batch/${encodeURIComponent(id)}`;
  // If the id has no tags, any worker may have a part.
  const named = readBatchTags(id);
  const holders = await Promise.all(
    (named ?? listTags(pool)).map(async (tag): Promise<Holder> => {
      const worker = await findHolder(pool, tag, leave);
      if (!worker) return { tag, worker, reply: undefined };
      const reply = await callWorker(upstream, worker, { method: "DELETE", path, headers }, controlMilliseconds);
      if (!reply) pool.markAbsent(worker);
      return { tag, worker, reply };
    }),
  );
  if (!named && holders.every(({ worker }) => !worker)) throw noWorkerError();
  const replies = holders.flatMap(({ reply }) => reply ?? []);
  const errors = replies.filter(({ status }) => status >= 300).map(readWorkerError);
  const unexpected = errors.find(({ code }) => code !== "batch_not_found");
  if (unexpected) throw unexpected;
  // If the tags at all addresses are known, an unknown worker has ended, and its sessions are lost.
  const mayRun = ({ worker }: Holder) => worker !== undefined || pool.unidentified > 0;
  const silent = holders.filter((holder) => !holder.reply && mayRun(holder)).map(({ tag }) => tag);
  if (silent.length > 0) throw unacknowledgedError(silent);
  if (errors.length === replies.length) throw errors[0] ?? batchNotFound(id);
}

export function batchNotFound(id: string): ApiError {
  return new ApiError("batch_not_found", `Batch "${id.slice(0, 100)}" does not exist.`);
}

function listTags(pool: WorkerPool): string[] {
  return [...new Set([...pool.all().map(({ tag }) => tag), ...pool.absentTags])];
}

async function findHolder(pool: WorkerPool, tag: string, leave: AbortSignal): Promise<Worker | undefined> {
  if (pool.absentTags.includes(tag)) await pool.locate(tag, () => leave);
  // If the worker did not return in time, it may still be at an address that was added since the last refresh.
  return pool.find(tag);
}

function unacknowledgedError(tags: readonly string[]): ApiError {
  const message =
    `The batch is not acknowledged on ${tags.length} of its workers, which did not answer: ${tags.join(", ")}. Repeat this call ` +
    "before the lease of the batch ends.";
  return new ApiError("worker_unavailable", message, { details: { unavailable_workers: tags } });
}
