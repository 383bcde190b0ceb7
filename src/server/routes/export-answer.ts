import type { FastifyReply } from "fastify";
import { SAFETENSORS } from "../../control/batch-request.js";
import { onResponseClose } from "../../http/disconnect.js";
import type { Batch } from "../../session/batch/batch.js";
import type { ExportWaits } from "../../session/exporter.js";
import type { ServerContext } from "../context.js";

export function toWaits(
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

/** Sends the block itself; it is freed when the last byte is out or the reader has gone. */
export function sendBatch([batch]: readonly Batch[], reply: FastifyReply, { metrics }: ServerContext): FastifyReply {
  if (!batch) throw new RangeError("there is no batch to send");
  metrics.exportBytes.inc(batch.byteLength);
  const { buffer, byteOffset, byteLength } = batch.bytes;
  const block = Buffer.from(buffer, byteOffset, byteLength);
  onResponseClose(reply, () => batch.release());
  return reply.type(SAFETENSORS).send(block);
}
