import { z } from "zod";
import { filterFields } from "./row-filter.js";

/** The options of an export with their ranges and defaults. The library and the HTTP routes share them. */
export const exportFields = {
  style: z
    .enum(["individual", "concat"])
    .default("individual")
    .describe("Rows of a tree: one per interaction (individual) or one per leaf (concat)."),
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
    .describe(
      "Style concat, if a child does not continue its parent's tokens: fail (error) or start a new row (split).",
    ),
  includeUndelivered: z
    .boolean()
    .default(false)
    .describe("Includes interactions whose answer did not reach the agent."),
  ...filterFields,
} as const;

export const batchFields = {
  ...exportFields,
  layout: z
    .enum(["padded", "packed", "tree"])
    .default("padded")
    .describe("padded: [B, T]. packed: rows one after another. tree: each token of a session's tree is stored once."),
  padTokenId: z.int32().default(0).describe("Token id of padding in input_ids."),
  padSide: z.enum(["left", "right"]).default("right").describe("The end of a row at which padding is added."),
  padToMultipleOf: z.int32().min(1).default(1).describe("The padded length is rounded up to a multiple of this."),
  maxLength: z.int32().min(1).optional().describe("Maximum length of a row in tokens; absent: no limit."),
  overflow: z
    .enum(["error", "truncate", "drop"])
    .default("error")
    .describe(
      "Rows over the maximum length: fail the export (error), cut their end (truncate), or leave them out (drop).",
    ),
  rowTensors: z.boolean().default(true).describe("Adds the tensors and metadata that describe the rows."),
  sharedTurns: z
    .enum(["every", "first", "weight"])
    .default("every")
    .describe(
      "Style concat: which rows train on a turn that several rows hold. every: all. first: the first row of the export, so every sampled token is trained on once. weight: all, and `turn_weight` is 1 / number of these rows; needs `turns`.",
    ),
  turns: z
    .boolean()
    .default(false)
    .describe("Adds the turns of each row (cu_turns, turn_start, turn_end, turn_reward, …). Not for layout tree."),
  imageBytes: z
    .enum(["tensor", "files"])
    .default("tensor")
    .describe(
      "Where the image files of the rows are: in the tensor `image_bytes` (tensor), or in a folder beside the file of the batch (files).",
    ),
} as const;

export const shardFields = {
  shards: z
    .int32()
    .min(1)
    .max(4096)
    .default(1)
    .describe(
      "Splits the batch by rows into this many batches of similar size. Groups stay whole unless the sizes would differ too much.",
    ),
  shard: z.int32().min(0).optional().describe("Index of the shard to pack, from 0."),
} as const;

export const batchOptionsSchema = z.strictObject(batchFields);

export type BatchOptions = z.output<typeof batchOptionsSchema>;
export type BatchOptionsInput = z.input<typeof batchOptionsSchema>;
export type TrajectoryOptions = Pick<BatchOptions, keyof typeof exportFields>;
