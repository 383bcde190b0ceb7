import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import {
  type BatchRequest,
  batchBody,
  EXPORT_ID,
  optionFields,
  refuseDuplicates,
  SAFETENSORS,
  toBatchOptions,
} from "../../control/batch-request.js";
import { SESSIONS_FILE, sessionsBody } from "../../control/sessions-request.js";
import { toTrajectoryOptions, trajectoriesBody } from "../../control/trajectories-request.js";
import type { App } from "../../http/app-type.js";
import { noteExport } from "../../http/connections/answer.js";
import { disconnectSignal, onResponseClose } from "../../http/disconnect.js";
import { ApiError } from "../../http/errors.js";
import { newBatchId } from "../../session/worker-tag.js";
import type { GatewayContext } from "../context.js";
import { acknowledge } from "../export/acknowledge.js";
import { BatchExport, type WorkerShare } from "../export/batch-export.js";
import { exportSessions } from "../export/export-sessions.js";
import { unreachableSessions } from "../export/refusal.js";
import { forwardTo } from "../forward.js";
import { partLayout } from "../merge/merge-parts.js";
import { findWorkerBySession, groupByTag, pickCredentials } from "../routing.js";

/** The options of a part. The other fields of the request concern the whole batch or its file in shared memory. */
const partOptions = z.object(optionFields);

/** Exports of training data. A batch of one worker is forwarded; a batch of several workers is merged here. */
export function exportRoutes(app: App, context: GatewayContext): void {
  // The options are checked here, so that conflicts come before errors about sessions, as on a worker.
  app.post("/export_trajectories", { schema: { body: trajectoriesBody } }, async (request, reply) => {
    toTrajectoryOptions(request.body);
    const worker = await findWorkerBySession(request.body.session_id, reply, context.pool);
    return forwardTo(context.pool, worker, request, reply, { body: request.body });
  });
  app.post("/export_batch", { schema: { body: batchBody } }, async (request, reply) => {
    const { body } = request;
    refuseWorkerOnlyOptions(body);
    await refuseDuplicates(body.session_ids);
    toBatchOptions(body);
    const shares = await groupByWorker(body.session_ids, reply, context);
    const [first] = shares;
    if (first && shares.length === 1) {
      const toLossError = () => unreachableSessions(first.sessionIds);
      return forwardTo(context.pool, first.worker, request, reply, { body, toLossError });
    }
    return exportMerged(context, shares, request, reply, body);
  });
  app.post("/export_sessions", { schema: { body: sessionsBody } }, async (request, reply) => {
    const { body } = request;
    const { session_ids: ids, wait_seconds, drain_seconds } = body;
    await refuseDuplicates(ids);
    const shares = await groupByWorker(ids, reply, context);
    const [first] = shares;
    if (first && shares.length === 1) {
      const toLossError = () => unreachableSessions(first.sessionIds);
      return forwardTo(context.pool, first.worker, request, reply, { body, toLossError });
    }
    const { pool, upstream } = context;
    const options = { pool, upstream, shares, headers: pickCredentials(request), signal: disconnectSignal(reply) };
    await new BatchExport(options).waitUntilReady({ wait_seconds, drain_seconds });
    const chunks = await exportSessions(ids, { drain_seconds }, options);
    return reply.type(SESSIONS_FILE).send(Readable.from(chunks, { objectMode: false }));
  });
  app.delete("/export_batch/:id", { schema: { params: z.object({ id: z.string() }) } }, async (request, reply) => {
    await acknowledge(context, request.params.id, pickCredentials(request), disconnectSignal(reply));
    return { id: request.params.id };
  });
}

async function exportMerged(
  { pool, upstream }: GatewayContext,
  shares: readonly WorkerShare[],
  request: FastifyRequest,
  reply: FastifyReply,
  body: BatchRequest,
): Promise<FastifyReply> {
  const { session_ids, wait_seconds, drain_seconds, lease_seconds } = body;
  const options = partOptions.parse(body);
  const headers = pickCredentials(request);
  const job = new BatchExport({ pool, upstream, shares, headers, signal: disconnectSignal(reply) });
  const lease = body.acknowledge
    ? { export_id: newBatchId(shares.map(({ worker }) => worker.tag)), lease_seconds }
    : undefined;
  await job.waitUntilReady({ wait_seconds, drain_seconds });
  const batch = await job.collect(
    session_ids,
    { ...options, drain_seconds, layout: partLayout(options.layout) },
    options,
    lease,
  );
  if (lease) {
    void reply.header(EXPORT_ID, lease.export_id);
    onResponseClose(reply, (complete) => {
      if (!complete) void job.withdraw(lease);
    });
  }
  noteExport(reply, session_ids);
  return reply
    .type(SAFETENSORS)
    .header("content-length", batch.byteLength)
    .send(Readable.from(batch.chunks(), { objectMode: false }));
}

/** Refuses options that only a worker supports, also if all sessions happen to be on one worker. */
function refuseWorkerOnlyOptions({ transport, shards, shard = 0 }: BatchRequest): void {
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

/**
 * Groups the sessions by worker, in the order of the request. Waits for absent workers.
 *
 * @throws ApiError that lists the sessions without a known worker
 */
async function groupByWorker(
  ids: readonly string[],
  reply: FastifyReply,
  { pool }: GatewayContext,
): Promise<WorkerShare[]> {
  const shares: WorkerShare[] = [];
  const lost: string[] = [];
  for (const [tag, sessionIds] of groupByTag(ids)) {
    const worker = tag === undefined ? undefined : await pool.locate(tag, () => disconnectSignal(reply));
    if (worker) shares.push({ worker, sessionIds });
    else lost.push(...sessionIds);
  }
  if (lost.length > 0) throw unreachableSessions(lost);
  return shares;
}
