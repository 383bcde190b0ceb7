import { z } from "zod";
import { controlBody } from "../http/control-body.js";
import { shardFields } from "../session/batch/batch-options.js";
import { MAX_BATCH_ID } from "../session/worker-tag.js";
import { batchBody, exportRuleFields, holdSeconds, leaseSeconds, optionFields, sessionIds } from "./batch-request.js";

/** A session of the export as the server that has it describes it. */
const episodeFields = {
  session_id: z.string(),
  group_id: z.string().nullable(),
  has_reward: z.boolean(),
  rows: z.int32().min(0),
  reward: z.number(),
  discounted_return: z.number(),
};

/** The sessions of one worker, in an export whose shards have sessions of one worker each. */
export const shardBody = controlBody({
  session_ids: sessionIds,
  ...optionFields,
  ...shardFields,
  ...exportRuleFields,
  hold_seconds: holdSeconds,
  pack: z
    .strictObject({
      id: z.string().max(MAX_BATCH_ID).describe("The id by which the reader acknowledges the batch."),
      shards: shardFields.shards.describe("Number of shards of this worker."),
      shard: z.int32().min(0).describe("The shard of this worker to pack, from 0."),
      others: z
        .array(z.strictObject({ position: z.int32().min(0), ...episodeFields }))
        .max(100_000)
        .describe("The sessions of other workers, with their positions in the export."),
      transport: batchBody.shape.transport,
      reader_pid: batchBody.shape.reader_pid,
      lease_seconds: leaseSeconds,
    })
    .optional()
    .describe("Packs a shard. Without it, the answer describes the sessions for the worker that packs."),
});

/** The answer without `pack`. */
export const episodesAnswer = z.object({ episodes: z.array(z.object(episodeFields)) });
