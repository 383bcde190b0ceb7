import { z } from "zod";
import { listOf } from "../../conversation/list-of.js";
import { type Batch, packBatch } from "../../session/batch.js";
import { batchFields, batchOptionsSchema, exportFields } from "../../session/batch-options.js";
import type { ExportWaits } from "../../session/exporter.js";
import { packTrajectories } from "../../session/trajectories.js";
import type { App } from "../app-type.js";
import type { ServerContext } from "../context.js";
import { disconnectSignal } from "../disconnect.js";
import { ApiError } from "../errors.js";

const SAFETENSORS = "application/vnd.safetensors";
const MAX_WAIT_SECONDS = 86_400;

const waitSeconds = z.number().min(0).max(MAX_WAIT_SECONDS);
const waitFields = {
  wait_seconds: waitSeconds.default(0).describe("How long to wait for sessions that are still active."),
  drain_seconds: waitSeconds.optional().describe("How long to wait for calls in flight of ended sessions."),
};

const trajectoriesBody = z.object({
  session_id: z.string(),
  style: exportFields.style,
  discount: exportFields.discount,
  on_mismatch: exportFields.onMismatch,
  format: z.enum(["json", "safetensors"]).default("json"),
  include: z
    .array(z.enum(["messages"]))
    .default([])
    .describe("messages: adds the untrusted texts."),
  ...waitFields,
});

const batchBody = z.object({
  session_ids: listOf(z.string(), { min: 1, max: 100_000 }),
  style: batchFields.style,
  discount: batchFields.discount,
  on_mismatch: batchFields.onMismatch,
  layout: batchFields.layout,
  pad_token_id: batchFields.padTokenId,
  pad_side: batchFields.padSide,
  pad_to_multiple_of: batchFields.padToMultipleOf,
  max_length: batchFields.maxLength,
  overflow: batchFields.overflow,
  transport: z.enum(["body"]).default("body"),
  ...waitFields,
});

/** Training data out: one session for its reader, or many in one block for a trainer. */
export function exportRoutes(app: App, context: ServerContext): void {
  const { exporter, metrics } = context;

  app.post(
    "/export_trajectories",
    {
      config: { key: "admin" },
      schema: { summary: "One session's interactions with discounted rewards", body: trajectoriesBody },
    },
    async (request, reply) => {
      const { body } = request;
      const pack = { style: body.style, discount: body.discount, onMismatch: body.on_mismatch };
      const waits = toWaits(body, context, disconnectSignal(reply));
      if (body.format === "safetensors") {
        const options = batchOptionsSchema.parse(pack);
        const batch = await exporter.one(body.session_id, waits, (session) =>
          timed(() => packBatch([session], options)),
        );
        return sendBatch(batch, reply);
      }
      const includeMessages = body.include.includes("messages");
      const json = await exporter.one(body.session_id, waits, (session) =>
        timed(() => packTrajectories(session, { ...pack, includeMessages })),
      );
      metrics.exportBytes.inc(json.length);
      return reply.type("application/json").send(json);
    },
  );

  app.post(
    "/export_batch",
    {
      config: { key: "admin" },
      schema: { summary: "Many sessions as one safetensors batch", body: batchBody },
    },
    async (request, reply) => {
      const { body } = request;
      refuseDuplicates(body.session_ids);
      const options = batchOptionsSchema.parse({
        style: body.style,
        discount: body.discount,
        onMismatch: body.on_mismatch,
        layout: body.layout,
        padTokenId: body.pad_token_id,
        padSide: body.pad_side,
        padToMultipleOf: body.pad_to_multiple_of,
        maxLength: body.max_length,
        overflow: body.overflow,
      });
      const waits = toWaits(body, context, disconnectSignal(reply));
      const batch = await exporter.all(body.session_ids, waits, (sessions) =>
        timed(() => packBatch(sessions, options)),
      );
      return sendBatch(batch, reply);
    },
  );

  async function timed<T>(pack: () => Promise<T>): Promise<T> {
    const stop = metrics.exportSeconds.startTimer();
    try {
      return await pack();
    } finally {
      stop();
    }
  }

  /** Sends the block itself; it is freed when the last byte is out or the reader has gone. */
  function sendBatch(batch: Batch, reply: Parameters<typeof disconnectSignal>[0]) {
    metrics.exportBytes.inc(batch.bytes.byteLength);
    reply.raw.once("close", () => batch.release());
    const { buffer, byteOffset, byteLength } = batch.bytes;
    return reply.type(SAFETENSORS).send(Buffer.from(buffer, byteOffset, byteLength));
  }
}

function toWaits(
  body: { wait_seconds: number; drain_seconds?: number | undefined },
  { settings, shutdown }: ServerContext,
  signal: AbortSignal,
): ExportWaits {
  return {
    waitMilliseconds: body.wait_seconds * 1000,
    drainMilliseconds: (body.drain_seconds ?? settings.drainSeconds) * 1000,
    signal: AbortSignal.any([signal, shutdown.signal]),
  };
}

function refuseDuplicates(ids: readonly string[]): void {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) {
      throw new ApiError("invalid_value", `session_ids names "${id.slice(0, 200)}" twice.`, { param: "session_ids" });
    }
    seen.add(id);
  }
}
