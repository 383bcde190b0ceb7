import type { FastifyReply } from "fastify";
import { type Batch } from "../../session/batch/batch.js";
import type { ExportWaits } from "../../session/exporter.js";
import type { ServerContext } from "../context.js";
/** @param signal aborts when the client disconnects */
export declare function toWaits(body: {
    wait_seconds: number;
    drain_seconds?: number | undefined;
}, { settings, shutdown }: ServerContext, signal: AbortSignal): ExportWaits;
/**
 * Sends the batch without a copy. Its memory is freed when the last byte was sent or the client disconnected.
 *
 * @param sessionIds sessions that count as lost if the answer is cut
 * @param complete resolves when the batch is packed and its sessions are settled. Until then, only its first part is sent
 */
export declare function sendBatch([batch]: readonly Batch[], sessionIds: readonly string[], reply: FastifyReply, { metrics }: ServerContext, complete?: Promise<unknown>): FastifyReply;
/** Returns true if the client is a socket. An in-process client keeps the parts instead of copying them, so it needs one lasting view. */
export declare function canSendParts(reply: FastifyReply): boolean;
