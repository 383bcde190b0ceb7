import { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { SAFETENSORS } from "../../control/batch-request.js";
import { noteExport } from "../../http/connections/answer.js";
import { onResponseClose } from "../../http/disconnect.js";
import { growSendBuffer } from "../../http/send-buffer.js";
import { type Batch, LARGE_BATCH } from "../../session/batch/batch.js";
import { BatchParts } from "../../session/batch/batch-parts.js";
import type { ExportWaits } from "../../session/export/exporter.js";
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
 * @param complete resolves when the batch is packed and its sessions are settled. Until then, its end is not sent
 */
export function sendBatch(
  [batch]: readonly Batch[],
  sessionIds: readonly string[],
  reply: FastifyReply,
  { metrics }: ServerContext,
  complete: Promise<unknown> = Promise.resolve(),
): FastifyReply {
  if (!batch) throw new RangeError("The export has no batch to send.");
  metrics.exportBytes.inc(batch.byteLength);
  noteExport(reply, sessionIds);
  void reply.type(SAFETENSORS);
  if (batch.byteLength >= LARGE_BATCH && canSendParts(reply)) {
    growSendBuffer(reply.request.raw.socket);
    const parts = new BatchParts(batch, complete);
    onResponseClose(reply, () => {
      parts.close();
      batch.release();
    });
    return reply.header("content-length", batch.byteLength).send(parts);
  }
  const { buffer, byteOffset, byteLength } = batch.bytes;
  onResponseClose(reply, () => batch.release());
  return reply.send(Buffer.from(buffer, byteOffset, byteLength));
}

/** Returns true if the client is a socket. An in-process client keeps the parts instead of copying them, so it needs one lasting view. */
export function canSendParts(reply: FastifyReply): boolean {
  return reply.request.raw.socket instanceof Socket;
}
