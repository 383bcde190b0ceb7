import type { FastifyReply } from "fastify";
import { z } from "zod";
import { type BatchRequest, batchBody, refuseDuplicates, toBatchOptions } from "../../control/batch-request.js";
import { toTrajectoryOptions, trajectoriesBody } from "../../control/trajectories-request.js";
import type { App } from "../../http/app-type.js";
import { disconnectSignal, onResponseClose } from "../../http/disconnect.js";
import { ApiError } from "../../http/errors.js";
import { type Batch, packBatch, packShards, type ShardOptions } from "../../session/batch/batch.js";
import type { ExportSummary } from "../../session/batch/batch-metadata.js";
import { batchOptionsSchema } from "../../session/batch/batch-options.js";
import { packTrajectories } from "../../session/batch/trajectories.js";
import type { Session } from "../../session/session.js";
import type { ServerContext } from "../context.js";
import { sendBatch, toWaits } from "./export-answer.js";

const sharedAnswer = z.object({
  id: z.string().describe("For DELETE /export_batch/{id}."),
  path: z.string(),
  byte_length: z.int(),
});

const shardsAnswer = z.object({ shards: z.array(sharedAnswer) });

/** Training data out: one session for its reader, or many in one block for a trainer. */
export function exportRoutes(app: App, context: ServerContext): void {
  exportTrajectories(app, context);
  exportBatch(app, context);
  acknowledgeBatch(app, context);
}

function exportTrajectories(app: App, context: ServerContext): void {
  app.post(
    "/export_trajectories",
    {
      config: { key: "admin" },
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
        return sendBatch([batch], reply, context);
      }
      const includeMessages = body.include.includes("messages");
      const json = await exporter.one(body.session_id, waits, (session) =>
        metrics.timeExport(() =>
          packTrajectories(session, { ...pack, includeMessages, model: origin.model, onPlanned }),
        ),
      );
      metrics.exportBytes.inc(json.length);
      return reply.type("application/json").send(json);
    },
  );
}

function exportBatch(app: App, context: ServerContext): void {
  app.post(
    "/export_batch",
    {
      config: { key: "admin" },
      schema: { summary: "Many sessions as one safetensors batch", body: batchBody },
    },
    async ({ body }, reply) => {
      refuseDuplicates(body.session_ids);
      const options = toBatchOptions(body);
      const shards = toShards(body);
      const waits = toWaits(body, context, disconnectSignal(reply));
      const memory = body.transport === "shm" ? context.sharedMemory.pool : "heap";
      const { metrics, origin } = context;
      let summary: ExportSummary | undefined;
      const onPlanned = (planned: ExportSummary) => (summary = planned);
      const pack = (sessions: Session[]) =>
        metrics.timeExport(() => packShards(sessions, options, shards, { memory, origin, onPlanned }));
      const { shard } = shards;
      const part = shard === undefined ? undefined : { shards: shards.shards, shard };
      const batches = await context.exporter.all(body.session_ids, waits, pack, part);
      // Each rank's summary is that of the whole batch: one of them counts.
      if (summary && (shard ?? 0) === 0) metrics.countExport(summary);
      return body.transport === "shm" ? sendPaths(batches, body, reply, context) : sendBatch(batches, reply, context);
    },
  );
}

function acknowledgeBatch(app: App, { sharedExports }: ServerContext): void {
  app.delete(
    "/export_batch/:id",
    {
      config: { key: "admin" },
      schema: {
        summary: "Acknowledge a batch in shared memory: its file may serve another one",
        params: z.object({ id: z.string() }),
        response: { 200: z.object({ id: z.string() }) },
      },
    },
    async ({ params }) => {
      if (sharedExports.acknowledge(params.id)) return { id: params.id };
      throw new ApiError("batch_not_found", "There is no such batch: acknowledged before, or its lease is over.");
    },
  );
}

/** Lends the files to their readers. Nobody hears of those whose asker has gone: their room is had back at once. */
function sendPaths(
  batches: readonly Batch[],
  body: BatchRequest,
  reply: FastifyReply,
  context: ServerContext,
): FastifyReply {
  const files: z.input<typeof sharedAnswer>[] = batches.map((batch) => {
    context.metrics.exportBytes.inc(batch.byteLength);
    const { id } = context.sharedExports.lend(batch, body.lease_seconds * 1000, body.reader_pid);
    return { id, path: batch.path ?? "", byte_length: batch.byteLength };
  });
  onResponseClose(reply, (whole) => {
    if (!whole) for (const { id } of files) context.sharedExports.withdraw(id);
  });
  const answer: z.input<typeof shardsAnswer> = { shards: files };
  return reply.send(body.shards === 1 || body.shard !== undefined ? files[0] : answer);
}

function toShards({ shards, shard, transport }: BatchRequest): ShardOptions {
  if (shard !== undefined && shard >= shards) {
    throw new ApiError("invalid_value", `shard ${shard} is not one of ${shards}: they are counted from 0.`, {
      param: "shard",
    });
  }
  if (transport === "body" && shards > 1 && shard === undefined) {
    throw new ApiError("invalid_value", "One body holds one shard: say which, or ask for transport shm.", {
      param: "shard",
    });
  }
  return { shards, shard };
}
