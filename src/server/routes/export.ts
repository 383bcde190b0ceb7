import type { FastifyReply } from "fastify";
import { z } from "zod";
import {
  type BatchRequest,
  batchBody,
  EXPORT_ID,
  refuseDuplicates,
  toBatchOptions,
} from "../../control/batch-request.js";
import { toTrajectoryOptions, trajectoriesBody } from "../../control/trajectories-request.js";
import type { App } from "../../http/app-type.js";
import { noteExport } from "../../http/connections/answer.js";
import { disconnectSignal, onResponseClose } from "../../http/disconnect.js";
import { ApiError } from "../../http/errors.js";
import { type Batch, packBatch, packShards, type ShardOptions } from "../../session/batch/batch.js";
import type { ExportSummary } from "../../session/batch/batch-metadata.js";
import { batchOptionsSchema } from "../../session/batch/batch-options.js";
import { packTrajectories } from "../../session/batch/trajectories.js";
import type { ExportedShard } from "../../session/export/retention.js";
import type { Session } from "../../session/session.js";
import { newBatchId } from "../../session/worker-tag.js";
import { createDeferred } from "../../support/async/deferred.js";
import type { Slices } from "../../support/async/run-steps.js";
import { turns } from "../../support/async/turns.js";
import type { ServerContext } from "../context.js";
import { canSendParts, sendBatch, toWaits } from "./export-answer.js";

const sharedAnswer = z.object({
  id: z.string().describe("Acknowledge the file with `DELETE /export_batch/{id}`."),
  path: z.string(),
  byte_length: z.int(),
});

const shardsAnswer = z.object({ shards: z.array(sharedAnswer) });

/** Exports of training data: one session with its interactions, or many sessions as one batch. */
export function exportRoutes(app: App, context: ServerContext): void {
  exportTrajectories(app, context);
  exportBatch(app, context);
  acknowledgeBatch(app, context);
}

function exportTrajectories(app: App, context: ServerContext): void {
  app.post(
    "/export_trajectories",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: { summary: "One session's interactions with discounted rewards", body: trajectoriesBody },
    },
    async ({ body }, reply) => {
      const { exporter, metrics, origin } = context;
      const onPlanned = (summary: ExportSummary) => metrics.countExport(summary);
      const pack = toTrajectoryOptions(body);
      const waits = toWaits(body, context, disconnectSignal(reply));
      if (body.format === "safetensors") {
        const options = batchOptionsSchema.parse(pack);
        const batch = await exporter.one(body.session_id, waits, (session) =>
          metrics.timeExport(() => packBatch([session], options, { origin, onPlanned })),
        );
        return sendBatch([batch], [body.session_id], reply, context);
      }
      const includeMessages = body.include.includes("messages");
      const json = await exporter.one(body.session_id, waits, (session) =>
        metrics.timeExport(() =>
          packTrajectories(session, { ...pack, includeMessages, model: origin.model, onPlanned }),
        ),
      );
      metrics.exportBytes.inc(json.length);
      noteExport(reply, [body.session_id]);
      return reply.type("application/json").send(json);
    },
  );
}

function exportBatch(app: App, context: ServerContext): void {
  app.post(
    "/export_batch",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: { summary: "Many sessions as one safetensors batch", body: batchBody },
    },
    async ({ body }, reply) => {
      await refuseDuplicates(body.session_ids);
      const options = toBatchOptions(body);
      const shards = toShards(body);
      const waits = toWaits(body, context, disconnectSignal(reply));
      const memory = body.transport === "shm" ? context.sharedMemory.pool : "heap";
      const { metrics, origin } = context;
      let summary: ExportSummary | undefined;
      const onPlanned = (planned: ExportSummary) => (summary = planned);
      const sendsEarly = body.transport === "body" && !body.acknowledge && canSendParts(reply);
      const first = createDeferred<Batch>();
      const onFirstStripe = sendsEarly ? (batch: Batch) => first.resolve(batch) : undefined;
      const pack = (sessions: Session[], slices: Slices) =>
        metrics.timeExport(() =>
          packShards(sessions, options, shards, { memory, origin, slices, onPlanned, onFirstStripe }),
        );
      const { shard } = shards;
      const part = shard === undefined ? undefined : { shards: shards.shards, shard };
      const exportAll = async () => {
        const { packed, sessions, settle } = await context.exporter.prepare(body.session_ids, waits, pack, part);
        settle(body.acknowledge ? "held" : "taken");
        // Every rank exports one shard, and each summary is that of the whole batch. Count it once.
        if (summary && (shard ?? 0) === 0) metrics.countExport(summary);
        return { batches: packed, sessions };
      };
      const exported = exportAll();
      const early = await Promise.race([first.promise, exported.then(() => undefined)]);
      if (early) return sendBatch([early], body.session_ids, reply, context, untilStored(exported, context));
      const { batches, sessions } = await exported;
      if (body.transport === "shm") return sendPaths(batches, sessions, body, reply, context);
      if (body.acknowledge) holdUntilAcknowledged(sessions, part, body, reply, context);
      return sendBatch(batches, body.session_ids, reply, context);
    },
  );
}

/** Resolves when the sessions are exported and the export is on disk. Answers in one piece wait for the disk in plugins/storage.ts. */
async function untilStored(exported: Promise<unknown>, { registry }: ServerContext): Promise<void> {
  await exported;
  // Sealing many sessions takes some milliseconds, and sending goes on in the turn of the event loop in which this resolves.
  await turns.next();
  await registry.flushed().catch(() => undefined);
}

function acknowledgeBatch(app: App, { sharedExports, exportLeases }: ServerContext): void {
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

/** Grants a lease and adds its id to the headers. If the client disconnects before it has the batch, the lease ends. */
function holdUntilAcknowledged(
  sessions: readonly Session[],
  part: ExportedShard | undefined,
  { lease_seconds, reader_pid: readerPid }: BatchRequest,
  reply: FastifyReply,
  { exportLeases, registry }: ServerContext,
): void {
  const id = createBatchId(registry);
  exportLeases.grant(sessions, { milliseconds: lease_seconds * 1000, readerPid, part, id });
  void reply.header(EXPORT_ID, id);
  onResponseClose(reply, (complete) => {
    if (!complete) exportLeases.withdraw(id);
  });
}

/** Sends the paths of the files. If the client disconnects before it has them, the files are released immediately. */
function sendPaths(
  batches: readonly Batch[],
  sessions: readonly Session[],
  body: BatchRequest,
  reply: FastifyReply,
  { metrics, registry, sharedExports, exportLeases }: ServerContext,
): FastifyReply {
  const { shards, shard: first = 0, reader_pid: readerPid } = body;
  const milliseconds = body.lease_seconds * 1000;
  const files = batches.map((batch, index): z.input<typeof sharedAnswer> => {
    metrics.exportBytes.inc(batch.byteLength);
    const id = createBatchId(registry);
    sharedExports.lend(id, batch, milliseconds, readerPid);
    const part = { shards, shard: first + index };
    if (body.acknowledge) exportLeases.grant(sessions, { milliseconds, readerPid, part, id });
    return { id, path: batch.path ?? "", byte_length: batch.byteLength };
  });
  onResponseClose(reply, (complete) => {
    if (complete) return;
    for (const { id } of files) {
      sharedExports.withdraw(id);
      exportLeases.withdraw(id);
    }
  });
  const answer: z.input<typeof shardsAnswer> = { shards: files };
  return reply.send(shards === 1 || body.shard !== undefined ? files[0] : answer);
}

/** Creates the id of a batch that has only sessions of this server. */
const createBatchId = ({ workerTag }: ServerContext["registry"]): string =>
  newBatchId(workerTag === undefined ? [] : [workerTag]);

function toShards({ shards, shard, transport }: BatchRequest): ShardOptions {
  if (shard !== undefined && shard >= shards) {
    const message = `\`shard\` must be less than \`shards\` (${shards}); received ${shard}. The first shard is 0.`;
    throw new ApiError("invalid_value", message, { param: "shard" });
  }
  if (transport === "body" && shards > 1 && shard === undefined) {
    const message =
      `\`shard\` is required if \`transport\` is \`body\` and \`shards\` is ${shards}, because a response body holds one ` +
      "shard. Set `shard`, or use `transport: shm`.";
    throw new ApiError("invalid_value", message, { param: "shard" });
  }
  return { shards, shard };
}
