import { z } from "zod";
import {
  EXPORT_ID,
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
import type { ServerContext } from "../context.js";
import { sendBatch, toWaits } from "./export-answer.js";

const prepareBody = controlBody({
  session_ids: sessionIds,
  ...optionFields,
  ...waitFields,
  hold_seconds: waitSeconds.max(3600).default(60).describe("Without a word for so long, nothing was taken."),
});

/** One server's part of a batch over several: all of them pack, and only when all have, each takes its sessions. */
export function preparedExportRoutes(app: App, context: ServerContext): void {
  ready(app, context);
  prepare(app, context);
  settle(app, context);
}

function ready(app: App, context: ServerContext): void {
  app.post(
    "/export_batch/ready",
    {
      config: { key: "admin" },
      schema: {
        summary: "Wait until sessions can be exported; refuses as the export would",
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
      config: { key: "admin" },
      schema: { summary: "As /export_batch, but no session is taken until that is settled", body: prepareBody },
    },
    async ({ body }, reply) => {
      refuseDuplicates(body.session_ids);
      const options = toBatchOptions(body);
      const waits = toWaits(body, context, disconnectSignal(reply));
      const { exporter, metrics, preparedExports } = context;
      const onPlanned = (summary: ExportSummary) => metrics.countExport(summary);
      const prepared = await exporter.prepare(body.session_ids, waits, (sessions) =>
        metrics.timeExport(() =>
          packShards(sessions, options, { shards: 1 }, { origin: context.origin, isPart: true, onPlanned }),
        ),
      );
      const id = preparedExports.hold(prepared, body.hold_seconds * 1000);
      onResponseClose(reply, (whole) => {
        if (!whole) preparedExports.settle(id, "left");
      });
      return sendBatch(prepared.packed, reply.header(EXPORT_ID, id), context);
    },
  );
}

function settle(app: App, { preparedExports }: ServerContext): void {
  app.post(
    "/export_batch/:id/settle",
    {
      config: { key: "admin" },
      schema: {
        summary: "Say whether a prepared export came about",
        params: z.object({ id: z.string() }),
        body: controlBody({ outcome: z.enum(["taken", "left"]) }),
        response: { 200: z.object({ id: z.string() }) },
      },
    },
    async ({ params: { id }, body: { outcome } }) => {
      if (preparedExports.settle(id, outcome)) return { id };
      throw new ApiError("batch_not_found", "There is no such export to be settled: settled before, or too late.");
    },
  );
}
