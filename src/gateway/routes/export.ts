import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { App } from "../../server/app-type.js";
import { disconnectSignal } from "../../server/disconnect.js";
import { ApiError } from "../../server/errors.js";
import {
  type BatchRequest,
  batchBody,
  optionFields,
  refuseDuplicates,
  SAFETENSORS,
} from "../../server/routes/batch-request.js";
import { trajectoriesBody } from "../../server/routes/export.js";
import { workerOfSession } from "../../session/worker-tag.js";
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
  app.post("/export_trajectories", { schema: { body: trajectoriesBody } }, async (request, reply) => {
    const worker = await workerOfId(request.body.session_id, context.pool);
    return forwardTo(worker, request, reply, request.body);
  });
  app.post("/export_batch", { schema: { body: batchBody } }, async (request, reply) => {
    const { body } = request;
    refuseLocal(body);
    refuseDuplicates(body.session_ids);
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

/** What only makes sense on the worker's own machine, or of a batch that one worker packs. */
function refuseLocal({ transport, shards, shard = 0 }: BatchRequest): void {
  if (transport === "shm") {
    const message = "A gateway answers batches in the body only: files in shared memory are on the workers' machines.";
    throw new ApiError("unsupported_parameter", message, { param: "transport" });
  }
  if (shards > 1 || shard > 0) {
    const message = "A gateway answers whole batches only: ask each worker for shards of its own.";
    throw new ApiError("unsupported_parameter", message, { param: shards > 1 ? "shards" : "shard" });
  }
}

/** Which sessions each worker has, in the order of the request. */
async function sharesOf(ids: readonly string[], { pool }: GatewayContext): Promise<WorkerShare[]> {
  const byTag = new Map<string, string[]>();
  for (const id of ids) {
    const tag = workerOfSession(id) ?? "";
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
