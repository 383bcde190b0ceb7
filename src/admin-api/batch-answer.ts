import { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { noteExport } from "../http/connections/http-answer.js";
import { onResponseClose } from "../http/disconnect.js";
import { growSendBuffer } from "../http/send-buffer.js";
import { type Batch, LARGE_BATCH } from "../session/batch/batch.js";
import { BatchParts } from "../session/batch/batch-parts.js";
import type { ExportedShard } from "../session/export/retention.js";
import type { SharedExports } from "../session/export/shared-exports.js";
import { type BatchRequest, EXPORT_ID, SAFETENSORS } from "./batch-request.js";
import type { ExportMetrics } from "./export-metrics.js";

const sharedAnswer = z.object({
  id: z.string().describe("Acknowledge the file with `DELETE /export_batch/{id}`."),
  path: z.string(),
  byte_length: z.int(),
});

const shardsAnswer = z.object({ shards: z.array(sharedAnswer) });

/** A packed batch and the id by which the client acknowledges it. */
export interface PackedExport {
  readonly id: string;
  readonly batch: Batch;
  readonly part: ExportedShard;
}

export interface AnswerContext {
  readonly sharedExports: SharedExports;
  readonly metrics: { readonly exports: ExportMetrics };
}

/** The fields of a request that decide its answer. */
export type AnswerRequest = Pick<
  BatchRequest,
  "transport" | "acknowledge" | "session_ids" | "shards" | "shard" | "lease_seconds" | "reader_pid"
>;

/** Returns the batches of a request with new ids. `batches` are all shards, or the one that the request names. */
export function nameBatches(batches: readonly Batch[], body: AnswerRequest, newId: () => string): PackedExport[] {
  const { shards, shard: first = 0 } = body;
  return batches.map((batch, index) => ({ id: newId(), batch, part: { shards, shard: first + index } }));
}

/** Sends the only batch, or the paths of batches in shared memory. If the client disconnects before it has the paths, the files are released. */
export function answerBatches(
  packed: readonly PackedExport[],
  body: AnswerRequest,
  reply: FastifyReply,
  context: AnswerContext,
): FastifyReply {
  const [first] = packed;
  if (!first) throw new RangeError("The export has no batch to send.");
  if (body.transport === "shm") return sendPaths(packed, body, reply, context);
  if (body.acknowledge) void reply.header(EXPORT_ID, first.id);
  return sendBatch(first.batch, body.session_ids, reply, context.metrics.exports);
}

function sendPaths(
  packed: readonly PackedExport[],
  { shards, shard, lease_seconds: seconds, reader_pid: readerPid }: AnswerRequest,
  reply: FastifyReply,
  { metrics, sharedExports }: AnswerContext,
): FastifyReply {
  const files = packed.map(({ id, batch }): z.input<typeof sharedAnswer> => {
    metrics.exports.bytes.inc(batch.byteLength);
    sharedExports.lend(id, batch, seconds * 1000, readerPid);
    return { id, path: batch.path ?? "", byte_length: batch.byteLength };
  });
  onResponseClose(reply, (complete) => {
    if (!complete) for (const { id } of files) sharedExports.withdraw(id);
  });
  const answer: z.input<typeof shardsAnswer> = { shards: files };
  return reply.send(shards === 1 || shard !== undefined ? files[0] : answer);
}

/**
 * Sends the batch without a copy. Its memory is freed when the last byte was sent or the client disconnected.
 *
 * @param sessionIds sessions that count as lost if the answer is cut
 * @param complete resolves when the batch is packed and its sessions are settled. Until then, its end is not sent
 */
export function sendBatch(
  batch: Batch,
  sessionIds: readonly string[],
  reply: FastifyReply,
  metrics: ExportMetrics,
  complete: Promise<unknown> = Promise.resolve(),
): FastifyReply {
  metrics.bytes.inc(batch.byteLength);
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
