import type { FastifyRequest } from "fastify";
import { type ListedRunSession, runSessions } from "../admin-api/run-sessions.js";
import { callWorker } from "./contact/call-worker.js";
import type { GatewayContext } from "./context.js";
import { readWorkerError } from "./export/refusal.js";
import { workerUnavailableError } from "./forward.js";
import { parseReply } from "./relay.js";
import { pickCredentials } from "./routing.js";

/**
 * Returns the sessions of a run on all workers, in the order in which they were started.
 *
 * @throws ApiError `worker_unavailable` if a worker does not answer: it may have sessions of the run
 */
export async function listRunOnWorkers(
  { pool, upstream, controlMilliseconds }: GatewayContext,
  request: FastifyRequest,
  runId: string,
): Promise<readonly ListedRunSession[]> {
  const path = `/rl/runs/${encodeURIComponent(runId)}/sessions`;
  const call = { method: "GET", path, headers: pickCredentials(request) } as const;
  const lists = pool.all().map(async (worker) => {
    const reply = await callWorker(upstream, worker, call, controlMilliseconds);
    if (!reply) throw workerUnavailableError(worker.tag);
    if (reply.status >= 300) throw readWorkerError(reply);
    return parseReply(reply, runSessions).sessions;
  });
  return (await Promise.all(lists)).flat().sort((a, b) => a.created_at - b.created_at);
}
