import type { FastifyReply } from "fastify";
import type { WeightUpdates } from "./weight-updates.js";
import type { WeightsRecord } from "./weights-schemas.js";

/**
 * Waits for the running update and answers with its record. The update goes on if the client disconnects or the wait ends.
 *
 * @throws ApiError `weights_failed` if the update failed
 */
export async function answerUpdate(
  updates: WeightUpdates,
  reply: FastifyReply,
  { seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal },
): Promise<WeightsRecord> {
  const isSettled = await updates.settle(seconds, signal);
  const record = await updates.record();
  if (!isSettled) void reply.code(202);
  else if (record.error !== null) throw await updates.failedError(record.error);
  return record;
}
