import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { answerBatches, nameBatches } from "../../admin-api/batch-answer.js";
import {
  type BatchRequest,
  batchBody,
  EXPORT_ID,
  pickOptions,
  refuseDuplicates,
  SAFETENSORS,
  toBatchOptions,
  toDelivery,
  toShards,
} from "../../admin-api/batch-request.js";
import type { ExportMetrics } from "../../admin-api/export-metrics.js";
import { selectSessions } from "../../admin-api/run-sessions.js";
import { SESSIONS_FILE, sessionsBody } from "../../admin-api/sessions-request.js";
import { toTrajectoryOptions, trajectoriesBody } from "../../admin-api/trajectories-request.js";
import type { App } from "../../http/app-type.js";
import { disconnectSignal, onResponseClose } from "../../http/disconnect.js";
import { packShards } from "../../session/batch/batch.js";
import type { SharedMemory } from "../../session/batch/batch-memory.js";
import type { ExportSummary } from "../../session/batch/batch-metadata.js";
import type { SharedExports } from "../../session/export/shared-exports.js";
import { newBatchId } from "../../session/worker-tag.js";
import type { GatewayContext } from "../context.js";
import { acknowledge, batchNotFound } from "../export/acknowledge.js";
import { BatchExport, type PackSessions } from "../export/batch-export.js";
import { exportWorkerSessions } from "../export/export-worker-sessions.js";
import { unreachableSessions } from "../export/refusal.js";
import { ShardExport } from "../export/shard-export.js";
import type { WorkerShare } from "../export/worker-file.js";
import { forwardTo } from "../forward.js";
import { findWorkerBySession, groupByTag, pickCredentials } from "../routing.js";
import { listRunOnWorkers } from "../run-sessions.js";

export interface GatewayExportContext extends GatewayContext {
  readonly metrics: { readonly exports: ExportMetrics };
  readonly sharedMemory: SharedMemory;
  readonly sharedExports: SharedExports;
}

/** Prefix of the ids of batches in shared memory whose sessions no worker holds. */
const FILE_ID = "file-";

/** Exports of training data. A batch of one worker is forwarded; a batch of several workers, or in shared memory, is packed here. */
export function gatewayExportRoutes(app: App, context: GatewayExportContext): void {
  const listRun = (request: FastifyRequest) => (runId: string) => listRunOnWorkers(context, request, runId);
  // The options are checked here, so that conflicts come before errors about sessions, as on a worker.
  app.post("/export_trajectories", { schema: { body: trajectoriesBody } }, async (request, reply) => {
    toTrajectoryOptions(request.body);
    const worker = await findWorkerBySession(request.body.session_id, reply, context.pool);
    return forwardTo(context.pool, worker, request, reply, { body: request.body });
  });
  app.post("/export_batch", { schema: { body: batchBody } }, async (request, reply) => {
    toBatchOptions(request.body);
    toShards(request.body);
    const { run_id: _, x_session_ids: _names, ...body } = await selectSessions(request.body, listRun(request));
    await refuseDuplicates(body.session_ids);
    const shares = await groupByWorker(body.session_ids, reply, context);
    const [first] = shares;
    // A worker's file in shared memory may be on another machine.
    if (first && shares.length === 1 && body.transport === "body") {
      const toLossError = () => unreachableSessions(first.sessionIds);
      return forwardTo(context.pool, first.worker, request, reply, { body, toLossError });
    }
    if (body.shard_by === "workers") return exportWorkerShard(context, shares, request, reply, body);
    return exportPacked(context, shares, request, reply, toDelivery(body, context.sharedMemory.machine));
  });
  app.post("/export_sessions", { schema: { body: sessionsBody } }, async (request, reply) => {
    const { run_id: _, x_session_ids: _names, ...body } = await selectSessions(request.body, listRun(request));
    const { session_ids: ids, split, wait_seconds, drain_seconds } = body;
    await refuseDuplicates(ids);
    const shares = await groupByWorker(ids, reply, context);
    const [first] = shares;
    if (first && shares.length === 1) {
      const toLossError = () => unreachableSessions(first.sessionIds);
      return forwardTo(context.pool, first.worker, request, reply, { body, toLossError });
    }
    const { pool, upstream } = context;
    const options = { pool, upstream, shares, headers: pickCredentials(request), signal: disconnectSignal(reply) };
    await new BatchExport(options).waitUntilReady({ split, wait_seconds, drain_seconds });
    const chunks = await exportWorkerSessions(ids, shares, { ...options, fields: { split, drain_seconds } });
    return reply.type(SESSIONS_FILE).send(Readable.from(chunks, { objectMode: false }));
  });
  app.delete("/export_batch/:id", { schema: { params: z.object({ id: z.string() }) } }, async (request, reply) => {
    const { id } = request.params;
    const hadFile = context.sharedExports.acknowledge(id);
    if (!id.startsWith(FILE_ID)) await acknowledge(context, id, pickCredentials(request), disconnectSignal(reply));
    else if (!hadFile) throw batchNotFound(id);
    return { id };
  });
}

/** Passes on a shard that one of the workers packs from its own sessions. */
async function exportWorkerShard(
  { pool, upstream }: GatewayExportContext,
  shares: readonly WorkerShare[],
  request: FastifyRequest,
  reply: FastifyReply,
  body: BatchRequest,
): Promise<FastifyReply> {
  const { session_ids: sessionIds, split, wait_seconds, drain_seconds, shards, shard = 0, acknowledge: held } = body;
  // Readers order sessions as they like, but each must get another shard.
  const ordered = shares.toSorted((a, b) => (a.worker.tag < b.worker.tag ? -1 : 1));
  const headers = pickCredentials(request);
  const job = new ShardExport({ pool, upstream, shares: ordered, headers, signal: disconnectSignal(reply) });
  const tags = ordered.map(({ worker }) => worker.tag);
  const { id, stream } = await job.open({
    sessionIds,
    options: pickOptions(body),
    waits: { split, wait_seconds, drain_seconds },
    shards,
    shard,
    readerHosts: body.reader_hosts?.length === shards ? body.reader_hosts : undefined,
    toTransport: (machine) => {
      const { transport, reader_pid, lease_seconds } = toDelivery(body, machine);
      return { transport, reader_pid, lease_seconds };
    },
    newId: (owner) => newBatchId(held ? tags : [owner.worker.tag]),
    leaseSeconds: held ? body.lease_seconds : undefined,
  });
  onResponseClose(reply, (complete) => {
    if (!complete) void job.withdraw(id);
  });
  const { "content-type": type, "content-length": length } = stream.headers;
  if (held) void reply.header(EXPORT_ID, id);
  if (length !== undefined) void reply.header("content-length", length);
  return reply.type(type ?? SAFETENSORS).send(stream.body);
}

/** Packs the sessions of all workers, as a server packs its own. */
async function exportPacked(
  { pool, upstream, metrics, sharedMemory, sharedExports }: GatewayExportContext,
  shares: readonly WorkerShare[],
  request: FastifyRequest,
  reply: FastifyReply,
  body: BatchRequest,
): Promise<FastifyReply> {
  const { session_ids, split, wait_seconds, drain_seconds, shard } = body;
  const options = toBatchOptions(body);
  const shards = toShards(body);
  const memory = body.transport === "shm" ? sharedMemory.pool : "heap";
  const headers = pickCredentials(request);
  const job = new BatchExport({ pool, upstream, shares, headers, signal: disconnectSignal(reply) });
  await job.waitUntilReady({ split, wait_seconds, drain_seconds });
  let summary: ExportSummary | undefined;
  const onPlanned = (planned: ExportSummary) => (summary = planned);
  const tags = shares.map(({ worker }) => worker.tag);
  const newId = () => (body.acknowledge ? newBatchId(tags) : FILE_ID + randomUUID());
  const pack: PackSessions = async (sessions, origin) => {
    const work = () => packShards(sessions, options, shards, { memory, origin, onPlanned });
    return nameBatches(await metrics.exports.time(work), body, newId);
  };
  const fields = { split, drain_seconds, ...(shard === undefined ? {} : shards) };
  const packed = await job.export(session_ids, fields, pack, body.acknowledge ? body.lease_seconds : undefined);
  // Every rank exports one shard, and each summary is that of the whole batch. Count it once.
  if (summary && (shard ?? 0) === 0) metrics.exports.count(summary);
  if (body.acknowledge) {
    onResponseClose(reply, (complete) => {
      if (!complete) void job.withdraw(packed.map(({ id }) => id));
    });
  }
  return answerBatches(packed, body, reply, { sharedExports, metrics });
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
