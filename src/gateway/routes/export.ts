import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import {
  type BatchRequest,
  batchBody,
  optionFields,
  refuseDuplicates,
  SAFETENSORS,
  toBatchOptions,
} from "../../control/batch-request.js";
import { toTrajectoryOptions, trajectoriesBody } from "../../control/trajectories-request.js";
import type { App } from "../../http/app-type.js";
import { disconnectSignal } from "../../http/disconnect.js";
import { ApiError } from "../../http/errors.js";
import { readSessionTag } from "../../session/worker-tag.js";
import { partLayout } from "../batch/merge.js";
import type { GatewayContext } from "../context.js";
import { BatchExport, type WorkerShare } from "../export/batch-export.js";
import { unreachable } from "../export/refusal.js";
import { forwardTo } from "../forward.js";
import { credentials, workerOfId } from "../routing.js";

/** What a worker packs its part with: the rest of the request concerns the whole batch, or its file in shared memory. */
const partOptions = z.object(optionFields);

/** Training data out: of one worker as it answers, of several as one batch. */
export function exportRoutes(app: App, context: GatewayContext): void {
  // Conflicts of options are refused here as on a worker: before the sessions are looked up.
  app.post("/export_trajectories", { schema: { body: trajectoriesBody } }, async (request, reply) => {
    toTrajectoryOptions(request.body);
    const worker = await workerOfId(request.body.session_id, context.pool);
    return forwardTo(worker, request, reply, request.body);
  });
  app.post("/export_batch", { schema: { body: batchBody } }, async (request, reply) => {
    const { body } = request;
    refuseLocal(body);
    refuseDuplicates(body.session_ids);
    toBatchOptions(body);
    const shares = await sharesOf(body.session_ids, context);
    const [first] = shares;
    if (first && shares.length === 1) return forwardTo(first.worker, request, reply, body);
    return exportMerged(context, shares, request, reply, body);
  });
}

async function exportMerged(
  { upstream }: GatewayContext,
  shares: readonly WorkerShare[],
  request: FastifyRequest,
  reply: FastifyReply,
  body: BatchRequest,
): Promise<FastifyReply> {
  const { session_ids, wait_seconds, drain_seconds } = body;
  const options = partOptions.parse(body);
  const headers = credentials(request);
  const job = new BatchExport({ upstream, shares, headers, signal: disconnectSignal(reply) });
  await job.ready({ wait_seconds, drain_seconds });
  const batch = await job.collect(
    session_ids,
    { ...options, drain_seconds, layout: partLayout(options.layout) },
    options,
  );
  return reply
    .type(SAFETENSORS)
    .header("content-length", batch.byteLength)
    .send(Readable.from(batch.chunks(), { objectMode: false }));
}

/** Refuses what only one worker can do: the caller must not depend on where its sessions happen to be. */
function refuseLocal({ transport, shards, shard = 0 }: BatchRequest): void {
  if (transport === "shm") {
    const message =
      "`transport` must be `body` through a gateway; received `shm`: the file would be on the worker's machine. Omit " +
      "`transport`, or send the export to the worker itself, from its machine.";
    throw new ApiError("unsupported_parameter", message, { param: "transport" });
  }
  if (shards > 1 || shard > 0) {
    const param = shards > 1 ? "shards" : "shard";
    const rule = shards > 1 ? `1 through a gateway; received ${shards}` : `0 through a gateway; received ${shard}`;
    const message =
      `\`${param}\` must be ${rule}. Export the whole batch and split its rows in the trainer, or send each worker an ` +
      "export of its own sessions with `shards`. A session id names its worker: `<task_id>-<tag>-<n>`.";
    throw new ApiError("unsupported_parameter", message, { param });
  }
}

/** Which sessions each worker has, in the order of the request. */
async function sharesOf(ids: readonly string[], { pool }: GatewayContext): Promise<WorkerShare[]> {
  const byTag = new Map<string, string[]>();
  for (const id of ids) {
    const tag = readSessionTag(id) ?? "";
    const known = byTag.get(tag);
    if (known) known.push(id);
    else byTag.set(tag, [id]);
  }
  const shares: WorkerShare[] = [];
  const lost: string[] = [];
  for (const [tag, sessionIds] of byTag) {
    const worker = tag === "" ? undefined : await pool.find(tag);
    if (worker) shares.push({ worker, sessionIds });
    else lost.push(...sessionIds);
  }
  if (lost.length > 0) throw unreachable(lost);
  return shares;
}
