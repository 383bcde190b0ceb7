import type { FastifyReply } from "fastify";
import { SAFETENSORS } from "../../control/batch-request.js";
import { noteExport } from "../../http/connections/answer.js";
import { onResponseClose } from "../../http/disconnect.js";
import type { Batch } from "../../session/batch/batch.js";
import type { ExportWaits } from "../../session/exporter.js";
import type { ServerContext } from "../context.js";

/** @param signal aborts when the client disconnects */
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

/**
 * Sends the batch without a copy. Its memory is freed when the last byte was sent or the client disconnected.
 *
 * @param sessionIds sessions that count as lost if the answer is cut
 */
export function sendBatch(
  [batch]: readonly Batch[],
  sessionIds: readonly string[],
  reply: FastifyReply,
  { metrics }: ServerContext,
): FastifyReply {
  if (!batch) throw new RangeError("The export has no batch to send.");
  metrics.exportBytes.inc(batch.byteLength);
  const { buffer, byteOffset, byteLength } = batch.bytes;
  const block = Buffer.from(buffer, byteOffset, byteLength);
  onResponseClose(reply, () => batch.release());
  noteExport(reply, sessionIds);
  return reply.type(SAFETENSORS).send(block);
}
