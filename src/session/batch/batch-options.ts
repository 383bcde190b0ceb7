import { z } from "zod";

/** The options of an export: their ranges and defaults, for the library and for the HTTP routes alike. */
export const exportFields = {
  style: z.enum(["individual", "concat"]).default("individual").describe("Which rows a tree of interactions gives."),
  discount: z.number().min(0).max(1).default(1).describe("Turn discount of the reward back-propagation."),
  concatReward: z
    .enum(["leaf", "return"])
    .default("leaf")
    .describe(
      "Reward of a `concat` row. leaf: the final reward of its last turn. return: the discounted sum of the own rewards of its turns, counted from the first.",
    ),
  onMismatch: z
    .enum(["error", "split"])
    .default("error")
    .describe("What a child whose prompt does not continue its parent's tokens does to style concat."),
  includeUndelivered: z
    .boolean()
    .default(false)
    .describe("Includes interactions whose answer did not reach the agent, as far as is known."),
} as const;

export const batchFields = {
  ...exportFields,
  layout: z
    .enum(["padded", "packed", "tree"])
    .default("padded")
    .describe("padded: [B, T]. packed: rows one after another. tree: every token of a session's tree once."),
  padTokenId: z.int32().default(0).describe("Token id of padding in input_ids."),
  padSide: z.enum(["left", "right"]).default("right"),
  padToMultipleOf: z.int32().min(1).default(1).describe("The padded length is rounded up to a multiple of this."),
  maxLength: z.int32().min(1).optional().describe("Longest row allowed, in tokens; absent: no limit."),
  overflow: z
    .enum(["error", "truncate", "drop"])
    .default("error")
    .describe("What a longer row does: refuse the batch, lose its end, or be left out."),
  rowTensors: z.boolean().default(true).describe("Adds the tensors and metadata that describe the rows."),
  turns: z
    .boolean()
    .default(false)
    .describe("Adds the turns of each row (cu_turns, turn_start, turn_end, turn_reward, …). Not for layout tree."),
} as const;

export const shardFields = {
  shards: z.int32().min(1).max(4096).default(1).describe("Batches of nearly equal numbers of tokens, split by rows."),
  shard: z.int32().min(0).optional().describe("Which of the shards to pack, counted from 0."),
} as const;

export const batchOptionsSchema = z.strictObject(batchFields);

export type BatchOptions = z.output<typeof batchOptionsSchema>;
export type BatchOptionsInput = z.input<typeof batchOptionsSchema>;
export type TrajectoryOptions = Pick<BatchOptions, keyof typeof exportFields>;
