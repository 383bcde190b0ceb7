import { ApiError } from "../../http/errors.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import { noWorkerError, workerUnavailableError } from "../forward.js";
import type { UpstreamReply } from "../upstream.js";
import { readWorkerError } from "./refusal.js";

/**
 * Acknowledges a batch on every worker, because the id does not say which workers have a part of it and the gateway keeps no list.
 *
 * @throws ApiError `worker_unavailable` if a worker did not answer. It may have a part, so the client must send the call again.
 * @throws ApiError `export_lease_ended` if the lease of a part has ended, or `batch_not_found` if no worker knows the batch
 */
export async function acknowledge(
  { pool, upstream, controlMilliseconds }: GatewayContext,
  id: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const path = `/export_batch/${encodeURIComponent(id)}`;
  const workers = pool.living();
  if (workers.length === 0) throw noWorkerError();
  const replies: UpstreamReply[] = await Promise.all(
    workers.map(async (worker) => {
      const reply = await callWorker(upstream, worker, { method: "DELETE", path, headers }, controlMilliseconds);
      if (reply) return reply;
      worker.state = "down";
      throw workerUnavailableError(worker.tag);
    }),
  );
  const errors = replies.filter(({ status }) => status >= 300).map(readWorkerError);
  const unexpected = errors.find(({ code }) => code !== "batch_not_found");
  if (unexpected) throw unexpected;
  if (errors.length === replies.length)
    throw errors[0] ?? new ApiError("batch_not_found", `Batch "${id}" does not exist.`);
}
