import { Readable } from "node:stream";
import { z } from "zod";
import {
  EXPORT_ID,
  exportRuleFields,
  holdSeconds,
  leaseSeconds,
  refuseDuplicates,
  sessionIds,
} from "../../admin-api/batch-request.js";
import { SESSIONS_FILE } from "../../admin-api/sessions-request.js";
import type { App } from "../../http/app-type.js";
import { controlBody } from "../../http/control-body.js";
import { disconnectSignal, onResponseClose } from "../../http/disconnect.js";
import { ApiError } from "../../http/errors.js";
import { shardFields } from "../../session/batch/batch-options.js";
import type { PreparedExport } from "../../session/export/exporter.js";
import { writeSessions } from "../../session/stored/file/write-sessions.js";
import { MAX_BATCH_ID } from "../../session/worker-tag.js";
import type { ExportServices } from "../services.js";
import { toExportRules } from "./export-rules.js";
import { prepareShard } from "./prepared-shard.js";

const prepareBody = controlBody({
  session_ids: sessionIds,
  ...shardFields,
  ...exportRuleFields,
  hold_seconds: holdSeconds,
});

const readyAnswer = z.object({
  sessions: z.int(),
  machine: z.string().optional().describe("The machine of files in shared memory, as in `reader_hosts`."),
  model: z.string(),
  model_digest: z.string(),
});

const heldExport = z.object({
  id: z.string().max(MAX_BATCH_ID),
  shards: shardFields.shards,
  shard: shardFields.shard.default(0),
});

/**
 * The sessions of one worker in a batch of several workers, in three calls: `ready` waits, `prepare` sends the records, `settle` marks
 * the sessions as exported. A gateway settles only when it has packed the batch. If a worker packs it, `prepare_shard` replaces `prepare`.
 */
export function preparedExportRoutes(app: App, services: ExportServices): void {
  ready(app, services);
  prepare(app, services);
  prepareShard(app, services);
  settle(app, services);
}

function ready(app: App, services: ExportServices): void {
  app.post(
    "/export_batch/ready",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: {
        summary: "Wait until sessions can be exported; returns the same errors as the export",
        body: controlBody({ session_ids: sessionIds, ...exportRuleFields }),
        response: { 200: readyAnswer },
      },
    },
    async ({ body }, reply) => {
      const rules = toExportRules(body, services, disconnectSignal(reply));
      const sessions = (await services.exporter.ready(body.session_ids, rules)).length;
      const { model, modelDigest } = services.origin;
      return { sessions, machine: services.sharedMemory.machine, model, model_digest: modelDigest };
    },
  );
}

function prepare(app: App, services: ExportServices): void {
  app.post(
    "/export_batch/prepare",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: {
        summary: "The records of sessions for a batch; the sessions are exported once it is settled",
        body: prepareBody,
      },
    },
    async ({ body }, reply) => {
      const { exporter, origin, preparedExports } = services;
      await refuseDuplicates(body.session_ids);
      const { session_ids, shards, shard, hold_seconds } = body;
      const rules = toExportRules(body, services, disconnectSignal(reply));
      const part = shard === undefined ? undefined : { shards, shard };
      const prepared = await exporter.prepare(session_ids, rules, () => Promise.resolve(), part);
      const file = Readable.from(writeSessions(prepared.sessions, origin, { forBatch: true }), { objectMode: false });
      const id = preparedExports.hold(
        { ...prepared, settle: afterReading(file, prepared.settle) },
        hold_seconds * 1000,
      );
      onResponseClose(reply, (complete) => {
        if (!complete) preparedExports.settle(id, "left");
      });
      // If this answer is cut, the export is not settled, so no session is lost.
      return reply.type(SESSIONS_FILE).header(EXPORT_ID, id).send(file);
    },
  );
}

/** Returns a function that settles the export once the file reads no more sessions. Settling earlier could free them. */
function afterReading(file: Readable, settle: PreparedExport<unknown>["settle"]): PreparedExport<unknown>["settle"] {
  return (outcome) => {
    if (file.closed) return settle(outcome);
    file.once("close", () => settle(outcome)).destroy();
  };
}

function settle(app: App, { preparedExports, exportLeases, sharedExports }: ExportServices): void {
  app.post(
    "/export_batch/:id/settle",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: {
        summary: "Finish or drop a prepared export",
        params: z.object({ id: z.string() }),
        body: controlBody({
          outcome: z
            .enum(["taken", "held", "left"])
            .describe(
              "`taken`: the sessions are exported. `held`: they are kept until `exports` are acknowledged. `left`: they stay as they were. A `held` export can still be `taken` or `left`.",
            ),
          exports: z
            .array(heldExport)
            .min(1)
            .max(4096)
            .optional()
            .describe(
              "With `held`: the batches to acknowledge, which may be shards. Default: one with the id of this export.",
            ),
          lease_seconds: leaseSeconds,
        }),
        response: { 200: z.object({ id: z.string() }) },
      },
    },
    async ({ params: { id }, body: { outcome, exports, lease_seconds } }) => {
      const prepared = preparedExports.settle(id, outcome);
      if (outcome === "left") sharedExports.withdraw(id);
      if (prepared && outcome === "held") {
        const milliseconds = lease_seconds * 1000;
        for (const { id: batchId, ...part } of exports ?? [{ id, shards: 1, shard: 0 }])
          exportLeases.grant(prepared.sessions, { milliseconds, id: batchId, part });
      }
      const isLease = !prepared && outcome !== "held";
      if (prepared || (isLease && (outcome === "taken" ? exportLeases.take(id) : exportLeases.withdraw(id))))
        return { id };
      const message = `Prepared export "${id.slice(0, 100)}" does not exist: it was settled or held longer than \`hold_seconds\`.`;
      throw new ApiError("batch_not_found", message);
    },
  );
}
