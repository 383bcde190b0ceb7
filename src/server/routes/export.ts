import type { FastifyReply } from "fastify";
import { z } from "zod";
import {
  answerBatches,
  canSendParts,
  nameBatches,
  type PackedExport,
  sendBatch,
} from "../../admin-api/batch-answer.js";
import {
  type BatchRequest,
  batchBody,
  refuseDuplicates,
  toBatchOptions,
  toDelivery,
  toShards,
} from "../../admin-api/batch-request.js";
import { selectSessions } from "../../admin-api/run-sessions.js";
import { toTrajectoryOptions, trajectoriesBody } from "../../admin-api/trajectories-request.js";
import type { App } from "../../http/app-type.js";
import { noteExport } from "../../http/connections/http-answer.js";
import { disconnectSignal, onResponseClose } from "../../http/disconnect.js";
import { ApiError } from "../../http/errors.js";
import { type Batch, packBatch, packShards } from "../../session/batch/batch.js";
import type { ExportSummary } from "../../session/batch/batch-metadata.js";
import { batchOptionsSchema } from "../../session/batch/batch-options.js";
import { packTrajectories } from "../../session/batch/trajectories.js";
import type { Session } from "../../session/session.js";
import { newBatchId } from "../../session/worker-tag.js";
import { createDeferred } from "../../support/async/deferred.js";
import { eventLoop } from "../../support/async/event-loop.js";
import type { Slices } from "../../support/async/run-steps.js";
import type { Trace, TraceSteps } from "../../telemetry/trace.js";
import type { ExportServices } from "../services.js";
import { toExportRules } from "./export-rules.js";
import { listRun } from "./run-sessions.js";

/** Exports of training data: one session with its interactions, or many sessions as one batch. */
export function exportRoutes(app: App, services: ExportServices): void {
  exportTrajectories(app, services);
  exportBatch(app, services);
  acknowledgeBatch(app, services);
}

function exportTrajectories(app: App, services: ExportServices): void {
  app.post(
    "/export_trajectories",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: { summary: "One session's interactions with discounted rewards", body: trajectoriesBody },
    },
    async ({ body, trace }, reply) => {
      const { exporter, metrics, origin } = services;
      const steps = traceExport(trace, 1);
      const onPlanned = (summary: ExportSummary) => metrics.exports.count(summary);
      const pack = toTrajectoryOptions(body);
      const rules = toExportRules(body, services, disconnectSignal(reply));
      if (body.format === "safetensors") {
        const options = batchOptionsSchema.parse(pack);
        const batch = await exporter.one(body.session_id, rules, (session) => {
          steps?.enter("pack");
          return metrics.exports.time(() => packBatch([session], options, { origin, onPlanned }));
        });
        steps?.leave();
        return sendBatch(batch, [body.session_id], reply, metrics.exports);
      }
      const includeMessages = body.include.includes("messages");
      const json = await exporter.one(body.session_id, rules, (session) => {
        steps?.enter("pack");
        return metrics.exports.time(() =>
          packTrajectories(session, { ...pack, includeMessages, model: origin.model, onPlanned }),
        );
      });
      steps?.leave();
      metrics.exports.bytes.inc(json.length);
      noteExport(reply, [body.session_id]);
      return reply.type("application/json").send(json);
    },
  );
}

function exportBatch(app: App, services: ExportServices): void {
  app.post(
    "/export_batch",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: { summary: "Many sessions as one safetensors batch", body: batchBody },
    },
    async (request, reply) => {
      const selected = await selectSessions(request.body, (runId) => listRun(services.registry, runId));
      await refuseDuplicates(selected.session_ids);
      const options = toBatchOptions(selected);
      const shards = toShards(selected);
      const body = toDelivery(selected, services.sharedMemory.machine);
      const rules = toExportRules(body, services, disconnectSignal(reply));
      const memory = body.transport === "shm" ? services.sharedMemory.pool : "heap";
      const { metrics, origin } = services;
      let summary: ExportSummary | undefined;
      const onPlanned = (planned: ExportSummary) => (summary = planned);
      const sendsEarly = body.transport === "body" && !body.acknowledge && canSendParts(reply);
      const first = createDeferred<Batch>();
      const onFirstStripe = sendsEarly ? (batch: Batch) => first.resolve(batch) : undefined;
      const steps = traceExport(request.trace, body.session_ids.length);
      const pack = (sessions: Session[], slices: Slices) => {
        steps?.enter("pack");
        return metrics.exports.time(() =>
          packShards(sessions, options, shards, { memory, origin, slices, onPlanned, onFirstStripe }),
        );
      };
      const { shard } = shards;
      const part = shard === undefined ? undefined : { shards: shards.shards, shard };
      const exportAll = async () => {
        const { packed, sessions, settle } = await services.exporter.prepare(body.session_ids, rules, pack, part);
        steps?.leave();
        settle(body.acknowledge ? "held" : "taken");
        // Every rank exports one shard, and each summary is that of the whole batch. Count it once.
        if (summary && (shard ?? 0) === 0) metrics.exports.count(summary);
        return { batches: packed, sessions };
      };
      const exported = exportAll();
      const early = await Promise.race([first.promise, exported.then(() => undefined)]);
      if (early) return sendBatch(early, body.session_ids, reply, metrics.exports, untilStored(exported, services));
      const { batches, sessions } = await exported;
      const packed = nameBatches(batches, body, () => createBatchId(services.registry));
      if (body.acknowledge) grantLeases(packed, sessions, body, reply, services);
      return answerBatches(packed, body, reply, services);
    },
  );
}

/** Returns the steps of an export's span, of which the first waits for its sessions. */
function traceExport(trace: Trace | null, sessions: number): TraceSteps | undefined {
  trace?.set({ exportedSessions: sessions });
  const steps = trace?.steps();
  steps?.enter("wait");
  return steps;
}

/** Resolves when the sessions are exported and the export is on disk. Answers in one piece wait for the disk in plugins/storage.ts. */
async function untilStored(exported: Promise<unknown>, { registry }: ExportServices): Promise<void> {
  await exported;
  // Sealing many sessions takes some milliseconds, and sending goes on in the iteration of the event loop in which this resolves.
  await eventLoop.yield();
  await registry.flushed().catch(() => undefined);
}

function acknowledgeBatch(app: App, { sharedExports, exportLeases }: ExportServices): void {
  app.delete(
    "/export_batch/:id",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: {
        summary: "Acknowledge a batch, so that its sessions are freed and its file can be used again",
        params: z.object({ id: z.string() }),
        response: { 200: z.object({ id: z.string() }) },
      },
    },
    async ({ params }) => {
      const hadFile = sharedExports.acknowledge(params.id);
      const acknowledgement = exportLeases.acknowledge(params.id);
      const id = params.id.slice(0, 100);
      if (acknowledgement === "ended") {
        const message = `The lease of batch "${id}" has ended, and its sessions can be exported again. Drop this batch.`;
        throw new ApiError("export_lease_ended", message);
      }
      if (hadFile || acknowledgement === "acknowledged") return { id: params.id };
      throw new ApiError(
        "batch_not_found",
        `Batch "${id}" does not exist, was acknowledged before, or its lease has ended.`,
      );
    },
  );
}

/** Grants leases until the batches are acknowledged. If the client disconnects before it has them, the leases end. */
function grantLeases(
  packed: readonly PackedExport[],
  sessions: readonly Session[],
  { lease_seconds, reader_pid: readerPid }: BatchRequest,
  reply: FastifyReply,
  { exportLeases }: ExportServices,
): void {
  const milliseconds = lease_seconds * 1000;
  for (const { id, part } of packed) exportLeases.grant(sessions, { milliseconds, readerPid, part, id });
  onResponseClose(reply, (complete) => {
    if (!complete) for (const { id } of packed) exportLeases.withdraw(id);
  });
}

/** Creates the id of a batch that has only sessions of this server. */
const createBatchId = ({ workerTag }: ExportServices["registry"]): string =>
  newBatchId(workerTag === undefined ? [] : [workerTag]);
