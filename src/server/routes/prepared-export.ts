import { z } from "zod";
import {
  EXPORT_ID,
  leaseSeconds,
  optionFields,
  refuseDuplicates,
  sessionIds,
  toBatchOptions,
  waitFields,
  waitSeconds,
} from "../../control/batch-request.js";
import type { App } from "../../http/app-type.js";
import { controlBody } from "../../http/control-body.js";
import { disconnectSignal, onResponseClose } from "../../http/disconnect.js";
import { ApiError } from "../../http/errors.js";
import { packShards } from "../../session/batch/batch.js";
import type { ExportSummary } from "../../session/batch/batch-metadata.js";
import { MAX_BATCH_ID } from "../../session/worker-tag.js";
import type { ServerContext } from "../context.js";
import { sendBatch, toWaits } from "./export-answer.js";

const prepareBody = controlBody({
  session_ids: sessionIds,
  ...optionFields,
  ...waitFields,
  hold_seconds: waitSeconds
    .max(3600)
    .default(60)
    .describe("Time after which an unsettled export is dropped; its sessions are then not exported."),
});

/**
 * One worker's part of a batch over several workers, in three calls by a gateway: `ready` waits, `prepare` packs, `settle`
 * marks the sessions as exported. The gateway settles only when all workers have packed.
 */
export function preparedExportRoutes(app: App, context: ServerContext): void {
  ready(app, context);
  prepare(app, context);
  settle(app, context);
}

function ready(app: App, context: ServerContext): void {
  app.post(
    "/export_batch/ready",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: {
        summary: "Wait until sessions can be exported; returns the same errors as the export",
        body: controlBody({ session_ids: sessionIds, ...waitFields }),
        response: { 200: z.object({ sessions: z.int() }) },
      },
    },
    async ({ body }, reply) => {
      const waits = toWaits(body, context, disconnectSignal(reply));
      return { sessions: (await context.exporter.ready(body.session_ids, waits)).length };
    },
  );
}

function prepare(app: App, context: ServerContext): void {
  app.post(
    "/export_batch/prepare",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: {
        summary: "Export a batch like /export_batch; its sessions are exported once it is settled",
        body: prepareBody,
      },
    },
    async ({ body }, reply) => {
      await refuseDuplicates(body.session_ids);
      const options = toBatchOptions(body);
      const waits = toWaits(body, context, disconnectSignal(reply));
      const { exporter, metrics, preparedExports } = context;
      const onPlanned = (summary: ExportSummary) => metrics.countExport(summary);
      const prepared = await exporter.prepare(body.session_ids, waits, (sessions, slices) =>
        metrics.timeExport(() =>
          packShards(sessions, options, { shards: 1 }, { origin: context.origin, isPart: true, slices, onPlanned }),
        ),
      );
      const id = preparedExports.hold(prepared, body.hold_seconds * 1000);
      onResponseClose(reply, (complete) => {
        if (!complete) preparedExports.settle(id, "left");
      });
      // If this answer is cut, the export is not settled, so no session is lost.
      return sendBatch(prepared.packed, [], reply.header(EXPORT_ID, id), context);
    },
  );
}

function settle(app: App, { preparedExports, exportLeases }: ServerContext): void {
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
              "`taken`: the sessions are exported. `held`: they are kept until `export_id` is acknowledged. `left`: they stay as they were; this also ends the lease of a `held` export.",
            ),
          export_id: z.string().max(MAX_BATCH_ID).optional().describe("With `held`: the id of the whole batch."),
          lease_seconds: leaseSeconds,
        }),
        response: { 200: z.object({ id: z.string() }) },
      },
    },
    async ({ params: { id }, body: { outcome, export_id: exportId, lease_seconds } }) => {
      const prepared = preparedExports.settle(id, outcome);
      if (prepared && outcome === "held") {
        exportLeases.grant(prepared.sessions, { milliseconds: lease_seconds * 1000, id: exportId ?? id });
      }
      if (prepared || (outcome === "left" && exportLeases.withdraw(id))) return { id };
      const message = `Prepared export "${id.slice(0, 100)}" does not exist: it was settled or held longer than \`hold_seconds\`.`;
      throw new ApiError("batch_not_found", message);
    },
  );
}
